// ChildIndex: the rows of a table by parent. Built once in O(rows); query, post-processing and checks walk it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "release/release.h"

namespace stopover {

class ChildIndex {
 public:
  // REQUIRES: every parent is -1 or a row number.
  explicit ChildIndex(const Table& table) : first_(table.rows() + 2), rows_(table.rows()) {
    for (std::int32_t parent : table.parent) ++first_[static_cast<std::size_t>(parent + 1) + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      rows_[next[static_cast<std::size_t>(table.parent[row] + 1)]++] = static_cast<std::uint32_t>(row);
    }
  }

  // In table order.
  std::span<const std::uint32_t> roots() const { return family(0); }
  std::span<const std::uint32_t> of(std::size_t row) const { return family(row + 1); }

 private:
  std::span<const std::uint32_t> family(std::size_t i) const {
    return std::span(rows_).subspan(first_[i], first_[i + 1] - first_[i]);
  }
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace stopover
