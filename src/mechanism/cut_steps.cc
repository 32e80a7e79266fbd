#include "mechanism/cut_steps.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <optional>

#include "mechanism/formulas.h"

namespace stopover {
namespace {

struct Node {
  Region region;
  std::size_t row;
  double n;      // the newest noisy count
  bool counted;  // n is of this very box
};

struct Outcome {
  std::optional<Family> family;
  std::vector<std::int64_t> counts;  // empty when it was not counted
  Ticks ticks = 0;
  Ticks choice = 0;
  std::vector<Region> regions;  // empty when the family's boxes are leaves
};

bool is_cell(const Box& box) { return box.volume() == 1; }

// REQUIRES: at least two cells, so that both sides have one.
std::uint32_t middle(Interval side) { return side.lo + side.width() / 2; }

std::vector<AxisCut> median_candidates(const Box& box, std::size_t axis, std::uint32_t most) {
  const Interval side = box[axis];
  std::vector<AxisCut> cuts;
  // Most + 1 equal intervals have `most` inner edges: all places to cut, or as many at even distances.
  for (std::uint32_t cut : formulas::equal_cuts(side.lo, side.hi, std::min(side.width(), most + 1))) {
    cuts.push_back({static_cast<std::uint32_t>(axis), cut});
  }
  return cuts;
}

class Steps {
 public:
  Steps(Kernel& kernel, TreeTable& tree, const std::vector<CutStep>& steps, const StepLimits& limits)
      : kernel_(kernel), tree_(tree), steps_(steps), limits_(limits) {}

  // Level by level, so that the number of boxes can be held against its limit before a level is begun.
  void grow(Node root) {
    std::vector<Node> nodes;
    nodes.push_back(std::move(root));
    double leaves = 0;
    for (std::size_t at = 0; !nodes.empty(); ++at) nodes = step(std::move(nodes), at, leaves);
  }

 private:
  bool ends(const Node& node, std::size_t at) const {
    // Decided from what was released before, and from the box: the choice to stop costs nothing.
    return at >= steps_.size() || is_cell(node.region.box()) || (node.counted && node.n < limits_.stop);
  }

  std::vector<Node> step(std::vector<Node> nodes, std::size_t at, double& leaves) {
    double boxes = leaves;
    // What the level would lead to: those that end stay one box.
    for (const Node& node : nodes) boxes += ends(node, at) ? 1 : children_of(node.region.box(), steps_[at]);
    // Too many: all boxes end here, each counted with what it has left.
    const bool over = boxes > limits_.max_partitions;
    std::vector<Outcome> outcomes(nodes.size());
    // Boxes of a level are disjoint, and outcomes are put in order afterwards.
    tbb::parallel_for(std::size_t{0}, nodes.size(), [&](std::size_t i) {
      outcomes[i] = over || ends(nodes[i], at) ? finish(nodes[i]) : divide(nodes[i], at);
    });
    std::vector<Node> next;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      Outcome& outcome = outcomes[i];
      // What a choice cost is no count: it is written down beside the row.
      if (outcome.choice > 0) tree_.add_side_ticks(nodes[i].row, outcome.choice);
      const std::size_t first = tree_.rows();
      const auto parent = static_cast<std::int32_t>(nodes[i].row);
      const bool counted = !outcome.counts.empty();
      // Rows that were not counted have no ticks, and their count means nothing.
      if (!counted) outcome.counts.assign(outcome.regions.size(), 0);
      if (outcome.regions.empty()) {
        tree_.append(*outcome.family, outcome.counts, outcome.ticks, parent);
        leaves += static_cast<double>(outcome.counts.size());
      } else {
        tree_.append(outcome.regions, outcome.counts, outcome.ticks, parent);
      }
      for (std::size_t c = 0; c < outcome.regions.size(); ++c) {
        // A box that was not counted goes on with its parent's count; `counted` keeps it from being stopped by it.
        const double n = counted ? static_cast<double>(outcome.counts[c]) : nodes[i].n;
        next.push_back({std::move(outcome.regions[c]), first + c, n, counted});
      }
    }
    return next;
  }

  static double children_of(const Box& box, const CutStep& step) {
    if (step.rule != CutStep::Rule::middles) return 2;
    double product = 1;
    // A side of one cell is not halved.
    for (std::size_t axis = 0; axis < box.axes(); ++axis) product *= box[axis].width() > 1 ? 2 : 1;
    return product;
  }

  // The same box once more, with all that is left.
  // A leaf must be counted with all that its path has left, or budget would be lost. It is a child of its own box.
  Outcome finish(Node& node) {
    Outcome outcome;
    outcome.family = kernel_.again(std::move(node.region));
    outcome.ticks = outcome.family->left();
    outcome.counts = kernel_.count(*outcome.family, outcome.ticks);
    return outcome;
  }

  Outcome divide(Node& node, std::size_t at) {
    Outcome outcome;
    const Cuts cuts = cuts_of(node.region, steps_[at], outcome.choice);
    outcome.family = kernel_.split(std::move(node.region), cuts);
    const bool last = at + 1 == steps_.size();
    const Ticks left = outcome.family->left();
    // At least one tick is kept for what lies below: every path must end in a count.
    outcome.ticks = last ? left : std::min(steps_[at].count, left - 1);
    if (outcome.ticks > 0) outcome.counts = kernel_.count(*outcome.family, outcome.ticks);
    // Regions are opened only where something is still to come below.
    if (!last) outcome.regions = kernel_.open(std::move(*outcome.family));
    return outcome;
  }

  Cuts cuts_of(Region& region, const CutStep& step, Ticks& paid) {
    const Box box = region.box();
    Cuts cuts(box.axes());
    if (step.rule == CutStep::Rule::middles) {
      for (std::size_t axis = 0; axis < box.axes(); ++axis) {
        if (box[axis].width() > 1) cuts[axis].push_back(middle(box[axis]));
      }
      return cuts;
    }
    std::size_t axis = step.axis;
    // Not a single cell, or the box would have ended: some axis can be cut.
    while (box[axis].width() == 1) axis = (axis + 1) % box.axes();
    // The middle stands unless a better place is paid for.
    cuts[axis].push_back(middle(box[axis]));
    const Ticks price = std::min(step.choice, region.left() - 1);
    // Nothing to pay with, or only one place to cut: the middle.
    if (price == 0 || box[axis].width() == 2) return cuts;
    if (step.rule == CutStep::Rule::median) {
      const std::vector<AxisCut> candidates = median_candidates(box, axis, limits_.max_cuts);
      // Balance: the nearer the two sides are to equal counts, the likelier is the cut. The choice is private, and paid
      // for.
      cuts[axis][0] = candidates[kernel_.choose(region, candidates, Score::balance, price)].cut;
      paid = price;
    } else if (step.rule == CutStep::Rule::search) {
      cuts[axis][0] = search(region, axis, price, paid);
    }
    return cuts;
  }

  // The best of three places again and again, in the third of the range around the one before.
  std::uint32_t search(Region& region, std::size_t axis, Ticks price, Ticks& paid) {
    const auto number = static_cast<std::uint32_t>(axis);
    std::uint32_t lo = region.box()[axis].lo + 1, hi = region.box()[axis].hi - 1;  // both may be cut at
    // The score is not monotone, so this is a search for a good place, not for the best of all.
    std::uint32_t best = lo + (hi - lo) / 2;
    for (int round = 0; round < kSearchRounds && lo < hi; ++round) {
      // The middle of the range below the best so far, that itself, and the middle above it.
      std::array<std::uint32_t, 3> places = {best - (best - lo + 1) / 2, best, best + (hi - best + 1) / 2};
      std::vector<AxisCut> candidates;
      for (std::uint32_t place : places) {
        if (candidates.empty() || candidates.back().cut != place) candidates.push_back({number, place});
      }
      // Every round is one choice, and all cost the same.
      const Ticks ticks = price / kSearchRounds;
      if (candidates.size() == 1 || ticks == 0) break;
      const std::uint32_t found = candidates[kernel_.choose(region, candidates, Score::homogeneity, ticks)].cut;
      paid += ticks;
      // The range shrinks to what lies around the place found, between its neighbours.
      if (found < best) {
        hi = best;
      } else if (found > best) {
        lo = best;
      } else {
        lo = places[0], hi = places[2];
      }
      best = found;
    }
    return best;
  }

  Kernel& kernel_;
  TreeTable& tree_;
  const std::vector<CutStep>& steps_;
  StepLimits limits_;
};

}  // namespace

void grow_by_steps(Kernel& kernel, TreeTable& tree, Family root, double root_count, const std::vector<CutStep>& steps,
                   const StepLimits& limits) {
  // The root was counted by the caller: its count decides whether it is divided at all.
  Region all = std::move(kernel.open(std::move(root))[0]);
  Steps(kernel, tree, steps, limits).grow({std::move(all), 0, root_count, true});
}

}  // namespace stopover
