#include "base/field_words.h"

#include <algorithm>
#include <optional>

namespace stopover {
namespace {

// Lists that one types an item at a time on the command line, and what Python calls otherwise.
struct OtherName {
  std::string_view field, flag, argument;
};
constexpr OtherName kOtherNames[] = {
    {"points", "--point", "points"},
    {"axes", "--axis", "axes"},
    {"trip_axes", "--trip-axis", "trip_axes"},
    {"params", "--param", "params"},
    {"witnesses", "--witness", "witnesses"},
    {"extensions", "--extension", ""},
    {"output", "-o", "to"},
    {"input", "IN", "data"},
    {"matrix", "--matrix", "Cells"},
    {"test_key", "--test-key", ""},
    {"bbox_from", "--bbox-from", "bbox"},
    {"calibrate", "--no-calibration", "calibrate"},
};

struct QuotedSpan {
  std::size_t begin = 0, end = 0;  // of the back quotes; end is past the second one
  std::string_view field, value;
};

bool is_field(std::string_view text) {
  return !text.empty() && text != "stopover" && text[0] >= 'a' && text[0] <= 'z' &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::optional<QuotedSpan> next(std::string_view text, std::size_t from) {
  while ((from = text.find('`', from)) != std::string_view::npos) {
    const std::size_t end = text.find('`', from + 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = text.substr(from + 1, end - from - 1);
    const std::size_t blank = std::min(inside.find(' '), inside.size());
    const std::string_view value = inside.substr(std::min(blank + 1, inside.size()));
    if (is_field(inside.substr(0, blank)) && inside.find('\n') == std::string_view::npos) {
      return QuotedSpan{from, end + 1, inside.substr(0, blank), value};
    }
    from = end + 1;
  }
  return std::nullopt;
}

const OtherName* other_name(std::string_view field) {
  for (const OtherName& other : kOtherNames) {
    if (other.field == field) return &other;
  }
  return nullptr;
}

// Numbers and names of values to fill in (K, COLUMN) stand for themselves; a text is quoted.
std::string quoted_value(std::string_view value) {
  const bool bare = std::all_of(value.begin(), value.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  });
  return bare ? std::string(value) : "\"" + std::string(value) + "\"";
}

std::string shown(Face face, std::string_view field, std::string_view value) {
  std::string text = field_in_words_of(face, field);
  if (value.empty()) return text;
  switch (face) {
    case Face::command_line:
      return text + " " + std::string(value);
    case Face::python:
      return text + quoted_value(value);
    case Face::json:
      return text + ": " + quoted_value(value);
  }
  return text;
}

}  // namespace

std::string field_in_words_of(Face face, std::string_view field) {
  const OtherName* other = other_name(field);
  switch (face) {
    case Face::command_line: {
      if (other != nullptr) return std::string(other->flag);
      std::string flag = "--" + std::string(field);
      std::replace(flag.begin(), flag.end(), '_', '-');
      return flag;
    }
    case Face::python:
      return std::string(other != nullptr && !other->argument.empty() ? other->argument : field) + "=";
    case Face::json:
      break;
  }
  return "\"" + std::string(field) + "\"";
}

std::string in_words_of(Face face, std::string_view message) {
  std::string text;
  std::size_t at = 0;
  for (std::optional<QuotedSpan> span; (span = next(message, at)); at = span->end) {
    const std::string_view between = message.substr(at, span->begin - at);
    text += between == " " && at > 0 && face != Face::command_line ? ", " : between;
    text += shown(face, span->field, span->value);
  }
  return text += message.substr(at);
}

std::string named_field(std::string_view message) {
  const std::optional<QuotedSpan> span = next(message.substr(0, message.find('\n')), 0);
  return span ? std::string(span->field) : "";
}

}  // namespace stopover
