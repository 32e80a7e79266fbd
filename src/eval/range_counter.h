// RangeCounter: how many trips a box truly holds, fast. SECRET, as the matrix it is built from: for the curator alone.
//
//   RangeCounter truth(matrix);
//   std::uint64_t n = truth.count(box);
//
// A k-d tree over the non-empty cells. Inner nodes know the tight box and the number of trips below them, so a query
// only descends where its border runs; the last few cells are scanned column by column, on the axes that are still in
// doubt. Built in O(cells log cells), about 4d + 8 bytes per cell. Queries are const and may run at the same time.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/box.h"
#include "matrix/matrix.h"

namespace stopover {

class RangeCounter {
 public:
  explicit RangeCounter(const Matrix& matrix);

  std::size_t d() const { return columns_.size(); }
  std::uint64_t total() const { return before_.back(); }
  // Trips in the box; sums are cut at kMaxCount as in the matrix. REQUIRES: as many axes as the matrix.
  std::uint64_t count(const Box& box) const;
  // Trips in the cells of a region that is no box: `inside(i)` tells of cell number i (cell(axis, i)) whether it is
  // one. Only cells near the box, which holds the region, are asked about. REQUIRES: as above.
  template <typename Inside>
  std::uint64_t count(const Box& box, Inside&& inside) const {
    std::uint64_t sum = 0;
    for (std::uint32_t at = 0; at < nodes_.size();) {
      const Node& node = nodes_[at];
      const std::int32_t* bounds = bounds_.data() + std::size_t{at} * 2 * d();
      bool apart = false;
      for (std::size_t axis = 0; axis < d() && !apart; ++axis) {
        apart = static_cast<std::uint32_t>(bounds[2 * axis + 1]) < box[axis].lo ||
                static_cast<std::uint32_t>(bounds[2 * axis]) >= box[axis].hi;
      }
      const bool is_leaf = node.after == at + 1;
      for (std::uint32_t i = node.begin; !apart && is_leaf && i < node.end; ++i) {
        if (inside(i)) sum += before_[i + 1] - before_[i];
      }
      at = apart ? node.after : at + 1;
    }
    return sum;
  }
  std::uint32_t cell(std::size_t axis, std::uint32_t number) const {
    return static_cast<std::uint32_t>(columns_[axis][number]);
  }

 private:
  struct Node {
    std::uint32_t begin, end;  // its cells
    std::uint32_t after;       // the first node that is not below it: nodes are kept parents first, left to right
  };

  void build(std::uint32_t begin, std::uint32_t end, std::vector<std::uint32_t>& order);
  std::uint64_t scan(const Node& node, const Box& box, const std::vector<std::size_t>& axes) const;

  std::vector<std::vector<std::int32_t>> columns_;  // [axis][cell], in the tree's order
  std::vector<std::uint64_t> before_;               // [cell]: trips in the cells before it; one entry more
  std::vector<Node> nodes_;
  std::vector<std::int32_t> bounds_;  // [node][axis][first, last]
};

}  // namespace stopover
