#include "text/paper.h"

#include <algorithm>

namespace stopover {
namespace {

std::string_view code_of(Tone tone) {
  switch (tone) {
    case Tone::strong:
      return "1";
    case Tone::faint:
      return "2";
    case Tone::good:
      return "32";
    case Tone::bad:
      return "1;31";
    case Tone::accent:
      return "36";
    case Tone::plain:
      break;
  }
  return "";
}

}  // namespace

std::string Paper::paint(Tone tone, std::string_view text) const {
  if (!colours_ || tone == Tone::plain) return std::string(text);
  return "\x1b[" + std::string(code_of(tone)) + "m" + std::string(text) + "\x1b[0m";
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (column > indent && column + 1 + word.size() > width) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    if (end < text.size() && text[end] == '\n') {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace stopover
