#include "ingest/text_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace stopover {
namespace {

constexpr char kNoText = '\xff';

// Of the bytes 0x80 to 0x9f.
constexpr std::array<std::uint16_t, 32> kWindows1252 = {0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                                                        0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

struct Name {
  std::string_view name;
  TextEncoding encoding;
};
constexpr std::array<Name, 10> kNames = {{{"utf-8", TextEncoding::utf8},
                                          {"utf8", TextEncoding::utf8},
                                          {"latin1", TextEncoding::latin1},
                                          {"latin-1", TextEncoding::latin1},
                                          {"iso-8859-1", TextEncoding::latin1},
                                          {"windows-1252", TextEncoding::windows1252},
                                          {"cp1252", TextEncoding::windows1252},
                                          {"ansi", TextEncoding::windows1252},
                                          {"utf-16", TextEncoding::utf16},
                                          {"utf16", TextEncoding::utf16}}};

void append_utf8(std::uint32_t code, std::string& text) {
  const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0U | (code >> 6U));
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0U | (code >> 12U));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0U | (code >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

Result<TextEncoding> parse_encoding(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto* found = std::find_if(kNames.begin(), kNames.end(), [&](const Name& n) { return n.name == lower; });
  if (found != kNames.end()) return found->encoding;
  return Error{
      Failure::usage,
      fmt::format(
          "`encoding` must be utf-8, latin1, windows-1252 or utf-16, not \"{}\"\n  Another encoding can be changed "
          "first: iconv -f {} -t UTF-8 IN > OUT",
          text, text.empty() ? "NAME" : text)};
}

std::string_view to_string(TextEncoding encoding) {
  const auto* found = std::find_if(kNames.begin(), kNames.end(), [&](const Name& n) { return n.encoding == encoding; });
  return found->name;
}

bool is_clean_text(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  for (std::size_t at = 0; at < text.size();) {
    const unsigned first = byte(at);
    if (first == 0) return false;
    if (first < 0x80) {
      ++at;
      continue;
    }
    const std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    if (first < 0xC2 || first > 0xF4) return false;
    const unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (byte(at + 1) < low || byte(at + 1) > high) return false;
    for (std::size_t i = 2; i <= more; ++i) {
      if ((byte(at + i) & 0xC0U) != 0x80) return false;
    }
    at += more + 1;
  }
  return true;
}

std::optional<TextEncoding> likely_encoding(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return TextEncoding::utf16;
  const auto zeros = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\0'));
  if (zeros > 0) return zeros >= text.size() / 3 ? std::optional(TextEncoding::utf16) : std::nullopt;
  bool windows = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 || byte > 0x9F) continue;
    windows = true;
    if (kWindows1252[byte - 0x80U] == byte) return std::nullopt;
  }
  return windows ? TextEncoding::windows1252 : TextEncoding::latin1;
}

void Utf8Maker::append_unit(std::uint32_t unit, std::string& text) {
  if (high_) {
    const std::uint32_t high = *high_;
    high_.reset();
    if (unit >= 0xDC00 && unit < 0xE000) return append_utf8(0x10000 + ((high - 0xD800) << 10U) + (unit - 0xDC00), text);
    text += kNoText;
  }
  if (unit >= 0xD800 && unit < 0xDC00) {
    high_ = unit;
  } else if (unit >= 0xDC00 && unit < 0xE000) {
    text += kNoText;
  } else {
    append_utf8(unit, text);
  }
}

void Utf8Maker::append(std::string_view bytes, std::string& text) {
  if (encoding_ == TextEncoding::utf8) {
    text += bytes;
    return;
  }
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (encoding_ != TextEncoding::utf16) {
      const bool mapped = encoding_ == TextEncoding::windows1252 && byte >= 0x80 && byte <= 0x9F;
      append_utf8(mapped ? kWindows1252[byte - 0x80U] : byte, text);
      continue;
    }
    if (!half_) {
      half_ = byte;
      continue;
    }
    const unsigned first = *half_;
    half_.reset();
    if (!began_) {
      began_ = true;
      big_end_first_ = (first == 0xFE && byte == 0xFF) || first == 0;
    }
    append_unit(big_end_first_ ? first << 8U | byte : static_cast<unsigned>(byte) << 8U | first, text);
  }
}

void Utf8Maker::finish(std::string& text) {
  if (half_ || high_) text += kNoText;
  half_.reset();
  high_.reset();
}

}  // namespace stopover
