#include "query/box_index.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "base/bad_input.h"
#include "query/cell_clumping.h"
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
  Builder(const Release& release, const Together& together)
      : release_(release), table_(release.tables[0]), together_(together), families_(std::make_shared<Families>()) {}

  BoxIndex build() {
    index_.axes_ = table_.axes.size();
    index_.lists_cells_ = table_.kind == TableKind::cells;
    if (table_.rows() == 0) return std::move(index_);
    maps_ = release_.answer_model == AnswerModel::maps;
    if (maps_) places_ = PlaceNumbers(release_);
    // Nodes are placed from the root down, then summed from the leaves up.
    find_families();
    if (maps_ && release_.probes) find_followed();
    place_nodes();
    index_.sums_.resize(index_.nodes_.size());
    const std::size_t half = index_.nodes_.size() / 2;
    const double largest = largest_variance();
    std::vector<std::function<void()>> work = {[&] { begin_sums(0, half, largest); },
                                               [&] { begin_sums(half, index_.nodes_.size(), largest); }};
    if (maps_) work.emplace_back([this] { add_maps(); });
    do_together(work);
    sum_up();
    for (const Node& node : index_.nodes_) add_running_sums(node);
    return std::move(index_);
  }

 private:
  struct Range {  // of members_
    std::size_t first = 0, last = 0;
    std::size_t size() const { return last - first; }
  };
  using Rows = std::vector<std::uint32_t>::iterator;

  // What all builders of an index share. Each puts other members in another order.
  struct Families {
    // members holds every row, grouped by parent: the roots, then the children of row 0, of row 1, ...
    std::vector<std::uint32_t> start, members;
    std::vector<bool> measured_below;
    std::vector<bool> followed_below;  // a row above was divided because of its count; empty: none was
  };
  struct Pending {
    std::uint32_t node;
    Range members;
    bool whole_family;
  };

  // For a part of the nodes of another.
  explicit Builder(const Builder* whole)
      : release_(whole->release_), table_(whole->table_), together_(whole->together_), families_(whole->families_) {
    index_.axes_ = whole->index_.axes_;
    maps_ = whole->maps_;
    if (maps_) places_ = PlaceNumbers(release_);
  }

  void do_together(const std::vector<std::function<void()>>& work) const {
    if (together_) {
      together_(work);
    } else {
      for (const auto& piece : work) piece();
    }
  }

  void find_families() {
    std::tie(families_->start, families_->members) = ChildIndex(table_).taken();
    // Backwards meets children before their parents, so that marks travel up in one loop.
    std::vector<bool>& below = families_->measured_below;
    below.resize(table_.rows());
    for (std::size_t row = table_.rows(); row-- > 0;) {
      if (table_.parent[row] >= 0 && (measured(row) || below[row])) {
        below[static_cast<std::size_t>(table_.parent[row])] = true;
      }
    }
  }
  // A count that is refined and one that is not, because its box is divided, cost the same at first. So a row with
  // measured ones below it, whose count cost what some coarse count did, was divided because of its count.
  void find_followed() {
    std::vector<Ticks> prices = table_.coarse_ticks;
    std::sort(prices.begin(), prices.end());
    prices.erase(std::unique(prices.begin(), prices.end()), prices.end());
    if (prices.empty()) return;
    std::vector<bool>& below = families_->followed_below;
    below.resize(table_.rows());
    const auto followed = [&](std::size_t row) {
      return measured(row) && families_->measured_below[row] && table_.parent[row] >= 0 &&
             std::binary_search(prices.begin(), prices.end(), table_.row_ticks[row]);
    };
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      if (table_.parent[row] < 0) continue;
      const auto parent = static_cast<std::size_t>(table_.parent[row]);
      below[row] = below[parent] || followed(parent);
    }
  }
  Range family(std::size_t row_plus_1) const {
    return {families_->start[row_plus_1], families_->start[row_plus_1 + 1]};
  }
  bool measured(std::size_t row) const { return table_.row_ticks[row] > 0; }
  Rows begin(Range members) { return families_->members.begin() + static_cast<std::ptrdiff_t>(members.first); }
  Rows end(Range members) { return families_->members.begin() + static_cast<std::ptrdiff_t>(members.last); }

  void add_node(Range members) {
    const auto node = static_cast<std::uint32_t>(index_.nodes_.size());
    const std::uint32_t* const rows = families_->members.data() + members.first;
    index_.nodes_.emplace_back();
    // A group of several rows is a node between: like a row that was not measured.
    row_.push_back(members.size() == 1 ? rows[0] : kNone);
    // The box around all members: for a row it is its own.
    std::array<std::uint32_t, 2 * kMaxAxes> bounds;
    for (std::size_t axis = 0; axis < index_.axes_; ++axis) {
      const std::uint32_t *const los = table_.lo[axis].data(), *const his = table_.hi[axis].data();
      std::uint32_t lo = los[rows[0]], hi = his[rows[0]];
      for (std::size_t i = 1; i < members.size(); ++i) {
        lo = std::min(lo, los[rows[i]]);
        hi = std::max(hi, his[rows[i]]);
      }
      bounds[2 * axis] = lo;
      bounds[2 * axis + 1] = hi;
    }
    add_bounds(bounds.data());
    // Only whole families can be grids; a part of one that was grouped is grouped further.
    bool whole_family = node == 0 && !part_;
    if (row_.back() != kNone) {
      // A row that was measured and has no measured row below is a leaf here: what lies below it adds nothing.
      const std::size_t row = row_.back();
      members = family(row + 1);
      if (measured(row) && !families_->measured_below[row]) {
        any_parts_ = any_parts_ || members.size() > 0;
        members = Range{};
      }
      whole_family = true;
    }
    if (members.size() > 0) pending_.push_back({node, members, whole_family});
  }

  // Maps know the sides of a node from its places.
  void add_bounds(const std::uint32_t* bounds) {
    if (maps_) {
      places_.add_node(bounds);
    } else {
      index_.bounds_.insert(index_.bounds_.end(), bounds, bounds + 2 * index_.axes_);
    }
  }

  void reserve(std::size_t rows) {
    // At least two rows a node between, and few of those hold other nodes between. Room that is not used is not taken
    // from the system.
    const std::size_t most = rows + rows / 2 + rows / 8 + 1;
    index_.nodes_.reserve(most);
    row_.reserve(most);
    if (maps_) {
      places_.reserve(most);
    } else {
      index_.bounds_.reserve(most * 2 * index_.axes_);
    }
  }

  // The children of a node are added together, so they stand side by side, behind their parent. Gives the first and how
  // many they are.
  std::pair<std::uint32_t, std::uint32_t> add_children(const Pending& next) {
    // A family that is a grid is not grouped further: its cuts are searched instead.
    if (!next.whole_family || !group_as_grid(next.node, next.members, groups_)) group_by_place(next.members, groups_);
    const auto first = static_cast<std::uint32_t>(index_.nodes_.size());
    const auto children = static_cast<std::uint32_t>(groups_.size());
    for (const Range& members : groups_) add_node(members);
    return {first, children};
  }
  void link(std::uint32_t node, std::pair<std::uint32_t, std::uint32_t> children) {
    std::tie(index_.nodes_[node].first, index_.nodes_[node].children) = children;
  }

  // Depth first by a stack.
  void place_pending() {
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      link(next.node, add_children(next));
    }
  }

  void place_nodes() {
    reserve(table_.rows());
    add_node(family(0));
    if (maps_ && together_) place_in_two();
    place_pending();
  }

  // The topmost nodes here; then what lies below one half of them here, what lies below the others in a builder of its
  // own, whose nodes come behind.
  void place_in_two() {
    constexpr std::size_t kEnough = 64;
    std::size_t done = 0;
    for (; done < pending_.size() && pending_.size() - done < kEnough; ++done) {
      const Pending next = pending_[done];
      link(next.node, add_children(next));
    }
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(done));
    std::size_t all = 0, here = 0, sum = 0;
    for (const Pending& one : pending_) all += one.members.size();
    while (here < pending_.size() && 2 * sum < all) sum += pending_[here++].members.size();
    std::vector<Pending> others(pending_.begin() + static_cast<std::ptrdiff_t>(here), pending_.end());
    pending_.resize(here);
    Builder part(this);
    part.part_ = true;
    std::vector<std::pair<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>> links;
    do_together({[this] { place_pending(); },
                 [&] {
                   part.reserve(table_.rows());
                   for (const Pending& next : others) {
                     links.emplace_back(next.node, part.add_children(next));
                     part.place_pending();
                   }
                 }});
    const auto offset = static_cast<std::uint32_t>(index_.nodes_.size());
    do_together({[&] {
                   for (const Node& node : part.index_.nodes_) {
                     index_.nodes_.push_back(node);
                     if (node.children > 0) index_.nodes_.back().first += offset;
                   }
                 },
                 [&] {
                   row_.insert(row_.end(), part.row_.begin(), part.row_.end());
                   places_.append(part.places_);
                 }});
    any_parts_ = any_parts_ || part.any_parts_;
    for (const auto& [node, children] : links) link(node, {children.first + offset, children.second});
  }

  static void one_by_one(Range members, std::vector<Range>& groups) {
    groups.clear();
    for (std::size_t i = members.first; i < members.last; ++i) groups.push_back({i, i + 1});
  }

  // Whether the members are a grid; if so they are put in its order and the node gets it.
  bool group_as_grid(std::uint32_t node, Range members, std::vector<Range>& groups) {
    // With maps the leaves of a run have different shares, so no family is kept as a grid.
    if (members.size() < kSmallestGrid || maps_) return false;
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
    const std::size_t fan = maps_ ? kFanWithMaps : kFan;
    if (members.size() <= fan) {
      one_by_one(members, groups);
      return;
    }
    groups.assign(1, members);
    // Halves of halves, until there are as many groups as a node may have.
    for (std::size_t parts = 1; parts < fan; parts *= 2) {
      halves_.clear();
      for (const Range& part : groups) {
        if (part.size() == 1) {
          halves_.push_back(part);
          continue;
        }
        const std::size_t middle = split(part);
        halves_.push_back({part.first, middle});
        halves_.push_back({middle, part.last});
      }
      groups.swap(halves_);
    }
  }

  // The value that is the n-th, from 0, of values_, which lie from least to most. Puts another order to them.
  std::uint32_t nth_value(std::size_t n, std::uint32_t least, std::uint32_t most) {
    const std::size_t span = std::size_t{most} - least + 1;
    if (span > 4 * values_.size()) {
      const auto at = values_.begin() + static_cast<std::ptrdiff_t>(n);
      std::nth_element(values_.begin(), at, values_.end());
      return *at;
    }
    // Few cells: how many members start at each tells at once.
    starts_.assign(span, 0);
    for (const std::uint32_t value : values_) ++starts_[value - least];
    std::size_t at = 0;
    for (std::size_t before = starts_[0]; before <= n; before += starts_[at]) ++at;
    return least + static_cast<std::uint32_t>(at);
  }

  // Divides members at the lower edge nearest to the median, along the axis where they are spread most. Both parts keep
  // the order of rows.
  std::size_t split(Range members) {
    std::uint32_t* const rows = families_->members.data() + members.first;
    const std::size_t n = members.size(), half = n / 2;
    std::size_t axis = 0;
    double widest = -1;
    std::uint32_t least = 0, most = 0;
    for (std::size_t i = 0; i < index_.axes_; ++i) {
      const std::uint32_t* const lo = table_.lo[i].data();
      std::uint32_t smallest = 0xffffffff, largest = 0;
      for (std::size_t j = 0; j < n; ++j) {
        smallest = std::min(smallest, lo[rows[j]]);
        largest = std::max(largest, lo[rows[j]]);
      }
      // As a share of the axis, so that axes of different numbers of cells compare.
      const double spread = static_cast<double>(largest - smallest) / release_.domain.axis(i).cells;
      if (spread > widest) {
        widest = spread;
        axis = i;
        least = smallest;
        most = largest;
      }
    }
    if (least == most) return members.first + half;  // all at one place
    const std::uint32_t* const lo = table_.lo[axis].data();
    values_.resize(n);
    for (std::size_t i = 0; i < n; ++i) values_[i] = lo[rows[i]];
    const std::uint32_t median = nth_value(half, least, most);
    std::size_t below = 0, up_to = 0;
    for (const std::uint32_t value : values_) {
      below += value < median;
      up_to += value <= median;
    }
    // Members of one lower edge stay together: groups then seldom overlap along the axis, and fewer are on a query's
    // border. Of the two places beside the median's edge, the nearer to half; but neither side may be empty.
    const auto off = [&](std::size_t at) { return at < half ? half - at : at - half; };
    const bool with_median = below == 0 || (up_to < n && off(up_to) < off(below));
    const std::uint32_t last = with_median ? median : median - 1;  // of the lower edges of the first part
    // Which part a member goes to cannot be foreseen: it is written to both places, and one of them keeps it.
    above_.resize(n);
    std::size_t first = 0, second = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t row = rows[i];
      const bool in_first = lo[row] <= last;
      rows[first] = above_[second] = row;
      first += in_first;
      second += !in_first;
    }
    std::copy_n(above_.begin(), second, rows + first);
    return members.first + first;
  }

  // Of the count of a row. Neighbouring rows mostly have one budget: the variance is computed once for them.
  class RowVariance {
   public:
    explicit RowVariance(const Release& release) : release_(release) {}
    double operator()(std::size_t row) {
      const Ticks ticks = release_.tables[0].row_ticks[row];
      if (ticks != last_) {
        last_ = ticks;
        variance_ = noise_variance(release_.rate(ticks));
      }
      return variance_;
    }

   private:
    const Release& release_;
    Ticks last_ = 0;
    double variance_ = 0;
  };

  // Of the table, and at least 1: what unmeasured leaves are compared with.
  double largest_variance() const {
    RowVariance variance(release_);
    double largest = 1;
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      if (measured(row)) largest = std::max(largest, variance(row));
    }
    return largest;
  }

  // Leaves have their sums, all other nodes 0.
  void begin_sums(std::size_t first, std::size_t last, double largest) {
    RowVariance variance(release_);
    for (std::size_t at = first; at < last; ++at) {
      Node& node = index_.nodes_[at];
      index_.sums_[at] = {};
      if (node.children > 0) continue;
      const std::size_t row = row_[at];
      sum_leaf(node, index_.sums_[at], row, measured(row) ? variance(row) : kUnmeasured * largest);
    }
  }

  // After begin_sums. Children stand behind their parents, so they are done first.
  void sum_up() {
    RowVariance variance(release_);
    for (std::size_t at = index_.nodes_.size(); at-- > 0;) {
      Node& node = index_.nodes_[at];
      if (node.children == 0) continue;
      sum_inner(node, index_.sums_[at]);
      const std::uint32_t row = row_[at];
      if (row != kNone && measured(row)) add_measurement(node, index_.sums_[at], row, variance(row));
    }
  }

  void sum_leaf(Node& node, Sums& sums, std::size_t row, double variance) const {
    sums.estimate = table_.estimate[row];
    sums.count = sums.own = measured(row) ? static_cast<double>(table_.count[row]) : 0;
    // Not measured: 0 with a million times the largest variance, so that least squares gives it what its siblings leave
    // over.
    sums.count_variance = sums.variance = node.leaf_variance = variance;
    sums.count_fourth = sums.fourth = laplace_fourth(sums.variance);
    if (!table_.spread.empty()) sums.belief = Belief::of_leaf(sums.estimate, table_.spread[row], sums.variance);
    node.leaves = 1;
    node.found = !families_->followed_below.empty() && families_->followed_below[row];
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
      node.found = node.found || child.found;
      node.all_leaves = node.all_leaves && child.children == 0;
      if (child.leaf_variance != node.leaf_variance) node.leaf_variance = -1;
    }
  }

  void add_measurement(Node& node, Sums& sums, std::size_t row, double variance) {
    Measurement m;
    m.count = static_cast<double>(table_.count[row]);
    m.variance = variance;
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
    if (!any_parts_) return;
    std::vector<std::uint32_t> from;
    from.reserve(std::size_t{nodes} + 1);
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
        for (std::size_t i = below.last; i-- > below.first;) open.push_back(families_->members[i]);
        if (below.size() > 0) continue;
        index_.part_shares_.push_back(table_.estimate[part] / table_.estimate[row]);
        std::array<std::uint32_t, 2 * kMaxAxes> bounds;
        for (std::size_t axis = 0; axis < index_.axes_; ++axis) {
          bounds[2 * axis] = table_.lo[axis][part];
          bounds[2 * axis + 1] = table_.hi[axis][part];
        }
        add_bounds(bounds.data());
      }
    }
    if (index_.part_shares_.empty()) return;
    from.push_back(nodes + static_cast<std::uint32_t>(index_.part_shares_.size()));
    index_.parts_from_ = std::move(from);
  }

  void add_maps() {
    auto maps = std::make_shared<MapPlaces>(release_);
    add_parts();
    maps->take(std::move(places_));
    index_.maps_ = std::move(maps);
    if (!table_.spread.empty()) index_.doubts_ = std::make_shared<AxisDoubts>(release_);
    // Likely intervals are learned for answers by maps only.
    index_.calibration_ = release_.calibration;
    if (index_.calibration_) index_.cell_clumping_ = stopover::cell_clumping(release_);
    index_.unread_probes_ = release_.has_unread_probes();
    if (!index_.unread_probes_) index_.probes_ = release_.probes;
    index_.stops_ = release_.map_axes();
    index_.claim_ = coverage_claim(release_);
  }

  const Release& release_;
  const Table& table_;
  BoxIndex index_;
  const Together& together_;
  const std::shared_ptr<Families> families_;
  bool maps_ = false;  // with them no family is kept as a grid
  bool part_ = false;  // of the nodes of another builder: there is no root here
  PlaceNumbers places_;
  std::vector<std::uint32_t> row_;  // of a node, kNone for one between
  std::vector<Pending> pending_;
  std::vector<Range> groups_;
  bool any_parts_ = false;  // whether a leaf has rows below
  std::vector<std::uint32_t> edges_, values_, starts_, above_;
  std::vector<Range> halves_;
};

Result<BoxIndex> BoxIndex::make(const Release& release, const Together& together) {
  if (release.tables.empty()) return bad_input("the release has no table to ask");
  const Table& table = release.tables[0];
  if (table.axes.size() != release.domain.d()) {
    return bad_input("table " + table.name + " covers " + std::to_string(table.axes.size()) + " of the " +
                     std::to_string(release.domain.d()) + " axes");
  }
  return Builder(release, together).build();
}

}  // namespace stopover
