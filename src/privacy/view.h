// View: the trips projected on some axes, with the account of what was spent on them. SECRET; private to the kernel.
//
// Rows are the non-empty cells, of a matrix or found by one pass over a source (one counter a cell). A region is a
// range of rows; dividing a region reorders the rows of its own range only, so regions can be worked on at the same
// time.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "matrix/count_source.h"
#include "privacy/box_tree.h"
#include "privacy/dice.h"
#include "privacy/kernel.h"

namespace stopover {

// Where a stream of randomness belongs: a path in the tree, and how many calls were made there.
struct NodeName {
  NodePath path;
  std::uint32_t calls = 0;
};

struct HiddenCounts {
  StreamLabel label;
  Ticks coarse;       // what was paid
  Ticks price;        // what revealing adds
  std::size_t apart;  // counts per child
  std::vector<std::int64_t> counts;
};

// The boxes of a tree's children. Aborts unless every cut is strictly inside its box and every child and every node but
// the first is named exactly once.
std::vector<Box> boxes_of(const Box& box, const CutTree& tree);

// Finds the child of a grid of cuts, or of a tree of cuts, that a cell falls into.
class CellSorter {
 public:
  static constexpr std::size_t kMostChildren = std::size_t{1} << 27, kMostBoxes = std::size_t{1} << 62;
  // REQUIRES: cuts increase strictly inside the box and make at most `most` children.
  CellSorter(const Box& box, const Cuts& cuts, const CellKeys& layout, std::size_t most = kMostChildren);
  // REQUIRES: the tree has passed boxes_of; it outlives the sorter.
  CellSorter(const CutTree& tree, const CellKeys& layout)
      : layout_(&layout), tree_(&tree), children_(tree.nodes.size() + 1) {}
  std::size_t children() const { return children_; }
  std::size_t child_of(u128 key) const {
    std::size_t child = 0;
    if (tree_) {
      std::int32_t at = tree_->nodes.empty() ? ~0 : 0;
      while (at >= 0) {
        const CutTree::Node& node = tree_->nodes[static_cast<std::size_t>(at)];
        at = layout_->cell(key, node.axis) < node.cut ? node.below : node.above;
      }
      return static_cast<std::size_t>(~at);
    }
    for (const CutAxis& axis : axes_) child += axis.child(layout_->cell(key, axis.number));
    return child;
  }

 private:
  struct CutAxis {
    std::size_t number;
    std::uint32_t lo;
    std::vector<std::size_t> of_cell;  // child index times stride, by cell - lo; empty for very wide axes
    const std::vector<std::uint32_t>* cuts;
    std::size_t stride;
    std::size_t child(std::uint32_t cell) const;
  };
  const CellKeys* layout_;
  const CutTree* tree_ = nullptr;
  std::vector<CutAxis> axes_;
  std::size_t children_ = 1;
};

struct View {
  // Each of `stops` is a list of axes; one list without `pooled` is a plain projection. With `pooled` the view has one
  // axis more, in front: the number of the list. A cell of the view is `step` cells of each of a stop's axes.
  View(std::string view_name, const CountSource& source, const std::vector<std::vector<std::size_t>>& stops,
       bool pooled, Ticks slice, std::uint32_t view_number, std::uint32_t step = 1);

  // Sums of counts over the rows of [begin, end) by child, each cut at kMaxCount; apart by the cells of axis `by` too
  // unless that is Kernel::kWhole.
  std::vector<std::int64_t> totals(std::size_t begin, std::size_t end, const CellSorter& sorter,
                                   std::size_t by = Kernel::kWhole) const;
  // Reorders the rows of [begin, end) by child, keeping their order within a child; returns the children's first rows
  // and, at the end, `end`.
  std::vector<std::size_t> arrange(std::size_t begin, std::size_t end, const CellSorter& sorter);

  // Notes a label; aborts when it was used before.
  void use_label(const StreamLabel& label);

  // Instead of rows, where they are not in memory and cannot be: see BoxTree. A region's begin_ is then its slot.
  std::unique_ptr<BoxTree> boxes;

  std::string name;
  std::uint64_t points;  // a trip has in this view
  Ticks limit;           // what one path may spend: slice / points
  std::uint32_t number;
  Box whole;
  CellKeys layout;
  std::vector<u128> keys, keys_scratch;
  std::vector<std::uint64_t> counts, counts_scratch;

  std::mutex mutex;  // guards what follows
  Ticks most_spent = 0;
  std::map<std::tuple<std::uint32_t, std::string, Ticks>, std::uint64_t> charges;  // (depth, purpose, ticks) -> times

 private:
  struct LabelShard {
    std::mutex mutex;
    std::set<std::array<std::uint64_t, 3>> used;  // a hash table's load factor is a float
  };
  void count_cells(const CountSource& source, const std::vector<std::vector<std::size_t>>& stops, bool pooled,
                   std::uint32_t step);
  void make_room();
  std::array<LabelShard, 16> labels_;
};

}  // namespace stopover
