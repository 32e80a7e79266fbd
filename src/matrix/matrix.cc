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

struct Entry {
  u128 key;
  std::uint64_t count;
};

}  // namespace

Matrix::Matrix(Domain domain) : domain_(std::move(domain)), layout_(widths_of(domain_)) {}

std::uint64_t Matrix::total() const {
  u128 sum = 0;
  for (std::uint64_t count : counts_) sum += count;
  return static_cast<std::uint64_t>(std::min<u128>(sum, kMaxCount));
}

void sort_and_merge(std::vector<u128>& keys, std::vector<std::uint64_t>& counts) {
  if (!std::is_sorted(keys.begin(), keys.end())) {
    std::vector<Entry> entries(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) entries[i] = {keys[i], counts[i]};
    tbb::parallel_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = entries[i].key;
      counts[i] = entries[i].count;
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
