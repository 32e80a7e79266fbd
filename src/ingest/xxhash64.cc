#include "ingest/xxhash64.h"

#include <bit>
#include <cstring>

namespace stopover {
namespace {

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87ULL;
constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4FULL;
constexpr std::uint64_t kPrime3 = 0x165667B19E3779F9ULL;
constexpr std::uint64_t kPrime4 = 0x85EBCA77C2B2AE63ULL;
constexpr std::uint64_t kPrime5 = 0x27D4EB2F165667C5ULL;

static_assert(std::endian::native == std::endian::little);

template <typename T>
T read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::uint64_t round(std::uint64_t lane, std::uint64_t input) { return std::rotl(lane + input * kPrime2, 31) * kPrime1; }

std::uint64_t merge(std::uint64_t hash, std::uint64_t lane) { return (hash ^ round(0, lane)) * kPrime1 + kPrime4; }

}  // namespace

std::uint64_t xxhash64(std::string_view bytes, std::uint64_t seed) {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t hash = seed + kPrime5;
  if (left >= 32) {
    std::uint64_t a = seed + kPrime1 + kPrime2, b = seed + kPrime2, c = seed, d = seed - kPrime1;
    for (; left >= 32; at += 32, left -= 32) {
      a = round(a, read<std::uint64_t>(at));
      b = round(b, read<std::uint64_t>(at + 8));
      c = round(c, read<std::uint64_t>(at + 16));
      d = round(d, read<std::uint64_t>(at + 24));
    }
    hash = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
    hash = merge(merge(merge(merge(hash, a), b), c), d);
  }
  hash += bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    hash = std::rotl(hash ^ round(0, read<std::uint64_t>(at)), 27) * kPrime1 + kPrime4;
  }
  if (left >= 4) {
    hash = std::rotl(hash ^ (read<std::uint32_t>(at) * kPrime1), 23) * kPrime2 + kPrime3;
    at += 4;
    left -= 4;
  }
  for (; left > 0; ++at, --left) hash = std::rotl(hash ^ (static_cast<unsigned char>(*at) * kPrime5), 11) * kPrime1;
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

std::int64_t xxhash64_row(std::span<const std::optional<std::string_view>> texts) {
  std::uint64_t hash = 42;
  for (const auto& text : texts) {
    if (text) hash = xxhash64(*text, hash);
  }
  return static_cast<std::int64_t>(hash);
}

}  // namespace stopover
