// A PMTiles file for tests: a header that is right and bytes that are none, each the low byte of its place times 7.
#pragma once

#include <cstdint>
#include <string>

namespace stopover::sample {

inline void put_number(std::string& bytes, std::size_t at, std::uint64_t value, std::size_t count = 8) {
  for (std::size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}

// REQUIRES: size >= 1000.
inline std::string archive(std::size_t size = 1000) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(7 * i);
  bytes.replace(0, 8, "PMTiles\x03");
  const std::uint64_t parts[][2] = {{127, 100}, {227, 50}, {277, 0}, {277, size - 277}};
  for (std::size_t i = 0; i < 4; ++i) {
    put_number(bytes, 8 + 16 * i, parts[i][0]);
    put_number(bytes, 16 + 16 * i, parts[i][1]);
  }
  bytes[97] = bytes[98] = 2;
  bytes[99] = 1;
  bytes[100] = 0;
  bytes[101] = 14;
  const std::int32_t degrees[] = {-5'000'000, -4'000'000, 5'000'000, 4'000'000};
  for (std::size_t i = 0; i < 4; ++i) put_number(bytes, 102 + 4 * i, static_cast<std::uint32_t>(degrees[i]), 4);
  return bytes;
}

}  // namespace stopover::sample
