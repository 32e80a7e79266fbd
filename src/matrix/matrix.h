// Matrix: the true frequency matrix. SECRET: nothing computed from it leaves except through privacy/kernel.h (and eval,
// whose output is the curator's own).
//
// Sparse and columnar: the non-empty cells in ascending order of their keys, each with its number of trips. Memory is
// O(non-empty cells), whatever the domain's size; 1000^6 is as good as 10^2.
//
//   MatrixBuilder b(domain);
//   b.add(cell, 1);                     // any order, repeated cells add up
//   Matrix m = std::move(b).build();
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/wide.h"
#include "domain/domain.h"
#include "matrix/cell_key.h"

namespace stopover {

// Counts stop growing here. Cutting a sum at a constant never moves two neighbouring data sets further apart.
inline constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 61;

class Matrix {
 public:
  const Domain& domain() const { return domain_; }
  const CellKeys& keys_of_axes() const { return layout_; }
  // Parallel columns, keys strictly ascending, counts 1 .. kMaxCount.
  std::span<const u128> keys() const { return keys_; }
  std::span<const std::uint64_t> counts() const { return counts_; }
  // Sum of counts, cut at kMaxCount.
  std::uint64_t total() const;

 private:
  friend class MatrixBuilder;
  explicit Matrix(Domain domain);

  Domain domain_;
  CellKeys layout_;
  std::vector<u128> keys_;
  std::vector<std::uint64_t> counts_;
};

// Sorts `keys` with their `counts` and adds up equal keys (sums cut at kMaxCount). Already sorted input costs one pass.
void sort_and_merge(std::vector<u128>& keys, std::vector<std::uint64_t>& counts);

class MatrixBuilder {
 public:
  explicit MatrixBuilder(Domain domain) : matrix_(std::move(domain)) {}

  // Adds `count` trips (0 is no trip) in a cell. False, and nothing added, when an index is outside its axis.
  // REQUIRES: one index an axis.
  bool add(std::span<const std::uint32_t> cell, std::uint64_t count);
  // Many rows at once, without a copy: keys as CellKeys packs them, counts above 0. Aborts where a cell is outside.
  void take(std::vector<u128> keys, std::vector<std::uint64_t> counts);
  Matrix build() &&;

 private:
  Matrix matrix_;
};

}  // namespace stopover
