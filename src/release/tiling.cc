#include "release/tiling.h"

#include <algorithm>

namespace stopover {
namespace {

// A Mersenne prime: modulo it, 2^61 is 1, so a number is reduced by adding its upper bits to its lower ones.
constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

// A bijection of 64 bits that scatters them (a multiply and xorshift hash).
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93;
  return x ^ (x >> 32);
}

std::uint64_t reduce(std::uint64_t x) {
  // At most 2^61 + 6 after this, so one subtraction is enough.
  x = (x & kPrime) + (x >> 61);
  return x >= kPrime ? x - kPrime : x;
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  const u128 product = static_cast<u128>(a) * b;
  // The product is below 2^122: 61 lower bits plus 61 upper ones, below 2^62.
  return reduce((static_cast<std::uint64_t>(product) & kPrime) + static_cast<std::uint64_t>(product >> 61));
}

// The number g of an edge: a hash of axis and place under the table's key.
std::uint64_t hashed(std::uint64_t key, std::size_t axis, std::uint32_t at) {
  return reduce(mix(mix(key + axis) ^ at));
}

}  // namespace

BoxMeasure::BoxMeasure(const Table& table) : keys_{0x243f6a8885a308d3, 0x13198a2e03707344} {
  for (std::size_t i = 0; i < table.lo.size(); ++i) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      // Every side of every box changes both keys, each in its own way as they start apart. The order of rows matters,
      // which is harmless: one table is always read in the same order.
      const std::uint64_t side = std::uint64_t{table.lo[i][row]} << 32 | table.hi[i][row];
      for (std::uint64_t& key : keys_) key = mix(key ^ side) + 0x9e3779b97f4a7c15;
    }
  }
  // Many boxes share few edges: their numbers are computed once.
  edges_.resize(table.lo.size());
  for (std::size_t i = 0; i < table.lo.size(); ++i) {
    const std::uint32_t last = *std::max_element(table.hi[i].begin(), table.hi[i].end());
    if (last >= table.rows()) continue;
    edges_[i].reserve(std::size_t{last} + 1);
    for (std::uint32_t at = 0; at <= last; ++at)
      edges_[i].push_back({hashed(keys_[0], i, at), hashed(keys_[1], i, at)});
  }
}

BoxMeasure::Numbers BoxMeasure::edge(std::size_t axis, std::uint32_t at) const {
  if (at < edges_[axis].size()) return edges_[axis][at];
  return {hashed(keys_[0], axis, at), hashed(keys_[1], axis, at)};
}

void BoxMeasure::Amount::operator+=(const Amount& other) {
  // Both below the prime, so the sum is below 2^62.
  for (std::size_t i = 0; i < residues.size(); ++i) residues[i] = reduce(residues[i] + other.residues[i]);
}

// Additive: cutting a box at c along an axis splits g(hi) - g(lo) into (g(hi) - g(c)) + (g(c) - g(lo)).
void BoxMeasure::multiply(Amount& amount, const Numbers& lo, const Numbers& hi) {
  for (std::size_t j = 0; j < lo.size(); ++j) {
    // The prime is added first: the difference stays above 0.
    amount.residues[j] = product(amount.residues[j], reduce(hi[j] + kPrime - lo[j]));
  }
}

BoxMeasure::Amount BoxMeasure::of(const Box& box) const {
  Amount amount{{1, 1}};
  for (std::size_t i = 0; i < box.axes(); ++i) multiply(amount, edge(i, box[i].lo), edge(i, box[i].hi));
  return amount;
}

BoxMeasure::Amount BoxMeasure::of(const Table& table, std::size_t row) const {
  Amount amount{{1, 1}};
  for (std::size_t i = 0; i < table.lo.size(); ++i) {
    multiply(amount, edge(i, table.lo[i][row]), edge(i, table.hi[i][row]));
  }
  return amount;
}

}  // namespace stopover
