// Packer and Unpacker: values as few bytes and back. Whole numbers take 7 bits a byte, signed ones alternate (0, -1, 1,
// -2, ...), reals stand byte by byte so that a compressor finds what is alike. The same bytes on every machine.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ticks.h"

namespace stopover {

inline std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0);
}

inline std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (value & 1 ? ~std::uint64_t{0} : 0));
}

class Packer {
 public:
  std::string take() { return std::move(bytes_); }

  void raw(std::string_view bytes) { bytes_ += bytes; }
  void byte(std::uint64_t value) { bytes_ += static_cast<char>(value & 0xff); }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(value | 0x80);
    byte(value);
  }
  void text(std::string_view value) {
    number(value.size());
    raw(value);
  }
  void real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i) byte(bits >> (8 * i));
  }
  void reals(const std::vector<double>& values) {
    for (int i = 0; i < 8; ++i) {
      for (const double value : values) byte(std::bit_cast<std::uint64_t>(value) >> (8 * i));
    }
  }
  void budgets(const std::vector<Ticks>& values) {
    std::map<Ticks, std::uint64_t> places;
    for (const Ticks value : values) places.emplace(value, 0);
    number(places.size());
    std::uint64_t next = 0;
    for (auto& [value, place] : places) {
      number(value);
      place = next++;
    }
    for (const Ticks value : values) number(places.at(value));
  }

 private:
  std::string bytes_;
};

// Reads on from where it is; after the first thing that is not there, everything is 0 and `good` is false.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  void fail() {
    good_ = false;
    rest_ = {};
  }

  std::uint8_t byte() {
    if (rest_.empty()) {
      fail();
      return 0;
    }
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  std::uint64_t number(std::uint64_t most = ~std::uint64_t{0}) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t part = byte();
      if (shift == 63 && (part & 0x7f) > 1) break;
      value |= (part & 0x7f) << shift;
      if (part < 0x80) {
        if (value > most || (part == 0 && shift > 0)) break;
        return value;
      }
    }
    fail();
    return 0;
  }
  // A number of things that take at least one byte each, not more than there can be.
  std::size_t length() { return static_cast<std::size_t>(number(std::min<std::uint64_t>(rest_.size(), kMostThings))); }
  std::string text() {
    const std::size_t size = length();
    if (size > rest_.size()) fail();
    const std::string value(rest_.substr(0, good_ ? size : 0));
    rest_.remove_prefix(value.size());
    return value;
  }
  double real() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits |= std::uint64_t{byte()} << (8 * i);
    return std::bit_cast<double>(bits);
  }
  std::vector<double> reals(std::size_t rows) {
    if (rest_.size() / 8 < rows) fail();
    std::vector<std::uint64_t> bits(good_ ? rows : 0);
    for (int i = 0; i < 8; ++i) {
      for (std::uint64_t& value : bits) value |= std::uint64_t{byte()} << (8 * i);
    }
    std::vector<double> values(bits.size());
    std::transform(bits.begin(), bits.end(), values.begin(), [](std::uint64_t b) { return std::bit_cast<double>(b); });
    return values;
  }
  std::vector<Ticks> budgets(std::size_t rows) {
    std::vector<Ticks> list(length());
    for (Ticks& value : list) value = number();
    std::vector<Ticks> values(good_ ? rows : 0);
    for (Ticks& value : values) {
      const std::uint64_t place = number();
      if (place >= list.size()) fail();
      if (!good_) break;
      value = list[static_cast<std::size_t>(place)];
    }
    return values;
  }

 private:
  static constexpr std::uint64_t kMostThings = std::uint64_t{1} << 27;
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace stopover
