// BoxSample: a public sample of the boxes of a lattice. A box is taken by its number alone, whatever lies in it.
#pragma once

#include <cstdint>

namespace stopover {

struct BoxSample {
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};
  std::uint64_t seed = 0;
  std::uint64_t keep = kAll;  // of 2^64 boxes about so many are taken; kAll: every one

  bool takes(std::uint64_t box) const {
    if (keep == kAll) return true;
    // Two rounds of multiplying and folding: near numbers land far from each other.
    std::uint64_t x = box + seed;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return (x ^ (x >> 32)) <= keep;
  }
};

}  // namespace stopover
