#include "matrix/matrix.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>

namespace stopover {
namespace {

std::vector<std::uint32_t> widths_of(const Domain& domain) {
  std::vector<std::uint32_t> widths;
  for (const Axis& axis : domain.axes()) widths.push_back(axis.cells);
  return widths;
}

// Sorted by way of pairs.
void sort_pairs(std::vector<u128>& keys, std::vector<std::uint64_t>& counts) {
  struct Entry {
    u128 key;
    std::uint64_t count;
  };
  std::vector<Entry> entries(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) entries[i] = {keys[i], counts[i]};
  tbb::parallel_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = entries[i].key;
    counts[i] = entries[i].count;
  }
}

// Keys of 64 bits have room for their counts beside them: sorted where they lie.
void sort_narrow(std::vector<u128>& keys, std::vector<std::uint64_t>& counts) {
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = keys[i] << 64 | counts[i];
  tbb::parallel_sort(keys.begin(), keys.end());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    counts[i] = static_cast<std::uint64_t>(keys[i]);
    keys[i] >>= 64;
  }
}

// Few possible keys: one counter each instead of a sort.
void merge_dense(std::vector<u128>& keys, std::vector<std::uint64_t>& counts, std::size_t possible) {
  std::vector<std::uint64_t> sums(possible, 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::uint64_t& sum = sums[static_cast<std::size_t>(keys[i])];
    sum = std::min(kMaxCount, sum + std::min(counts[i], kMaxCount));
  }
  keys.clear();
  counts.clear();
  for (std::size_t key = 0; key < possible; ++key) {
    if (sums[key] == 0) continue;
    keys.push_back(key);
    counts.push_back(sums[key]);
  }
}

constexpr std::size_t kMostDense = std::size_t{1} << 23;

}  // namespace

Matrix::Matrix(Domain domain) : domain_(std::move(domain)), layout_(widths_of(domain_)) {}

std::uint64_t Matrix::total() const {
  u128 sum = 0;
  for (std::uint64_t count : counts_) sum += count;
  return static_cast<std::uint64_t>(std::min<u128>(sum, kMaxCount));
}

void sort_and_merge(std::vector<u128>& keys, std::vector<std::uint64_t>& counts) {
  if (!std::is_sorted(keys.begin(), keys.end())) {
    const u128 possible = *std::max_element(keys.begin(), keys.end()) + 1;
    if (possible <= kMostDense && possible / 32 <= keys.size()) {
      return merge_dense(keys, counts, static_cast<std::size_t>(possible));
    }
    if (possible <= UINT64_MAX) {
      sort_narrow(keys, counts);
    } else {
      sort_pairs(keys, counts);
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (kept > 0 && keys[kept - 1] == keys[i]) {
      counts[kept - 1] = std::min(kMaxCount, counts[kept - 1] + std::min(counts[i], kMaxCount));
    } else {
      keys[kept] = keys[i];
      counts[kept++] = std::min(counts[i], kMaxCount);
    }
  }
  keys.resize(kept);
  counts.resize(kept);
}

void MatrixBuilder::take(std::vector<u128> keys, std::vector<std::uint64_t> counts) {
  STOPOVER_CHECK(matrix_.keys_.empty() && keys.size() == counts.size(), "rows are taken once, before others are added");
  for (const u128 key : keys) {
    for (std::size_t i = 0; i < matrix_.domain_.d(); ++i)
      STOPOVER_CHECK(matrix_.layout_.cell(key, i) < matrix_.domain_.axis(i).cells, "a cell outside its axis");
  }
  matrix_.keys_ = std::move(keys);
  matrix_.counts_ = std::move(counts);
}

bool MatrixBuilder::add(std::span<const std::uint32_t> cell, std::uint64_t count) {
  STOPOVER_CHECK(cell.size() == matrix_.domain_.d(), "a cell has one index an axis");
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] >= matrix_.domain_.axis(i).cells) return false;
  }
  if (count == 0) return true;
  matrix_.keys_.push_back(matrix_.layout_.pack(cell));
  matrix_.counts_.push_back(count);
  return true;
}

Matrix MatrixBuilder::build() && {
  sort_and_merge(matrix_.keys_, matrix_.counts_);
  return std::move(matrix_);
}

}  // namespace stopover
