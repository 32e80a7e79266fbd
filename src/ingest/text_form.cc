#include "ingest/text_form.h"

#include <fmt/format.h>

#include <algorithm>

namespace stopover {
namespace {

constexpr std::string_view kDelimiters = ",;\t|^~";

}  // namespace

Result<char> parse_delimiter(std::string_view text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1 && kDelimiters.find(text[0]) != std::string_view::npos) return text[0];
  return Error{Failure::usage,
               fmt::format("`delimiter` must be one of , ; | ^ ~ or tab, not \"{}\"\n  As in `delimiter ';'` with the "
                           "quotes, or the shell takes it for its own.",
                           text)};
}

std::string delimiter_words(char delimiter) {
  switch (delimiter) {
    case ',':
      return "commas";
    case ';':
      return "semicolons (;)";
    case '\t':
      return "tabs";
    default:
      return fmt::format("the character {}", delimiter);
  }
}

std::string delimiter_hint(const std::vector<std::string>& columns) {
  if (columns.size() != 1) return "";
  char best = 0;
  std::ptrdiff_t most = 0;
  for (const char c : kDelimiters) {
    const std::ptrdiff_t n = std::count(columns[0].begin(), columns[0].end(), c);
    if (n > most) {
      most = n;
      best = c;
    }
  }
  if (most == 0) return "";
  return fmt::format("\n  The first line has {} in it: try `delimiter {}`", delimiter_words(best),
                     best == '\t' ? "tab" : fmt::format("'{}'", best));
}

}  // namespace stopover
