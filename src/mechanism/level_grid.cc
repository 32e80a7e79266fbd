#include "mechanism/level_grid.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "mechanism/border_cuts.h"
#include "mechanism/formulas.h"
#include "mechanism/mechanism.h"
#include "mechanism/multigrid_estimate.h"
#include "release/consistency.h"
#include "release/stop_map.h"

namespace stopover {
namespace {

constexpr double kRough = 0.5;        // the kappa at which leaf_weight holds
constexpr double kLeastUnlike = 0.3;  // stops are never thought to be more alike than this
constexpr double kMostDivisions = 16;
// For `seek`. Of B equal parts of a box of roughness kappa, about B/(1 + kappa) hold its trips: with 4, three of 16.
// Five deviations: of a hundred empty boxes none reaches them, even by Laplace noise.
constexpr double kFewPlaces = 4, kBeyondDoubt = 5;

// Axis 0 of a pooled view is the number of the stop; the map begins at axis 1.
Box map_box(const Box& box) {
  std::vector<Interval> sides;
  for (std::size_t axis = 1; axis < box.axes(); ++axis) sides.push_back(box[axis]);
  return Box(sides);
}

Interval second(const Box& box) { return box.axes() > 1 ? box[1] : Interval{0, 1}; }

// A box on its way down. Values are means over the stops.
struct Node {
  Region region;
  std::size_t row;
  double n;  // not negative
  double variance;
  double kappa;   // how uneven it is thought to be inside; negative at the root
  double unlike;  // relative variance between the stops
};

// How a node is divided. No cuts: it stays a leaf.
struct Division {
  Cuts cuts;
  bool last = false;                 // its parts are leaves
  bool apart = true;                 // they are counted stop by stop
  Ticks ticks = 0;                   // of their (coarse) counts
  std::vector<std::int64_t> counts;  // [part], or [part * stops + stop]
  std::vector<Region> regions;
};

// Into how many parts a box is divided, and what their counts may cost.
struct Size {
  double parts = 1;
  bool last = false;
  double share = 1;  // of what is left, for the parts' counts
};

// `wanted` leaves in all. Large boxes get there in several levels: what is learned at one says where the next is worth
// its budget. In few places: most parts will be empty, so that as many as can be are made.
Size size_for(double wanted, double area, double least_share, bool in_few_places) {
  Size size;
  // One leaf, or one cell: stays whole.
  if (wanted < 2 || area < 2) return size;
  // Four leaves or fewer are made at once, and so are the cells of a box of 16: a further level would only cost budget.
  size.last = wanted <= 4 || area <= kMostDivisions;
  if (size.last) {
    // All cells one by one where that many leaves are wanted; else as many as are wanted, but at least two.
    size.parts = area <= std::min(wanted, kMostDivisions) ? area : std::max(2.0, std::min(wanted, area));
  } else {
    // About half of what is wanted, 4 to 16 parts: another level is to come.
    size.parts = in_few_places ? kMostDivisions : std::min(kMostDivisions, std::max(4.0, wanted / 2));
    // The more levels are still to come, the smaller this one's part of the budget.
    size.share = std::clamp(0.8 * std::pow(wanted, -0.27), least_share, 0.5);
  }
  return size;
}

// At most `parts` equal boxes, the axis with the longer side a part growing first; cuts go to borders near them. Axis 0
// (the stop) stays whole.
Cuts equal_parts(const Box& box, double parts, const Borders* borders) {
  std::vector<std::uint32_t> m(box.axes(), 1);
  // Greedy: the parts' longest side is cut once more as long as the product stays within `parts`.
  for (;;) {
    std::size_t grow = 0;
    // Sides of one cell are not cut.
    double longest = 1;
    for (std::size_t axis = 1; axis < box.axes(); ++axis) {
      // In cells, so that parts come out as square as can be.
      const double side = static_cast<double>(box[axis].width()) / m[axis];
      if (side > longest && m[axis] < box[axis].width()) {
        longest = side;
        grow = axis;
      }
    }
    if (grow == 0) break;
    double product = 1;
    for (std::size_t axis = 1; axis < box.axes(); ++axis) product *= m[axis] + (axis == grow ? 1 : 0);
    if (product > parts) break;
    ++m[grow];
  }
  Cuts cuts(1);
  for (std::size_t axis = 1; axis < box.axes(); ++axis) {
    cuts.push_back(formulas::equal_cuts(box[axis].lo, box[axis].hi, m[axis]));
    if (borders != nullptr)
      cuts[axis] = border_cuts(*borders, box[1], box[2], static_cast<int>(axis - 1), std::move(cuts[axis]));
  }
  return cuts;
}

class LevelGrid {
 public:
  LevelGrid(Kernel& kernel, const GridRules& rules) : kernel_(kernel), rules_(rules) {}

  GridCounts run(Region root, double total, double total_variance) {
    const Box box = map_box(root.box());
    // The root's own first axis tells how many stops are pooled.
    out_.stops = root.box()[0].width();
    out_.total = total;
    out_.total_variance = total_variance;
    stops_ = static_cast<double>(out_.stops);
    width_ = box[0].hi;
    height_ = second(box).hi;
    for (std::size_t axis = 0; axis < box.axes(); ++axis) out_.tree.axes.push_back(axis);
    out_.tree.lo.resize(box.axes());
    out_.tree.hi.resize(box.axes());
    // The root row has no count; the total is known from elsewhere.
    add_row(box, -1, true, 0, {}, 1);
    std::vector<Node> nodes;
    // kappa = -1 marks the root: nothing is known of how uneven it is.
    if (root.left() > 0) nodes.push_back({std::move(root), 0, total, total_variance, -1, 1});
    // Breadth first. All decisions of a level are made before any of its counts is taken, from earlier levels alone.
    while (!nodes.empty()) nodes = divide_level(std::move(nodes));
    return std::move(out_);
  }

 private:
  double noise(Ticks ticks) const { return noise_variance(effective(kernel_, ticks)); }
  double mean_noise(const Division& division) const {
    // Of the mean over stops. Apart: the mean of that many independent counts. Together: one count of the sum, divided
    // by stops, so the variance falls by their square.
    return noise(division.ticks) / (division.apart ? stops_ : stops_ * stops_);
  }

  void add_row(const Box& box, std::int32_t parent, bool apart, Ticks ticks, std::vector<std::int64_t> counts,
               double unlike) {
    out_.tree.append(box, parent, 0, ticks, 0);
    out_.apart.push_back(apart);
    out_.counts.push_back(std::move(counts));
    out_.coarse.emplace_back();
    out_.unlike.push_back(unlike);
  }

  Division decide(const Node& node) const {
    Division division;
    const Ticks left = node.region.left();
    // n r/c leaves hold c/r trips each on average. The noise of a count bought with all of r has a deviation near
    // sqrt(2)/r, so that is c/sqrt(2) deviations: c says how far a leaf stands out of its noise.
    const double r = effective(kernel_, left);
    const double area = static_cast<double>(map_box(node.region.box()).volume());
    double c = rules_.leaf_weight;
    if (node.kappa >= 0) {
      // A smooth map is well described by large leaves. kappa is a squared relative departure, its root is how rough
      // the map is: leaves grow in inverse proportion.
      c = std::clamp(c * std::sqrt(kRough / std::max(node.kappa, 1e-9)), rules_.least_weight, rules_.most_weight);
    }
    // A quiet box with a few busy places: every level costs its trips a third of the budget or more, and halving sides
    // would take four of them to get from a quarter of the map to a street.
    const bool few = rules_.seek && node.kappa > kFewPlaces && node.n > kBeyondDoubt * std::sqrt(node.variance);
    Size size = size_for(node.n * r / c, area, rules_.least_share, few);
    if (out_.stops > 1 && node.kappa >= 0) {
      // Worth telling the stops apart: what they differ by in a part, against the noise of a count.
      // Trips of one stop in a part, times the budget of its count: r share n/B. Stops differ by a variance of unlike
      // (n/B)^2, and the noise has 2/(r share)^2; their ratio is the left side below.
      const double a_part = node.n / std::max(2.0, size.parts) * r * size.share;
      division.apart = std::max(kLeastUnlike, node.unlike) * a_part * a_part / 2 >= 1 + 1 / stops_;
      // Together a count holds the points of all S stops for the same noise, so more leaves stand out.
      if (!division.apart) size = size_for(stops_ * node.n * r / c, area, rules_.least_share, few);
    }
    // No cuts: the node stays a leaf.
    if (size.parts < 2) return division;
    division.last = size.last;
    division.cuts = equal_parts(node.region.box(), size.parts, rules_.borders);
    // At least one tick, so that a count is possible; never more than the path has left.
    division.ticks = std::clamp<Ticks>(static_cast<Ticks>(static_cast<double>(left) * size.share), 1, left);
    // Leaves get all that is left: nothing is counted below them.
    if (size.last) division.ticks = left;
    return division;
  }

  void measure(Node& node, Division& division) {
    if (division.cuts.empty()) return;
    const Ticks left = node.region.left();
    Family family = kernel_.split(std::move(node.region), division.cuts);
    // Gradually: a coarse count at division.ticks now. The rest of `left` refines it if the part stays a leaf, and is
    // not spent twice.
    if (!division.last) {
      division.counts = kernel_.count_gradually(family, division.ticks, left, division.apart ? 0 : Kernel::kWhole);
    } else {
      division.counts =
          division.apart ? kernel_.count_by(family, 0, division.ticks) : kernel_.count(family, division.ticks);
    }
    division.regions = kernel_.open(std::move(family));
  }

  std::vector<Node> divide_level(std::vector<Node> nodes) {
    std::vector<Division> divisions;
    divisions.reserve(nodes.size());
    // At most 16 parts a node.
    const bool room = out_.tree.rows() + 16 * nodes.size() < rules_.most_rows;
    for (const Node& node : nodes) divisions.push_back(room ? decide(node) : Division{});
    // The map as it was thought to be before this level says how a node's trips divide among its parts.
    std::optional<StopMap> before;
    if (nodes[0].kappa >= 0) before = map_of(nodes, divisions);
    // Regions of one level are disjoint, so they can be measured side by side.
    tbb::parallel_for(std::size_t{0}, nodes.size(), [&](std::size_t i) { measure(nodes[i], divisions[i]); });

    std::vector<std::pair<std::size_t, std::size_t>> opened;  // (node, first row of its parts)
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Division& division = divisions[i];
      // Not divided after this level. It enters later maps as one box with what was thought of it, even if its parts
      // are counted now.
      if (division.cuts.empty() || division.last) {
        const Box box = out_.tree.box(nodes[i].row);
        done_.push_back({box[0], second(box), nodes[i].n});
      }
      if (division.cuts.empty()) {
        settle(nodes[i]);
        continue;
      }
      // Only these are believed further; the parts of the others are leaves.
      if (!division.last) opened.emplace_back(i, out_.tree.rows());
      const std::size_t per_part = division.apart ? out_.stops : 1;
      for (std::size_t c = 0; c < division.regions.size(); ++c) {
        const auto at = division.counts.begin() + static_cast<std::ptrdiff_t>(c * per_part);
        add_row(map_box(division.regions[c].box()), static_cast<std::int32_t>(nodes[i].row), division.apart,
                division.ticks, {at, at + static_cast<std::ptrdiff_t>(per_part)}, nodes[i].unlike);
      }
    }
    return believe_level(nodes, divisions, opened, before);
  }

  // What is thought of the parts that may be divided again.
  std::vector<Node> believe_level(std::vector<Node>& nodes, std::vector<Division>& divisions,
                                  const std::vector<std::pair<std::size_t, std::size_t>>& opened,
                                  const std::optional<StopMap>& before) {
    std::vector<LevelFamily> families;
    for (const auto& [i, first] : opened) {
      // Values are means over stops, so their noise is mean_noise.
      LevelFamily family{nodes[i].n, nodes[i].variance, mean_noise(divisions[i]), {}, {}, {}};
      for (std::size_t c = 0; c < divisions[i].regions.size(); ++c) {
        const Box box = out_.tree.box(first + c);
        const double area = static_cast<double>(box.volume());
        family.counts.push_back(out_.mean(first + c));
        family.areas.push_back(area);
        // At the first level there is no map yet: evenly by area.
        family.expected.push_back(before ? std::max(0.0, before->mass(box[0], second(box))) : area);
      }
      families.push_back(std::move(family));
    }
    // Of the mean over stops: n, its variance, and how uneven the ground is (multigrid_estimate.cc).
    const std::vector<std::vector<NextBelief>> beliefs = believe(families, previous_kappa_);
    const std::vector<double> unlike = unlikeness(nodes, divisions, opened, families);
    std::vector<Node> next;
    for (std::size_t f = 0; f < opened.size(); ++f) {
      const auto [i, first] = opened[f];
      for (std::size_t c = 0; c < divisions[i].regions.size(); ++c) {
        const NextBelief& belief = beliefs[f][c];
        out_.unlike[first + c] = unlike[f];
        next.push_back(
            {std::move(divisions[i].regions[c]), first + c, belief.n, belief.variance, belief.kappa, unlike[f]});
      }
    }
    return next;
  }

  // How unlike the stops are in each opened family beyond noise and sampling, drawn towards the whole level's. A family
  // counted together says nothing about it and inherits.
  std::vector<double> unlikeness(const std::vector<Node>& nodes, const std::vector<Division>& divisions,
                                 const std::vector<std::pair<std::size_t, std::size_t>>& opened,
                                 const std::vector<LevelFamily>& families) const {
    std::vector<double> result(opened.size(), 0.0);
    if (out_.stops == 1) return result;
    std::vector<std::pair<double, double>> own(opened.size());
    double level_misfit = 0, level_base = 0;
    for (std::size_t f = 0; f < opened.size(); ++f) {
      const auto [i, first] = opened[f];
      if (!divisions[i].apart) continue;
      // The noise of one stop's count. A family's counts, y of S stops about their mean: E sum (y - mean)^2/(S - 1) =
      // noise + chance (mean, as of Poisson variables) + unlike mean^2. By moments, as kappa is.
      const double each = noise(divisions[i].ticks);
      for (std::size_t c = 0; c < families[f].counts.size(); ++c) {
        const double mean = families[f].counts[c];
        double squares = 0;
        for (std::int64_t y : out_.counts[first + c])
          squares += (static_cast<double>(y) - mean) * (static_cast<double>(y) - mean);
        own[f].first += squares / (stops_ - 1) - each - std::max(0.0, mean);
        // The mean's own noise has the variance each/S; taken off, this is unbiased for the squared true mean.
        own[f].second += mean * mean - each / stops_;
      }
      level_misfit += own[f].first;
      level_base += own[f].second;
    }
    // A ratio of sums over the level, cut off at 0.
    const double level = level_base > 0 ? std::max(0.0, level_misfit / level_base) : kLeastUnlike;
    for (std::size_t f = 0; f < opened.size(); ++f) {
      const std::size_t i = opened[f].first;
      // Drawn towards the level's value as strongly as four times the noise of all parts: as in believe().
      const double prior = 4 * static_cast<double>(families[f].counts.size()) * noise(divisions[i].ticks);
      result[f] = divisions[i].apart
                      ? std::max(0.0, (own[f].first + prior * level) / (std::max(0.0, own[f].second) + prior))
                      : nodes[i].unlike;
    }
    return result;
  }

  // A node that stays a leaf: its refined counts take the place of the coarse ones. The root has none and is counted.
  void settle(Node& node) {
    const Ticks left = node.region.left();
    if (left == 0) return;
    if (node.kappa < 0) {
      const Box box = map_box(node.region.box());
      Family again = kernel_.again(std::move(node.region));
      add_row(box, 0, true, left, kernel_.count_by(again, 0, left), 1);
    } else {
      // The refined count contains all that the coarse one said. It takes its place, at the budget of both.
      out_.coarse[node.row] = std::exchange(out_.counts[node.row], kernel_.reveal(node.region));
      out_.tree.refine(node.row, 0, left);
    }
  }

  // The map of what is thought so far, smooth where it will be asked: in nodes that are divided.
  StopMap map_of(const std::vector<Node>& nodes, const std::vector<Division>& divisions) const {
    // Boxes that are not divided come first and stay even; those that are divided are smoothed (SmoothFrom).
    std::vector<StopMap::Leaf> leaves = done_, open;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Box& box = nodes[i].region.box();
      const bool divided = !divisions[i].cuts.empty() && !divisions[i].last;
      (divided ? open : leaves).push_back({box[1], box.axes() > 2 ? box[2] : Interval{0, 1}, nodes[i].n});
    }
    const std::size_t even = leaves.size();
    leaves.insert(leaves.end(), open.begin(), open.end());
    return StopMap(width_, height_, leaves, StopMap::SmoothFrom{even});
  }

  Kernel& kernel_;
  GridRules rules_;
  double stops_ = 1;
  std::uint32_t width_ = 0, height_ = 0;
  double previous_kappa_ = -1;
  std::vector<StopMap::Leaf> done_;  // boxes that will not be divided further, as they were thought of
  GridCounts out_;
};

}  // namespace

double GridCounts::mean(std::size_t row) const {
  double sum = 0;
  for (std::int64_t count : counts[row]) sum += static_cast<double>(count);
  return sum / static_cast<double>(stops);
}

void GridCounts::append_to(Table& table, std::size_t row, std::size_t stop) const {
  const Box box = tree.box(row);
  const Ticks ticks = tree.row_ticks[row];
  if (!apart[row]) {
    // One count for all stops together: what it cost, and no count of this stop's own.
    table.append(box, tree.parent[row], 0, 0, ticks);
  } else if (coarse[row].empty()) {
    table.append(box, tree.parent[row], counts[row][stop], ticks, 0);
  } else {
    const Ticks first = tree.coarse_ticks[row];
    table.refine(table.append(box, tree.parent[row], coarse[row][stop], first, 0), counts[row][stop], ticks - first);
  }
}

GridCounts measure_grid(Kernel& kernel, Region root, double total, double total_variance, const GridRules& rules) {
  return LevelGrid(kernel, rules).run(std::move(root), total, total_variance);
}

}  // namespace stopover
