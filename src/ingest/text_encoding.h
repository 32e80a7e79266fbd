// TextEncoding: how the characters of a text file are stored, and a way from there to UTF-8.
//
//   Utf8Maker make(TextEncoding::windows1252);
//   make.append(bytes, text);                    // as often as there are bytes
//   make.finish(text);
//
// Every byte of Latin-1 and Windows-1252 is a character (the five bytes that Windows-1252 leaves open are control
// characters, as web browsers take them), so nothing can go wrong there. In UTF-16 half a character becomes a byte that
// is in no UTF-8 text: it costs its line and no other. The order of UTF-16's bytes follows the mark at the start of the
// file; without a mark, its first character, which is taken to be one of the first 256.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stopover {

enum class TextEncoding { utf8, latin1, windows1252, utf16 };

// "utf-8", "latin1", "windows-1252" or "utf-16", and usual other names of these, in any case. Fails (usage), naming
// --encoding.
Result<TextEncoding> parse_encoding(std::string_view text);
// As --encoding takes it.
std::string_view to_string(TextEncoding encoding);

// Whether it is UTF-8 without a zero byte.
bool is_clean_text(std::string_view text);

// What text that is not UTF-8 looks like; nothing where no encoding that we know fits.
std::optional<TextEncoding> likely_encoding(std::string_view text);

class Utf8Maker {
 public:
  // One byte becomes at most so many.
  static constexpr std::size_t kMostBytes = 3;

  explicit Utf8Maker(TextEncoding encoding) : encoding_(encoding) {}

  void append(std::string_view bytes, std::string& text);
  void finish(std::string& text);

 private:
  void append_unit(std::uint32_t unit, std::string& text);

  TextEncoding encoding_;
  bool began_ = false, big_end_first_ = false;
  std::optional<unsigned char> half_;  // the first byte of a unit
  std::optional<std::uint32_t> high_;  // the first unit of a pair
};

}  // namespace stopover
