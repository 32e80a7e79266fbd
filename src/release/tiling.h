// Whether boxes tile a box: every cell of it in exactly one of them, no cell outside.
//
// Comparing pairs would be quadratic and sweeping is hard in twelve dimensions, so boxes are measured instead: give
// every cell edge of every axis a pseudo-random number g modulo the prime 2^61 - 1 and a box the product over axes of
// g(hi) - g(lo). This is additive like a volume, so a tiling's measures sum to the whole's. If the boxes do not tile,
// the two sums differ as polynomials of degree d in the g's, and random g's hide that with probability at most d/2^61
// (Schwartz-Zippel). Two independent measures are compared: below 2^-110. The g's are keyed by all boxes of the table,
// so that boxes cannot be chosen to suit known ones. O(d) a box, any shape, any order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "release/release.h"

namespace stopover {

class BoxMeasure {
 public:
  // A sum of measures, modulo 2^61 - 1.
  struct Amount {
    std::array<std::uint64_t, 2> residues{};
    void operator+=(const Amount& other);
    bool operator==(const Amount&) const = default;
  };

  // Keyed by the table's boxes. O(rows).
  explicit BoxMeasure(const Table& table);

  Amount of(const Box& box) const;
  // Of a row of the table, or of one of as many axes.
  Amount of(const Table& table, std::size_t row) const;

 private:
  using Numbers = std::array<std::uint64_t, 2>;  // g under both keys
  Numbers edge(std::size_t axis, std::uint32_t at) const;
  static void multiply(Amount& amount, const Numbers& lo, const Numbers& hi);

  std::array<std::uint64_t, 2> keys_;
  std::vector<std::vector<Numbers>> edges_;  // [axis][at], as far as rows reach; none where that is far beyond the rows
};

}  // namespace stopover
