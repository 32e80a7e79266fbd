#include "query/box_index.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/bad_input.h"
#include "query/noise_interval.h"
#include "release/children.h"
#include "release/consistency.h"

namespace stopover {
namespace {

constexpr double kUnmeasured = 1e6;
// Smaller families are scanned, shorter rows added up.
constexpr std::size_t kSmallestGrid = 3;
constexpr std::uint32_t kShortestRunning = 6;

}  // namespace

class BoxIndex::Builder {
 public:
  explicit Builder(const Release& release) : release_(release), table_(release.tables[0]) {}

  BoxIndex build() {
    index_.axes_ = table_.axes.size();
    if (table_.rows() == 0) return std::move(index_);
    // Nodes are placed from the root down, then summed from the leaves up.
    find_families();
    place_nodes();
    sum_up();
    for (std::size_t node = 0; node < index_.nodes_.size(); ++node) add_running_sums(index_.nodes_[node]);
    if (release_.answer_model == AnswerModel::maps) add_maps();
    return std::move(index_);
  }

 private:
  struct Range {  // of members_
    std::size_t first = 0, last = 0;
    std::size_t size() const { return last - first; }
  };
  using Rows = std::vector<std::uint32_t>::iterator;

  // members_ holds every row, grouped by parent: the roots, then the children of row 0, of row 1, ...
  void find_families() {
    const ChildIndex children(table_);
    members_.reserve(table_.rows());
    for (std::size_t i = 0; i <= table_.rows(); ++i) {
      start_.push_back(members_.size());
      const std::span<const std::uint32_t> rows = i == 0 ? children.roots() : children.of(i - 1);
      members_.insert(members_.end(), rows.begin(), rows.end());
    }
    start_.push_back(members_.size());
    // Backwards meets children before their parents, so that marks travel up in one loop.
    measured_below_.resize(table_.rows());
    for (std::size_t row = table_.rows(); row-- > 0;) {
      if (table_.parent[row] >= 0 && (measured(row) || measured_below_[row])) {
        measured_below_[static_cast<std::size_t>(table_.parent[row])] = true;
      }
    }
  }
  Range family(std::size_t row_plus_1) const { return {start_[row_plus_1], start_[row_plus_1 + 1]}; }
  bool measured(std::size_t row) const { return table_.row_ticks[row] > 0; }
  Rows begin(Range members) { return members_.begin() + static_cast<std::ptrdiff_t>(members.first); }
  Rows end(Range members) { return members_.begin() + static_cast<std::ptrdiff_t>(members.last); }

  void add_node(Range members) {
    const auto node = static_cast<std::uint32_t>(index_.nodes_.size());
    index_.nodes_.emplace_back();
    // A group of several rows is a node between: like a row that was not measured.
    row_.push_back(members.size() == 1 ? members_[members.first] : kNone);
    // The box around all members: for a row it is its own.
    for (std::size_t axis = 0; axis < index_.axes_; ++axis) {
      std::uint32_t lo = 0xffffffff, hi = 0;
      for (std::size_t i = members.first; i < members.last; ++i) {
        lo = std::min(lo, table_.lo[axis][members_[i]]);
        hi = std::max(hi, table_.hi[axis][members_[i]]);
      }
      index_.bounds_.push_back(lo);
      index_.bounds_.push_back(hi);
    }
    // Only whole families can be grids; a part of one that was grouped is grouped further.
    bool whole_family = node == 0;
    if (row_.back() != kNone) {
      // A row that was measured and has no measured row below is a leaf here: what lies below it adds nothing.
      const std::size_t row = row_.back();
      members = measured(row) && !measured_below_[row] ? Range{} : family(row + 1);
      whole_family = true;
    }
    if (members.size() > 0) pending_.push_back({node, members, whole_family});
  }

  // Depth first by a stack. The children of a node are added together, so they stand side by side, behind their parent.
  void place_nodes() {
    index_.nodes_.reserve(table_.rows() + table_.rows() / 8 + 1);
    index_.bounds_.reserve(index_.nodes_.capacity() * 2 * index_.axes_);
    row_.reserve(index_.nodes_.capacity());
    add_node(family(0));
    std::vector<Range> groups;
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      // A family that is a grid is not grouped further: its cuts are searched instead.
      if (!next.whole_family || !group_as_grid(next.node, next.members, groups)) group_by_place(next.members, groups);
      index_.nodes_[next.node].first = static_cast<std::uint32_t>(index_.nodes_.size());
      index_.nodes_[next.node].children = static_cast<std::uint32_t>(groups.size());
      for (const Range& members : groups) add_node(members);
    }
  }

  static void one_by_one(Range members, std::vector<Range>& groups) {
    groups.clear();
    for (std::size_t i = members.first; i < members.last; ++i) groups.push_back({i, i + 1});
  }

  // Whether the members are a grid; if so they are put in its order and the node gets it.
  bool group_as_grid(std::uint32_t node, Range members, std::vector<Range>& groups) {
    // With maps the leaves of a run have different shares, so no family is kept as a grid.
    if (members.size() < kSmallestGrid || release_.answer_model == AnswerModel::maps) return false;
    std::vector<GridAxis> axes;
    std::vector<std::vector<std::uint32_t>> cuts;
    std::size_t parts = 1;
    for (std::size_t axis = 0; axis < index_.axes_; ++axis) {
      // The lower edges along an axis are its cuts if the family is a grid, and then their numbers multiply to the
      // number of members.
      edges_.clear();
      for (Rows row = begin(members); row != end(members); ++row) edges_.push_back(table_.lo[axis][*row]);
      std::sort(edges_.begin(), edges_.end());
      edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
      parts *= edges_.size();
      // The product never falls: once it is too large, this is no grid.
      if (parts > members.size()) return false;
      GridAxis grid_axis{static_cast<std::uint32_t>(axis), static_cast<std::uint32_t>(edges_.size()), 0, 0, 0};
      std::uint32_t last = 0;
      for (Rows row = begin(members); row != end(members); ++row) last = std::max(last, table_.hi[axis][*row]);
      edges_.push_back(last);
      axes.push_back(grid_axis);
      cuts.push_back(edges_);
    }
    if (parts != members.size()) return false;
    // The longest axis last: runs along it are the most that one subtraction can add up.
    std::sort(axes.begin(), axes.end(), [](const GridAxis& a, const GridAxis& b) {
      return a.parts != b.parts ? a.parts < b.parts : a.axis < b.axis;
    });

    std::vector<std::uint32_t> order(members.size(), kNone);
    // Each member must fill one place of the grid from edge to edge, no two the same. As there are as many places as
    // members, all are then taken, and the family is a grid.
    for (Rows row = begin(members); row != end(members); ++row) {
      std::size_t at = 0;
      for (const GridAxis& axis : axes) {
        const std::vector<std::uint32_t>& edges = cuts[axis.axis];
        const std::uint32_t lo = table_.lo[axis.axis][*row];
        // The member's place along this axis. Its upper edge must be the next cut.
        const auto edge = std::lower_bound(edges.begin(), edges.end() - 1, lo);
        if (table_.hi[axis.axis][*row] != edge[1]) return false;
        at = at * axis.parts + static_cast<std::size_t>(edge - edges.begin());
      }
      if (order[at] != kNone) return false;
      order[at] = *row;
    }
    std::copy(order.begin(), order.end(), begin(members));
    one_by_one(members, groups);

    index_.nodes_[node].grid = static_cast<std::uint32_t>(index_.grids_.size());
    Grid grid{static_cast<std::uint32_t>(index_.grid_axes_.size()), 0, kNone};
    // Row-major, in rows of the last axis.
    std::uint32_t stride = static_cast<std::uint32_t>(members.size()) / axes.back().parts;
    for (GridAxis& axis : axes) {
      // Axes along which the family is not cut need no search.
      if (axis.parts == 1) continue;
      stride = &axis == &axes.back() ? 0 : stride / axis.parts;
      const std::vector<std::uint32_t>& edges = cuts[axis.axis];
      axis.stride = stride;
      axis.cuts = static_cast<std::uint32_t>(index_.cuts_.size());
      // Where to begin a search in the cuts: right at once where they are even.
      axis.parts_per_cell = static_cast<double>(axis.parts) / (edges.back() - edges.front());
      index_.cuts_.insert(index_.cuts_.end(), edges.begin(), edges.end());
      index_.grid_axes_.push_back(axis);
      ++grid.axes;
    }
    index_.grids_.push_back(grid);
    return true;
  }

  // At most kFan (kFanWithMaps) groups of members, near each other in place.
  void group_by_place(Range members, std::vector<Range>& groups) {
    const std::size_t fan = release_.answer_model == AnswerModel::maps ? kFanWithMaps : kFan;
    if (members.size() <= fan) {
      std::sort(begin(members), end(members));
      one_by_one(members, groups);
      return;
    }
    groups.assign(1, members);
    // Halves of halves, until there are as many groups as a node may have.
    for (std::size_t parts = 1; parts < fan; parts *= 2) {
      std::vector<Range> halves;
      for (const Range& part : groups) {
        if (part.size() == 1) {
          halves.push_back(part);
          continue;
        }
        const std::size_t middle = split(part);
        halves.push_back({part.first, middle});
        halves.push_back({middle, part.last});
      }
      groups = std::move(halves);
    }
  }

  // Divides members at the lower edge nearest to the median, along the axis where they are spread most. Which rows come
  // first does not depend on the library: only the two sets count.
  std::size_t split(Range members) {
    std::size_t axis = 0;
    double widest = -1;
    for (std::size_t i = 0; i < index_.axes_; ++i) {
      const std::vector<std::uint32_t>& lo = table_.lo[i];
      std::uint32_t least = 0xffffffff, most = 0;
      for (Rows row = begin(members); row != end(members); ++row) {
        least = std::min(least, lo[*row]);
        most = std::max(most, lo[*row]);
      }
      // As a share of the axis, so that axes of different numbers of cells compare.
      const double spread = static_cast<double>(most - least) / release_.domain.axis(i).cells;
      if (spread > widest) {
        widest = spread;
        axis = i;
      }
    }
    const std::vector<std::uint32_t>& lo = table_.lo[axis];
    edges_.clear();
    for (Rows row = begin(members); row != end(members); ++row) edges_.push_back(lo[*row]);
    const auto median = edges_.begin() + static_cast<std::ptrdiff_t>(edges_.size() / 2);
    std::nth_element(edges_.begin(), median, edges_.end());
    const std::uint32_t edge = *median;
    // Members of one lower edge stay together: groups then seldom overlap along the axis, and fewer are on a query's
    // border.
    const Rows below = std::partition(begin(members), end(members), [&](std::uint32_t row) { return lo[row] < edge; });
    const Rows up_to = std::partition(below, end(members), [&](std::uint32_t row) { return lo[row] == edge; });
    const auto half = static_cast<std::ptrdiff_t>(members.size() / 2);
    const auto off = [&](Rows at) {
      return at - begin(members) < half ? half - (at - begin(members)) : at - begin(members) - half;
    };
    // Of the two places beside the median's edge, the nearer to half; but neither side may be empty.
    Rows middle = off(below) <= off(up_to) ? below : up_to;
    if (middle == begin(members)) middle = up_to;
    if (middle == end(members)) middle = below;
    if (middle == begin(members)) {  // all at one place
      std::sort(begin(members), end(members));
      middle = begin(members) + half;
    }
    return static_cast<std::size_t>(middle - members_.begin());
  }

  double row_variance(std::size_t row) {
    // Neighbouring rows mostly have one budget: the variance is computed once for them.
    if (table_.row_ticks[row] != last_ticks_) {
      last_ticks_ = table_.row_ticks[row];
      last_variance_ = noise_variance(release_.rate(last_ticks_));
    }
    return last_variance_;
  }

  void sum_up() {
    // The largest variance of the table: what unmeasured leaves are compared with.
    double largest = 1;
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      if (measured(row)) largest = std::max(largest, row_variance(row));
    }
    index_.sums_.resize(index_.nodes_.size());
    // Children stand behind their parents, so they are done first.
    for (std::size_t at = index_.nodes_.size(); at-- > 0;) {
      Node& node = index_.nodes_[at];
      Sums& sums = index_.sums_[at];
      if (node.children == 0) {
        sum_leaf(node, sums, row_[at], largest);
      } else {
        sum_inner(node, sums);
        if (row_[at] != kNone && measured(row_[at])) add_measurement(node, sums, row_[at]);
      }
    }
  }

  void sum_leaf(Node& node, Sums& sums, std::size_t row, double largest) {
    sums.estimate = table_.estimate[row];
    sums.count = sums.own = measured(row) ? static_cast<double>(table_.count[row]) : 0;
    // Not measured: 0 with a million times the largest variance, so that least squares gives it what its siblings leave
    // over.
    sums.count_variance = sums.variance = node.leaf_variance =
        measured(row) ? row_variance(row) : kUnmeasured * largest;
    sums.count_fourth = sums.fourth = laplace_fourth(sums.variance);
    if (!table_.spread.empty()) sums.belief = Belief::of_leaf(sums.estimate, table_.spread[row], sums.variance);
    node.leaves = 1;
  }

  void sum_inner(Node& node, Sums& sums) {
    // Of the first child; -1 as soon as another differs.
    node.leaf_variance = index_.nodes_[node.first].leaf_variance;
    node.all_leaves = true;
    for (std::size_t i = node.first; i < node.first + node.children; ++i) {
      const Node& child = index_.nodes_[i];
      // Siblings are independent: values, variances and fourth cumulants of their noise add.
      sums += index_.sums_[i];
      node.leaves += child.leaves;
      // Bare: below here `own` is the plain sum of leaf counts.
      node.bare = node.bare && child.bare;
      node.all_leaves = node.all_leaves && child.children == 0;
      if (child.leaf_variance != node.leaf_variance) node.leaf_variance = -1;
    }
  }

  void add_measurement(Node& node, Sums& sums, std::size_t row) {
    Measurement m;
    m.count = static_cast<double>(table_.count[row]);
    m.variance = row_variance(row);
    m.fourth = laplace_fourth(m.variance);
    m.children = sums;
    // Inverse variance: y has the weight a = ss/(ss + yy) and S the weight r = yy/(ss + yy). Computed apart, not as 1 -
    // a, which would lose digits where a is near 1.
    m.weight = sums.variance / (sums.variance + m.variance);
    m.rest = m.variance / (sums.variance + m.variance);
    sums.own = m.weight * m.count + m.rest * sums.own;
    // a^2 yy + r^2 ss = a yy, as r ss = a yy.
    sums.variance = m.weight * m.variance;
    const double weight2 = m.weight * m.weight, rest2 = m.rest * m.rest;
    // Cumulants of independent parts add, each with the fourth power of its weight.
    sums.fourth = weight2 * weight2 * m.fourth + rest2 * rest2 * sums.fourth;
    node.bare = false;
    node.measurement = static_cast<std::uint32_t>(index_.measurements_.size());
    index_.measurements_.push_back(m);
  }

  // Prefix sums along the last axis, one more than parts in each row. A run of parts is the difference of two of them.
  void add_running_sums(const Node& node) {
    if (node.grid == kNone) return;
    Grid& grid = index_.grids_[node.grid];
    const std::uint32_t parts = index_.grid_axes_[grid.first_axis + grid.axes - 1].parts;
    // Short rows are added up one by one: no digits are lost to a subtraction.
    if (parts < kShortestRunning) return;
    grid.running = static_cast<std::uint32_t>(index_.running_.size());
    for (std::uint32_t row = node.first; row < node.first + node.children; row += parts) {
      Sums sum;
      index_.running_.push_back(sum);
      // From left to right in every row: the order of summation is fixed, so the bits are.
      for (std::uint32_t i = row; i < row + parts; ++i) index_.running_.push_back(sum += index_.sums_[i]);
    }
  }

  // Of leaves that have rows below: those of them that have none, with their shares.
  void add_parts() {
    const auto nodes = static_cast<std::uint32_t>(index_.nodes_.size());
    std::vector<std::uint32_t> from;
    for (std::size_t node = 0; node < nodes; ++node) {
      from.push_back(nodes + static_cast<std::uint32_t>(index_.part_shares_.size()));
      const std::uint32_t row = row_[node];
      if (index_.nodes_[node].children > 0 || row == kNone || family(row + std::size_t{1}).size() == 0) continue;
      if (!(table_.estimate[row] > 0)) continue;
      std::vector<std::uint32_t> open = {row};
      while (!open.empty()) {
        const std::uint32_t part = open.back();
        open.pop_back();
        const Range below = family(part + std::size_t{1});
        for (std::size_t i = below.last; i-- > below.first;) open.push_back(members_[i]);
        if (below.size() > 0) continue;
        index_.part_shares_.push_back(table_.estimate[part] / table_.estimate[row]);
        for (std::size_t axis = 0; axis < index_.axes_; ++axis) {
          index_.bounds_.push_back(table_.lo[axis][part]);
          index_.bounds_.push_back(table_.hi[axis][part]);
        }
      }
    }
    if (index_.part_shares_.empty()) return;
    from.push_back(nodes + static_cast<std::uint32_t>(index_.part_shares_.size()));
    index_.parts_from_ = std::move(from);
  }

  void add_maps() {
    auto maps = std::make_shared<MapPlaces>(release_);
    add_parts();
    const std::size_t boxes = index_.bounds_.size() / (2 * index_.axes_);
    maps->reserve(boxes);
    for (std::size_t node = 0; node < boxes; ++node) maps->add_node(index_.bounds(node));
    maps->finish();
    index_.maps_ = std::move(maps);
    if (!table_.spread.empty()) index_.doubts_ = std::make_shared<AxisDoubts>(release_);
    // Likely intervals are learned for answers by maps only.
    index_.calibration_ = release_.calibration;
    index_.probes_ = release_.probes;
    index_.stops_ = release_.map_axes();
    index_.claim_ = coverage_claim(release_);
  }

  const Release& release_;
  const Table& table_;
  BoxIndex index_;
  std::vector<std::size_t> start_;
  std::vector<std::uint32_t> members_;
  std::vector<bool> measured_below_;
  std::vector<std::uint32_t> row_;  // of a node, kNone for one between
  struct Pending {
    std::uint32_t node;
    Range members;
    bool whole_family;
  };
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> edges_;
  Ticks last_ticks_ = 0;
  double last_variance_ = 0;
};

Result<BoxIndex> BoxIndex::make(const Release& release) {
  if (release.tables.empty()) return bad_input("the release has no table to ask");
  const Table& table = release.tables[0];
  if (table.axes.size() != release.domain.d()) {
    return bad_input("table " + table.name + " covers " + std::to_string(table.axes.size()) + " of the " +
                     std::to_string(release.domain.d()) + " axes");
  }
  return Builder(release).build();
}

}  // namespace stopover
