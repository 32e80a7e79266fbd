#include "calibrate/posterior_draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/portable_math.h"
#include "calibrate/count_tree.h"
#include "release/children.h"
#include "release/consistency.h"
#include "release/stop_map.h"

namespace stopover {
namespace {

constexpr double kPowerStep = 0.125, kMostPower = 3;  // that the counts are asked about
constexpr double kPower =
    0.6;  // times the square of the legs: the more stops, the larger the leaves and what they hide
// How much less than it seems the base is believed. It errs in whole districts at once (who lives there also works
// there), a clumping of single families does not, so counts drawn with it alone stray together.
constexpr double kDoubtOfMaps = 3, kDoubtOfTree = 10;
constexpr std::uint32_t kNear = 6;  // cells: boxes so small are not halved for the way between them
constexpr double kFar = 0.2;        // nor boxes of less than this share of the way

// One or two intervals; the second is {0, 1} for one axis.
struct Rect {
  Interval x, y;
  std::uint64_t cells() const { return std::uint64_t{x.width()} * y.width(); }
};

Rect rect_of(const Box& box) { return {box[0], box.axes() > 1 ? box[1] : Interval{0, 1}}; }

// Halves the longer side. REQUIRES: more than one cell.
std::pair<Rect, Rect> halves(const Rect& rect) {
  Rect low = rect, high = rect;
  if (rect.x.width() >= rect.y.width()) {
    low.x.hi = high.x.lo = rect.x.lo + rect.x.width() / 2;
  } else {
    low.y.hi = high.y.lo = rect.y.lo + rect.y.width() / 2;
  }
  return {low, high};
}

// A box of a map in squares of its raster (stop_map.h). REQUIRES: made of whole ones, or up to the map's end.
Rect in_squares(const Rect& rect, std::uint32_t step) {
  const auto side = [&](Interval cells) { return Interval{cells.lo / step, (cells.hi - 1) / step + 1}; };
  return {side(rect.x), side(rect.y)};
}

// What a map has in a box of squares.
double mass_of(const StopMap& map, const Rect& squares) {
  const std::uint32_t step = map.step();
  const auto side = [&](Interval of, std::uint32_t cells) {
    return Interval{of.lo * step, std::min(of.hi * step, cells)};
  };
  return map.mass(side(squares.x, map.width()), side(squares.y, map.height()));
}

// A table's rows as a CountTree; `row_of` says which row a node is.
struct Grown {
  CountTree tree;
  std::vector<std::uint32_t> row_of;
};

double variance_of(const Table& table, std::size_t row, double ticks_to_rate) {
  // Nothing was measured: any count is possible.
  if (table.row_ticks[row] == 0) return std::numeric_limits<double>::infinity();
  return noise_variance(static_cast<double>(table.row_ticks[row]) * ticks_to_rate);
}

Grown tree_of(const Table& table, double ticks_to_rate) {
  const ChildIndex children(table);
  // Rows below the last measurement only say where trips lie in it (history): what was counted ends above them.
  std::vector<bool> counted(table.rows(), false);
  for (std::size_t row = table.rows(); row-- > 0;) {
    counted[row] = counted[row] || table.row_ticks[row] > 0 || table.side_ticks[row] > 0;
    if (counted[row] && table.parent[row] >= 0) counted[static_cast<std::size_t>(table.parent[row])] = true;
  }
  Grown grown;
  grown.row_of = {children.roots()[0]};
  for (std::size_t at = 0; at < grown.row_of.size(); ++at) {
    const std::uint32_t row = grown.row_of[at];
    CountTree::Node node;
    node.count = static_cast<double>(table.count[row]);
    node.variance = variance_of(table, row, ticks_to_rate);
    node.depth = table.depth[row];
    // Breadth first, so that children of a node stand together, as CountTree wants them.
    node.first = static_cast<std::uint32_t>(grown.row_of.size());
    const std::span<const std::uint32_t> below = children.of(row);
    if (std::any_of(below.begin(), below.end(), [&](std::uint32_t child) { return counted[child]; })) {
      grown.row_of.insert(grown.row_of.end(), below.begin(), below.end());
    }
    node.last = static_cast<std::uint32_t>(grown.row_of.size());
    grown.tree.nodes.push_back(node);
  }
  return grown;
}

// Trips are short: how likely places of neighbouring stops go together, as a power of the way between them.
struct Gravity {
  double power = 0;
  std::vector<std::pair<std::size_t, std::size_t>> legs;  // factors on one map, neighbours along the trip

  // Of trips whose stops lie somewhere in these boxes.
  double length(const std::array<Rect, kMaxAxes>& rects) const {
    double sum = 0;
    for (const auto& [from, to] : legs) {
      const Rect& a = rects[from];
      const Rect& b = rects[to];
      // Between the centres of the boxes, in cells.
      const double dx = 0.5 * (static_cast<double>(a.x.lo) + a.x.hi - b.x.lo - b.x.hi);
      const double dy = 0.5 * (static_cast<double>(a.y.lo) + a.y.hi - b.y.lo - b.y.hi);
      const auto squared = [](const Interval& side) { return static_cast<double>(side.width()) * side.width(); };
      // The mean square of the way between two points that lie evenly in the boxes: that between the centres, and
      // side^2/12 of every side. Its root is a little more than the mean way.
      const double inside = (squared(a.x) + squared(a.y) + squared(b.x) + squared(b.y)) / 12;
      sum += std::sqrt(dx * dx + dy * dy + inside);
    }
    return sum;
  }
};

// The share of `a` in a (y/x)^power + b. The power is near enough for a belief: exact at 0 and 1 and where x = y.
double share_pulled(double a, double b, double x, double y, double power) {
  // ratio^power for a power of 0 to 1 as (r + 1 + p (r - 1))/(r + 1 - p (r - 1)), its Pade approximation about r = 1:
  // no logarithm, as it is asked for every halving of every trip.
  // Of the two ways, kept within a factor of 4, where the approximation is near enough.
  const double ratio = std::clamp(y / x, 0.25, 4.0);
  // Whole powers by products. Of the fraction, the numerator goes to a and the denominator to b: only a/b matters.
  for (; power > 1; --power) a *= ratio;
  a *= ratio + 1 + power * (ratio - 1);
  b *= ratio + 1 - power * (ratio - 1);
  return a / (a + b);
}

// The map of a stop.
struct Factor {
  std::vector<std::size_t> axes;
  const Table* table;
  std::size_t group;
};

// Stops whose maps have the same boxes, taken together: what is known of all their points, and where they lie.
struct Group {
  std::vector<std::size_t> factors;
  Grown grown;                   // pooled counts
  std::vector<double> estimate;  // [row], pooled
  std::optional<StopMap> ground;
};

}  // namespace

struct PosteriorDraws::State {
  const Release& release;
  std::vector<Factor> factors;
  std::vector<Group> groups;
  std::vector<StopMap> maps;  // of the release, one a factor
  Grown joint;
  Gravity gravity;
  double most_power = 0;

  explicit State(const Release& r) : release(r) {}

  bool own_map() const { return release.tables.size() == 1; }

  void add_factors() {
    // One table: it is its own map. Else tables from 1 on are the maps.
    for (std::size_t t = own_map() ? 0 : 1; t < release.tables.size(); ++t) {
      const Table& table = release.tables[t];
      maps.emplace_back(table, release.domain);
      factors.push_back({table.axes, &table, factors.size()});
      for (std::size_t f = 0; f + 1 < factors.size(); ++f) {
        // The same boxes in the same order: the stops were mapped together.
        if (factors[f].table->lo == table.lo && factors[f].table->hi == table.hi)
          factors.back().group = factors[f].group;
      }
    }
    if (own_map()) return;
    for (std::size_t f = 0; f < factors.size(); ++f) {
      // Its first member leads a group. Groups are numbered as they come, never above their leader's number, so a
      // member that has its group is not taken for a leader.
      if (factors[f].group == f) add_group(f);
    }
  }

  // Counts of stops that were counted together are not published, only estimates made from them: those stand in.
  void add_group(std::size_t leader) {
    Group group;
    for (std::size_t f = leader; f < factors.size(); ++f) {
      if (factors[f].group == leader) group.factors.push_back(f);
    }
    for (std::size_t f : group.factors) factors[f].group = groups.size();
    const Table& table = *factors[leader].table;
    group.grown = tree_of(table, release.rate(1));
    group.estimate.assign(table.rows(), 0.0);
    for (std::size_t f : group.factors) {
      // Estimates of all stops, row by row: their sum is the estimate of all points.
      for (std::size_t row = 0; row < table.rows(); ++row) group.estimate[row] += factors[f].table->estimate[row];
    }
    for (std::size_t at = 0; at < group.grown.row_of.size(); ++at) {
      CountTree::Node& node = group.grown.tree.nodes[at];
      const std::uint32_t row = group.grown.row_of[at];
      // Counted stop by stop.
      if (table.row_ticks[row] > 0) {
        node.count = 0;
        for (std::size_t f : group.factors) node.count += static_cast<double>(factors[f].table->count[row]);
        // The sum of so many independent counts of equal noise.
        node.variance *= static_cast<double>(group.factors.size());
      } else if (table.side_ticks[row] > 0) {
        // Its noise is that of the count for all stops, which the budget on the row tells.
        node.count = group.estimate[row];
        node.variance = noise_variance(static_cast<double>(table.side_ticks[row]) * release.rate(1));
      }
    }
    // Ground, by the estimates; the tree's own shares, by area. One says where trips lie below leaves, the other how
    // far counts stray.
    group.ground.emplace(map_of(table, group.estimate));
    set_shares(group.grown.tree, areas(group.grown, table));
    group.grown.tree.settle();
    groups.push_back(std::move(group));
  }

  StopMap map_of(const Table& table, const std::vector<double>& estimate) const {
    std::vector<StopMap::Leaf> leaves;
    const std::vector<bool> is_leaf = table.leaves();
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (!is_leaf[row]) continue;
      const Rect rect = rect_of(table.box(row));
      // The ground is smooth: a leaf's trips lie as its surroundings say (stop_map.h).
      leaves.push_back({rect.x, rect.y, estimate[row]});
    }
    const std::uint32_t width = release.domain.axis(table.axes[0]).cells;
    return StopMap(width, table.axes.size() > 1 ? release.domain.axis(table.axes[1]).cells : 1, leaves, true);
  }

  // How boxes of a map divide: by area. Better bases (the map that their own depth leaves) tell no more of how far
  // counts are off.
  // One number a node, in the order of the tree.
  static std::vector<double> areas(const Grown& grown, const Table& table) {
    std::vector<double> result;
    for (const std::uint32_t row : grown.row_of) result.push_back(static_cast<double>(rect_of(table.box(row)).cells()));
    return result;
  }

  // How families divide: as the base does. [node]
  static void set_shares(CountTree& tree, const std::vector<double>& base) {
    for (const CountTree::Node& node : tree.nodes) {
      // Over one family: shares sum to 1.
      double sum = 0;
      for (std::uint32_t c = node.first; c < node.last; ++c) sum += base[c];
      for (std::uint32_t c = node.first; c < node.last; ++c) {
        // Where the base has nothing, evenly.
        tree.nodes[c].share = sum > 0 ? base[c] / sum : 1.0 / (node.last - node.first);
      }
    }
  }

  std::array<Rect, kMaxAxes> rects_of(const Box& box) const {
    std::array<Rect, kMaxAxes> rects;
    for (std::size_t f = 0; f < factors.size(); ++f) {
      const std::vector<std::size_t>& axes = factors[f].axes;
      rects[f] = {box[axes[0]], axes.size() > 1 ? box[axes[1]] : Interval{0, 1}};
    }
    return rects;
  }

  void add_joint() {
    const Table& table = release.tables[0];
    joint = tree_of(table, release.rate(1));
    if (own_map()) {
      set_shares(joint.tree, areas(joint, table));
      joint.tree.settle();
      return;
    }
    // A leg is felt only between stops on the same map: elsewhere no way is known.
    for (std::size_t f = 0; f + 1 < factors.size(); ++f) {
      if (factors[f].group == factors[f + 1].group) gravity.legs.emplace_back(f, f + 1);
    }
    // The base of the joint tree: the product of the maps' masses in a box (stops independent), times (1 +
    // length)^-power. Powers are tried in steps, one multiplication each, and the one whose shares fit the counts best
    // is kept.
    std::vector<double> base, step;
    for (const std::uint32_t row : joint.row_of) {
      const std::array<Rect, kMaxAxes> rects = rects_of(table.box(row));
      double product = 1;
      // Rounding of sums may bring a mass a little below 0.
      for (std::size_t f = 0; f < factors.size(); ++f) product *= std::max(0.0, maps[f].mass(rects[f].x, rects[f].y));
      base.push_back(product);
      // exp(-step log(1 + length)) = (1 + length)^-step. The 1 keeps boxes of no way finite.
      step.push_back(gravity.legs.empty() ? 1 : portable_exp(-kPowerStep * portable_log(1 + gravity.length(rects))));
    }
    std::vector<double> pulled = base;
    double least = 1e300, power = 0;
    // From no pull to kMostPower. Every round multiplies by `step` once more, so the powers need no further
    // exponentials.
    for (int i = 0; i * kPowerStep <= (gravity.legs.empty() ? 0 : kMostPower); ++i) {
      set_shares(joint.tree, pulled);
      // The first of the best: a weaker pull where the counts do not tell.
      if (const double misfit = joint.tree.misfit(); misfit < least) {
        least = misfit;
        power = i * kPowerStep;
        base = pulled;
      }
      for (std::size_t at = 0; at < pulled.size(); ++at) pulled[at] *= step[at];
    }
    // The best base is kept for the draws.
    set_shares(joint.tree, base);
    const auto legs = static_cast<double>(gravity.legs.size());
    // Inside leaves more of it is hidden than between them: kPower times the square of the legs, as measured on cities.
    most_power = gravity.legs.empty() ? 0 : kPower * legs * legs + power;
    joint.tree.settle();
  }

  // One map a factor, down to the squares of its raster.
  std::vector<StopMap> fine_maps(NumberSequence& numbers) const {
    // One raster for each factor, filled leaf by leaf.
    std::vector<StopMap::Density> density;
    for (const Factor& factor : factors) {
      const StopMap& ground = *groups[factor.group].ground;
      density.emplace_back(ground.width(), ground.height());
    }
    for (const Group& group : groups) {
      const Table& table = *factors[group.factors[0]].table;
      StopMap::Density& first = density[group.factors[0]];
      // Points of all stops together, drawn leaf by leaf from what the counts leave possible.
      const std::vector<std::uint32_t> drawn = group.grown.tree.draw(numbers, kDoubtOfMaps);
      for (std::size_t at = 0; at < drawn.size(); ++at) {
        const CountTree::Node& node = group.grown.tree.nodes[at];
        // Cells are filled from leaves; rows above them are their sums.
        if (node.first != node.last) continue;
        const std::uint32_t row = group.grown.row_of[at];
        const Rect rect = in_squares(rect_of(table.box(row)), first.step());
        std::vector<double> counts(group.factors.size(), 0.0);
        if (drawn[at] > 0) {
          // All stops of a group share one pattern inside a leaf: they are on one ground.
          scatter(rect, 1, drawn[at], group.grown.tree.below(at), *group.ground, first, numbers);
          counts = of_stops(group, row, drawn[at], node.variance, numbers);
        }
        for (std::uint32_t i = rect.x.lo; i < rect.x.hi; ++i) {
          const double* const shape = first.row(i);
          for (std::size_t s = counts.size(); s-- > 0;) {  // the first last: it holds the shape
            double* const cells = density[group.factors[s]].row(i);
            // The floor keeps every cell possible: a joint leaf may hold trips where a map's draw has none.
            for (std::uint32_t j = rect.y.lo; j < rect.y.hi; ++j) cells[j] = StopMap::kFloor + shape[j] * counts[s];
          }
        }
      }
    }
    std::vector<StopMap> result;
    for (StopMap::Density& cells : density) result.emplace_back(std::move(cells));
    return result;
  }

  // How the points of a map's leaf divide among the stops: about as their estimates do.
  std::vector<double> of_stops(const Group& group, std::uint32_t row, double points, double variance,
                               NumberSequence& numbers) const {
    const double stops = static_cast<double>(group.factors.size());
    // One point more for every stop: none is ruled out by an estimate of 0.
    double left = points, weight = group.estimate[row] + stops;
    std::vector<double> counts;
    // A stop's share of the points is as unsure as the noise of their count makes it (variance over points squared),
    // and a little besides.
    const double theta = std::min(0.2, variance / (points * points) + 0.02);
    for (std::size_t s = 0; s + 1 < group.factors.size(); ++s) {
      const double own = factors[group.factors[s]].table->estimate[row] + 1;
      // Sticks broken one after the other: what is left goes to the stops that are left, by their estimates plus one.
      const double taken = left * draw_share(std::min(1.0, own / weight), theta, numbers);
      counts.push_back(taken);
      left -= taken;
      weight -= own;
    }
    counts.push_back(left);
    return counts;
  }

  // Divides `share` of a leaf of `mass` trips over the squares of rect.
  static void scatter(const Rect& rect, double share, double mass, const Clumping& clumping, const StopMap& ground,
                      StopMap::Density& shape, NumberSequence& numbers) {
    // Less than a third of a trip: spread evenly, nobody would see the difference.
    if (rect.cells() == 1 || share * mass < 0.3) {
      const double each = share / static_cast<double>(rect.cells());
      for (std::uint32_t i = rect.x.lo; i < rect.x.hi; ++i) std::fill_n(shape.row(i) + rect.y.lo, rect.y.width(), each);
      return;
    }
    const auto [low, high] = halves(rect);
    const double a = mass_of(ground, low), b = mass_of(ground, high);
    // One halving of a multiplicative cascade: the mean is the ground's, the dispersion that of so many trips.
    const double p = draw_share(a + b > 0 ? a / (a + b) : 0.5, clumping.theta(share * mass), numbers);
    scatter(low, share * p, mass, clumping, ground, shape, numbers);
    scatter(high, share * (1 - p), mass, clumping, ground, shape, numbers);
  }

  // Puts the trips of a leaf into cells.
  struct Placer {
    const State& state;
    const std::vector<StopMap>& maps;
    NumberSequence& numbers;
    DrawnTrips& trips;
    Gravity gravity;
    Clumping clumping{};

    // Halves until every trip is alone, and goes on with one that is as far as its stops still feel each other. `way`:
    // the length of a trip between these boxes or those around them.
    void place(std::array<Rect, kMaxAxes> rects, std::uint32_t n, double way) {
      while (n > 1 || gravity.power > 0) {
        std::size_t widest = 0;
        // Boxes much smaller than the way between them hardly change it when halved: below that only the map counts.
        const std::uint32_t felt = std::max(kNear, static_cast<std::uint32_t>(kFar * way));
        const std::uint32_t enough = n > 1 ? 1 : felt;
        std::uint32_t side = enough;
        // The longest side of all stops is halved: boxes stay of similar size at all stops, so that their way is known
        // equally well.
        for (std::size_t f = 0; f < maps.size(); ++f) {
          const std::uint32_t longer = std::max(rects[f].x.width(), rects[f].y.width());
          if (longer > side) {
            side = longer;
            widest = f;
          }
        }
        if (side == enough) break;
        const auto [low, high] = halves(rects[widest]);
        const double a = std::max(0.0, maps[widest].mass(low.x, low.y));
        const double b = std::max(0.0, maps[widest].mass(high.x, high.y));
        double share = a + b > 0 ? a / (a + b) : 0.5, way_low = way, way_high = way;
        // Where the box is still large compared with the way, near and far half differ, and the nearer one gets more.
        if (gravity.power > 0 && side > felt && a > 0 && b > 0) {
          rects[widest] = low;
          way_low = gravity.length(rects);
          rects[widest] = high;
          way_high = gravity.length(rects);
          // The map's masses a and b, each times (1 + way)^-power.
          share = share_pulled(a, b, 1 + way_low, 1 + way_high, gravity.power);
        }
        // Trips of a box divide with the clumping of their family: a Beta-binomial draw (count_tree.h).
        const std::uint32_t left = draw_side(n, share, clumping.theta(n), numbers);
        rects[widest] = low;
        way = way_low;
        // All on one side: no recursion, the loop goes on with the half.
        if (left == n) continue;
        if (left > 0) place(rects, left, way_low);
        rects[widest] = high;
        way = way_high;
        n -= left;
      }
      for (std::uint32_t i = 0; i < n; ++i) {
        // Alone, or no side left to halve: cells by the maps, stop by stop.
        for (std::size_t f = 0; f < maps.size(); ++f) drop(f, rects[f]);
      }
    }

    void drop(std::size_t f, const Rect& rect) {
      // Named, as compilers differ in which argument comes first.
      const double v = numbers.uniform(), u = numbers.uniform();
      const auto [x, y] = maps[f].cell_at(rect.x, rect.y, u, v);
      const std::vector<std::size_t>& axes = state.factors[f].axes;
      trips.cells[axes[0]].push_back(x);
      if (axes.size() > 1) trips.cells[axes[1]].push_back(y);
    }
  };

  DrawnTrips draw(NumberSequence& numbers, double power, double most) const {
    DrawnTrips trips;
    trips.cells.resize(release.domain.d());
    std::vector<StopMap> fine;
    if (!own_map()) fine = fine_maps(numbers);
    // The joint leaves' counts are drawn by themselves. The maps say only how trips lie inside them.
    const std::vector<std::uint32_t> counts = joint.tree.draw(numbers, own_map() ? kDoubtOfMaps : kDoubtOfTree);
    const double share = std::min(1.0, most / std::max(1.0, static_cast<double>(counts[0])));
    for (std::vector<std::uint32_t>& cells : trips.cells)
      cells.reserve(static_cast<std::size_t>(share * static_cast<double>(counts[0])));
    Placer placer{*this, own_map() ? maps : fine, numbers, trips, gravity};
    placer.gravity.power = gravity.legs.empty() ? 0 : power;
    // Blocks of neighbours make counting quick (trip_columns.h).
    std::vector<std::uint32_t> ahead = {0};  // depth first: neighbours in the list are neighbours in space
    while (!ahead.empty()) {
      const std::uint32_t at = ahead.back();
      ahead.pop_back();
      // Nothing below an empty box.
      if (counts[at] == 0) continue;
      const CountTree::Node& node = joint.tree.nodes[at];
      for (std::uint32_t c = node.first; c < node.last; ++c) ahead.push_back(c);
      if (node.first != node.last) continue;
      // Inside a leaf the smooth part alone: groups of trips are not believed to go on together down to cells.
      placer.clumping = {joint.tree.below(at).smooth, 0};
      const std::array<Rect, kMaxAxes> rects = rects_of(release.tables[0].box(joint.row_of[at]));
      const std::uint32_t placed = share < 1 ? draw_side(counts[at], share, 0, numbers) : counts[at];
      if (placed == 0) continue;
      placer.place(rects, placed, placer.gravity.power > 0 ? gravity.length(rects) : 0);
    }
    return trips;
  }
};

PosteriorDraws::PosteriorDraws(std::unique_ptr<State> state) : state_(std::move(state)) {}
PosteriorDraws::PosteriorDraws(PosteriorDraws&&) noexcept = default;
PosteriorDraws::~PosteriorDraws() = default;

Result<PosteriorDraws> PosteriorDraws::make(const Release& release) {
  if (release.answer_model != AnswerModel::maps) {
    return Error{Failure::usage, "only a release whose answers use maps can be calibrated"};
  }
  // Several roots would have no common total to draw from.
  if (std::count(release.tables[0].parent.begin(), release.tables[0].parent.end(), -1) != 1) {
    return Error{Failure::usage, "only a release of one tree can be calibrated"};
  }
  auto state = std::make_unique<State>(release);
  state->add_factors();
  state->add_joint();
  return PosteriorDraws(std::move(state));
}

DrawnTrips PosteriorDraws::draw(NumberSequence& numbers, double power, double most) const {
  return state_->draw(numbers, power, most);
}

double PosteriorDraws::most_power() const { return state_->most_power; }

}  // namespace stopover
