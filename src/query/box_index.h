// BoxIndex: a release arranged for asking. A question looks at the rows its border runs through, not at all of them.
//
// Built once from table 0, then read only; it copies what it needs, so the release may go. Answerer (answerer.h) asks
// it.
//
// It is the forest of the release with what makes its families quick to search:
//   - A family that is a grid (the product of cuts along some axes: one node of DAF, a flat grid of a million cells, a
//     quadtree's four) keeps its cuts, and sums along its rows: finding the parts that a box touches is a search in the
//     cuts, and adding up a run of them one subtraction.
//   - A larger family of any other shape gets nodes in between, at most kFan children each, that group its rows by
//   place (as
//     a bulk-loaded kd-tree does). A node between is like a row that was not measured. So is the one above several
//     roots.
//
// Every node carries Sums over what lies below it, so a node wholly inside a box is one addition.
//
// Rows below a measured one of which none was measured again are no nodes: their parent is the leaf. With maps they say
// where in the leaf its trips lie: they are its *parts*, each with the share that its estimate has, and inside a part
// the maps say the rest. So a leaf is still all or nothing to noise and bounds; only the covered share of it is
// another. Any other leaf that was not measured counts as measured 0 with 1e6 times the largest variance in the table:
// least squares then gives it what its siblings leave over, and intervals that rest on it alone are as wide as they
// should be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/untouched_vector.h"
#include "query/belief.h"
#include "query/coverage_claim.h"
#include "query/map_places.h"
#include "query/together.h"
#include "release/release.h"

namespace stopover {

// Additive over disjoint nodes.
struct Sums {
  // The leaves' consistent estimates.
  double estimate = 0;
  // The best unbiased estimate of a node's total from all measurements at and below it (a leaf: its count; else the
  // inverse-variance mean of its own count and its children's sum of this), with the exact cumulants of its noise.
  // Siblings are independent. These make least squares local: see answerer.h.
  double own = 0, variance = 0, fourth = 0;
  // The leaves' own noisy counts, with the cumulants of their noise.
  double count = 0, count_variance = 0, count_fourth = 0;
  // What the mechanism believes of the leaves, where it tells (belief.h); else 0.
  Belief belief{};

  Sums& operator+=(const Sums& other) {
    estimate += other.estimate;
    own += other.own;
    variance += other.variance;
    fourth += other.fourth;
    count += other.count;
    count_variance += other.count_variance;
    count_fourth += other.count_fourth;
    belief += other.belief;
    return *this;
  }
  friend Sums operator-(const Sums& a, const Sums& b) {
    return {a.estimate - b.estimate,
            a.own - b.own,
            a.variance - b.variance,
            a.fourth - b.fourth,
            a.count - b.count,
            a.count_variance - b.count_variance,
            a.count_fourth - b.count_fourth,
            a.belief - b.belief};
  }
};

class BoxIndex {
 public:
  // The most children of a node whose family is not a grid.
  static constexpr std::size_t kFan = 8;
  static constexpr std::size_t kFanWithMaps = 16;
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Node {
    double leaf_variance = -1;          // of the count of each leaf below, where they are equal; else -1
    std::uint32_t leaves = 0;           // below, or 1 for a leaf
    std::uint32_t first = 0;            // its children are nodes first .. first + children - 1
    std::uint32_t children = 0;         // 0: a leaf
    std::uint32_t grid = kNone;         // that its children form
    std::uint32_t measurement = kNone;  // of an inner node
    bool bare = true;                   // no inner node at or below was measured
    bool all_leaves = false;            // its children are leaves
    bool found = false;  // a leaf that an excess was followed into (found_flows.h), or a node above one
  };

  // An inner node that was measured itself.
  struct Measurement {
    double count = 0, variance = 0, fourth = 0;
    double weight = 0;  // of `count` in the node's `own`
    double rest = 0;    // 1 - weight: of the sum of the children's `own`
    Sums children{};
  };

  // Children lie in row-major order over the grid's axes; the last one is the longest.
  struct GridAxis {
    std::uint32_t axis = 0;
    std::uint32_t parts = 0;
    std::uint32_t cuts = 0;    // parts + 1 ascending cell edges from here on in cuts()
    std::uint32_t stride = 0;  // in rows of the grid; of the last axis, 0
    double parts_per_cell = 0;
  };
  struct Grid {
    std::uint32_t first_axis = 0, axes = 0;
    std::uint32_t running = kNone;  // parts + 1 running sums per row, from here on in running()
  };

  // Fails (bad_input) where boxes cannot be answered by adding up leaves: no table, or one that lacks axes. REQUIRES:
  // check_release passes. `together`: hands to build one with maps; worth it for large ones.
  static Result<BoxIndex> make(const Release& release, const Together& together = {});

  std::size_t axes() const { return axes_; }
  // Leaves.
  std::size_t partitions() const { return nodes_.empty() ? 0 : nodes_[0].leaves; }

  // Node 0 is the root; children come after their parent. Empty for a table without rows.
  std::span<const Node> nodes() const { return nodes_; }
  std::span<const Sums> sums() const { return sums_; }
  std::span<const Measurement> measurements() const { return measurements_; }
  std::span<const Grid> grids() const { return grids_; }
  std::span<const GridAxis> grid_axes() const { return grid_axes_; }
  const std::uint32_t* cuts(const GridAxis& axis) const { return cuts_.data() + axis.cuts; }
  std::span<const Sums> running() const { return running_; }
  // Of the release, or nothing.
  const std::optional<Calibration>& calibration() const { return calibration_; }
  double cell_clumping() const { return cell_clumping_; }  // cell_clumping.h; 1 without a calibration
  const std::optional<Probes>& probes() const { return probes_; }  // that can be read
  // The axes of every stop's map (Release::map_axes).
  std::span<const std::vector<std::size_t>> stops() const { return stops_; }
  // Of what the mechanism believes of the totals along axes, or nothing: then leaves have no belief either.
  const AxisDoubts* doubts() const { return doubts_.get(); }
  // Of what was learned.
  const CoverageClaim& claim() const { return claim_; }
  // Whether the release was probed by another scale than this program reads.
  bool unread_probes() const { return unread_probes_; }
  // Whether the release lists single cells (TableKind::cells): what it does not list is in no number and no interval.
  bool lists_cells() const { return lists_cells_; }
  // Whether answers by consistent estimates have a likely interval.
  bool has_likely_intervals() const { return calibration_ || probes_ || doubts_; }
  // How trips lie inside leaves, or nullptr: evenly. With maps no family is kept as a grid.
  const MapPlaces* maps() const { return maps_.get(); }
  // The parts of a leaf, numbered on from the last node: sides and places on maps are known of them as of nodes.
  // Empty where the maps say all.
  Interval parts(std::size_t node) const {
    return parts_from_.empty() ? Interval{} : Interval{parts_from_[node], parts_from_[node + 1]};
  }
  bool has_parts() const { return !parts_from_.empty(); }
  // Of the trips of its leaf.
  double part_share(std::size_t part) const { return part_shares_[part - nodes_.size()]; }
  // lo, hi of axis 0, lo, hi of axis 1, ... in cells. REQUIRES: no maps; with them `side` knows.
  const std::uint32_t* bounds(std::size_t node) const { return bounds_.data() + node * 2 * axes_; }
  // Of a node or part along an axis.
  Interval side(std::size_t node, std::size_t axis) const {
    if (maps_ != nullptr) return maps_->side(node, axis);
    return {bounds(node)[2 * axis], bounds(node)[2 * axis + 1]};
  }

 private:
  class Builder;

  std::size_t axes_ = 0;
  std::vector<Node> nodes_;
  UntouchedVector<Sums> sums_;
  std::vector<std::uint32_t> bounds_;      // empty with maps
  std::vector<std::uint32_t> parts_from_;  // [node]: its first part, and one more; empty: no leaf has any
  std::vector<double> part_shares_;
  std::vector<Measurement> measurements_;
  std::vector<Grid> grids_;
  std::vector<GridAxis> grid_axes_;
  std::vector<std::uint32_t> cuts_;
  std::vector<Sums> running_;
  std::shared_ptr<const MapPlaces> maps_;
  std::shared_ptr<const AxisDoubts> doubts_;
  std::optional<Calibration> calibration_;
  double cell_clumping_ = 1;
  std::optional<Probes> probes_;
  bool unread_probes_ = false;
  bool lists_cells_ = false;
  std::vector<std::vector<std::size_t>> stops_;
  CoverageClaim claim_;
};

}  // namespace stopover
