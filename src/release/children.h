// ChildIndex: the rows of a table by parent. Built once in O(rows); query, post-processing and checks walk it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "release/release.h"

namespace stopover {

class ChildIndex {
 public:
  // REQUIRES: every parent is -1 or a row number.
  explicit ChildIndex(const Table& table) : first_(table.rows() + 2), rows_(table.rows()) {
    for (std::int32_t parent : table.parent) ++first_[static_cast<std::size_t>(parent + 1) + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    // Backwards, so that every start walks down to where it belongs.
    for (std::size_t row = table.rows(); row-- > 0;) {
      rows_[--first_[static_cast<std::size_t>(table.parent[row] + 1) + 1]] = static_cast<std::uint32_t>(row);
    }
    // What was the end of a family is its start now: the next one's start is its end.
    first_.erase(first_.begin());
    first_.push_back(static_cast<std::uint32_t>(rows_.size()));
  }

  // In table order.
  std::span<const std::uint32_t> roots() const { return family(0); }
  std::span<const std::uint32_t> of(std::size_t row) const { return family(row + 1); }

  // Where the roots, the children of row 0, of row 1, ... begin in the second list, and one more; the rows.
  using Lists = std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>;
  Lists taken() && { return {std::move(first_), std::move(rows_)}; }

 private:
  std::span<const std::uint32_t> family(std::size_t i) const {
    return std::span(rows_).subspan(first_[i], first_[i + 1] - first_[i]);
  }
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace stopover
