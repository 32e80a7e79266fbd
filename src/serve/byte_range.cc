#include "serve/byte_range.h"

#include <algorithm>
#include <limits>

namespace stopover {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// Digits alone; what is too large for 64 bits is the largest number.
std::optional<std::uint64_t> number(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    value = value > (kMost - digit) / 10 ? kMost : 10 * value + digit;
  }
  return value;
}

bool takes_unit(std::string_view& text) {
  constexpr std::string_view kUnit = "bytes=";
  if (text.size() < kUnit.size()) return false;
  for (std::size_t i = 0; i < kUnit.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != kUnit[i]) return false;
  }
  text.remove_prefix(kUnit.size());
  return true;
}

}  // namespace

std::optional<ByteRange> parse_byte_range(std::string_view header, std::uint64_t size) {
  if (!takes_unit(header)) return std::nullopt;
  while (!header.empty() && (header.front() == ' ' || header.front() == '\t')) header.remove_prefix(1);
  while (!header.empty() && (header.back() == ' ' || header.back() == '\t')) header.remove_suffix(1);
  const std::size_t dash = header.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view before = header.substr(0, dash), after = header.substr(dash + 1);
  if (before.empty()) {
    const std::optional<std::uint64_t> length = number(after);
    if (!length || *length == 0 || size == 0) return std::nullopt;
    const std::uint64_t taken = std::min(*length, size);
    return ByteRange{size - taken, taken};
  }
  const std::optional<std::uint64_t> first = number(before), last = after.empty() ? kMost : number(after);
  if (!first || !last || *first > *last || *first >= size) return std::nullopt;
  return ByteRange{*first, std::min(*last, size - 1) - *first + 1};
}

}  // namespace stopover
