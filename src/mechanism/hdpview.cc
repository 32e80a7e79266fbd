#include "mechanism/hdpview.h"

#include <algorithm>
#include <cmath>

#include "mechanism/formulas.h"
#include "mechanism/tree_table.h"

namespace stopover {

const ParamSpec kHdpviewParams[5] = {
    {"ratio", ParamKind::number, "0.9", 0.01, 0.99, "share of epsilon that divides; the rest counts leaves"},
    {"gamma", ParamKind::number, "0.9", 0.01, 0.99, "share of the dividing part that says where to stop"},
    {"beta", ParamKind::number, "1.2", 0.01, 10, "cuts are chosen on the first beta*log2(cells) levels, then random"},
    {"max_cuts", ParamKind::integer, "256", 1, 65536, "choose among at most this many places an axis, evenly apart"},
    {"max_partitions", ParamKind::integer, "4194304", 1, 134217728,
     "begin no level that could have more leaves than this"},
};

namespace {

std::vector<AxisCut> candidates_in(const Box& box, std::uint32_t max_cuts) {
  std::vector<AxisCut> candidates;
  for (std::uint32_t axis = 0; axis < box.axes(); ++axis) {
    const Interval side = box[axis];
    for (std::uint32_t cut : formulas::equal_cuts(side.lo, side.hi, std::min(side.width(), max_cuts + 1))) {
      candidates.push_back({axis, cut});
    }
  }
  return candidates;
}

std::uint64_t below(std::uint64_t word, std::uint64_t bound) {
  return static_cast<std::uint64_t>((static_cast<u128>(word) * bound) >> 64);
}

AxisCut random_cut(Kernel& kernel, Region& region) {
  std::vector<std::uint32_t> axes;
  for (std::uint32_t axis = 0; axis < region.box().axes(); ++axis) {
    if (region.box()[axis].width() > 1) axes.push_back(axis);
  }
  const std::vector<std::uint64_t> words = kernel.public_coin(region, 2);
  const std::uint32_t axis = axes[below(words[0], axes.size())];
  const Interval side = region.box()[axis];
  return {axis, side.lo + 1 + static_cast<std::uint32_t>(below(words[1], side.width() - 1))};
}

}  // namespace

void plan_hdpview(Kernel& kernel, const Params& params, Release& release) {
  const Ticks all = kernel.left();
  Table table = joint_table(kernel, TableKind::partition, all);
  Family root = kernel.view("joint", table.axes, all);
  if (all < 2) {  // too little to share
    table.append(root.box(0), -1, kernel.count(root, all)[0], all, 0);
    release.tables.push_back(std::move(table));
    return;
  }
  const auto part = [](Ticks ticks, double share_of_it) {
    return static_cast<Ticks>(static_cast<double>(ticks) * share_of_it);
  };
  const Ticks dividing = std::clamp<Ticks>(part(all, params.number("ratio")), 1, all - 1);
  const Ticks leaf_ticks = all - dividing;
  const Ticks stopping = std::clamp<Ticks>(part(dividing, params.number("gamma")), 1, dividing);
  const double log_cells = std::log2(static_cast<double>(kernel.domain().volume()));
  const auto levels = static_cast<std::uint32_t>(std::max(1.0, std::ceil(params.number("beta") * log_cells)));
  const Ticks cut_ticks = (dividing - stopping) / levels;
  const auto threshold = static_cast<std::uint64_t>(std::min(1 / effective(kernel, leaf_ticks), 1e18));
  const auto max_cuts = static_cast<std::uint32_t>(params.integer("max_cuts"));

  const auto cut_of = [&](Region& region) {
    if (region.depth() >= levels || cut_ticks == 0) return random_cut(kernel, region);
    const std::vector<AxisCut> candidates = candidates_in(region.box(), max_cuts);
    if (candidates.size() == 1) return candidates[0];
    return candidates[kernel.choose(region, candidates, Score::homogeneity, cut_ticks)];
  };
  Grown grown = kernel.grow_by_error(std::move(kernel.open(std::move(root))[0]), stopping, threshold, cut_of,
                                     params.integer("max_partitions"));
  append_grown(kernel, table, std::move(grown), leaf_ticks, stopping);
  release.tables.push_back(std::move(table));
}

}  // namespace stopover
