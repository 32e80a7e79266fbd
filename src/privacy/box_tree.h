// BoxTree: the boxes of a view whose rows are not in memory. SECRET; private to the kernel.
//
// Boxes have numbers, their slots; dividing one only notes where it is cut. The first time that a box is asked for that
// was not counted yet, all those are counted in one pass over the source: a level that is divided before any of it is
// counted costs one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "matrix/count_source.h"

namespace stopover {

class BoxTree {
 public:
  // One box, slot 0: all rows. REQUIRES: the source outlives it.
  explicit BoxTree(const CountSource& source);

  // The slot of the first part; the others follow. REQUIRES: the tree has passed boxes_of; a box is divided once. From
  // any thread.
  std::size_t divide(std::size_t slot, const CutTree& tree);
  // Trips in boxes, cut at kMaxCount, whether they were divided since or not. REQUIRES: slots of one division, or one
  // slot. From any thread. Throws SourceFailure.
  std::vector<std::int64_t> totals(std::size_t first, std::size_t boxes);

  const CountSource& source() const { return source_; }

 private:
  std::int32_t& named(std::size_t slot);

  const CountSource& source_;
  std::mutex mutex_;  // guards what follows
  TallyTask task_;
  std::vector<std::size_t> named_at_;  // of a slot: where in the tree it is named, 2*node + (above); 2^63: the root
  std::vector<std::int64_t> sums_;     // of the slots that are counted
};

}  // namespace stopover
