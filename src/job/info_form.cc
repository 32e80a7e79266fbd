#include "job/info_form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/nearest.h"
#include "base/usage_error.h"

namespace stopover {
namespace {

struct FormRow {
  const char* name;
  InfoForm (*make)(const InfoSource&);
  bool takes_url;
};

constexpr FormRow kFormRows[] = {{"markdown", info_markdown, false},
                                 {"html", info_html, false},
                                 {"dcat", info_dcat, true},
                                 {"registry", info_registry, true}};

bool is_url(std::string_view text) {
  return (text.starts_with("https://") || text.starts_with("http://")) && text.size() > 10 &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return c > ' ' && c < 127 && std::string_view("<>\"{}|\\^`").find(c) == std::string::npos;
         });
}

}  // namespace

std::vector<std::string> info_forms() {
  std::vector<std::string> names;
  for (const FormRow& row : kFormRows) names.emplace_back(row.name);
  return names;
}

Result<InfoForm> info_as(std::string_view form, const InfoSource& source) {
  const auto row =
      std::find_if(std::begin(kFormRows), std::end(kFormRows), [&](const FormRow& r) { return r.name == form; });
  const std::vector<std::string> names = info_forms();
  if (row == std::end(kFormRows)) {
    return usage_error(fmt::format("`as {}`: there is no such form\n {} There are {}.", form,
                                   did_you_mean(std::string(form), names, 1), fmt::join(names, ", ")));
  }
  if (!source.url.empty() && !row->takes_url) {
    return usage_error(fmt::format("`url` does not go with `as {}`\n  It goes with dcat and registry.", form));
  }
  if (!source.url.empty() && !is_url(source.url)) {
    return usage_error(
        fmt::format("`url` must be an address of the web, not \"{}\"\n  As in `url "
                    "https://data.example.org/city.odrz`",
                    source.url));
  }
  return row->make(source);
}

}  // namespace stopover
