#include "job/description_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/usage_error.h"

namespace stopover {
namespace {

constexpr std::size_t kLongestTitle = 120, kLongest = 2000;

bool is_a_line(const std::string& text) {
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; })) return false;
  try {
    return !nlohmann::json(text).dump().empty();  // throws on what is not UTF-8
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace

void read_description(FieldReader& fields, Description& description) {
  for (const auto& [name, member] : kDescriptionTexts) {
    std::string& text = description.*member;
    fields.text(name, text);
    const std::size_t most = member == &Description::title ? kLongestTitle : kLongest;
    if (text.size() > most) {
      fields.fail(usage_error(fmt::format("`{}` must have at most {} bytes, not {}{}", name, most, text.size(),
                                          most == kLongestTitle ? "\n  Say more in `about`." : "")));
    } else if (!is_a_line(text)) {
      fields.fail(usage_error(fmt::format("`{}` must be one line of UTF-8 text without control characters", name)));
    }
  }
}

}  // namespace stopover
