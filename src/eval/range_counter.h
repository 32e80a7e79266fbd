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
