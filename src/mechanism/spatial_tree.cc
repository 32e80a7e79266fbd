#include "mechanism/spatial_tree.h"

#include <algorithm>
#include <cmath>

#include "mechanism/cut_steps.h"
#include "mechanism/formulas.h"

namespace stopover {

#define STOPOVER_TREE_PARAMS                                                                                \
  {"height", ParamKind::integer, "0", 0, 64, "levels of the tree; 0: as many as the noisy total pays for"}, \
      {"stop", ParamKind::number, "32", 0, 1e9, "divide no box whose noisy count is below this"},           \
      {"max_partitions", ParamKind::integer,                                                                \
       "4194304",        1,                                                                                 \
       134217728,        "begin no step that would have more boxes than this"}
const ParamSpec kQuadtreeParams[3] = {STOPOVER_TREE_PARAMS};
const ParamSpec kKdParams[5] = {
    STOPOVER_TREE_PARAMS,
    {"median_share", ParamKind::number, "0.3", 0, 0.99, "share of epsilon that finds medians; 0.3 as published"},
    {"max_cuts", ParamKind::integer, "256", 1, 65536, "choose a median among at most this many places, evenly apart"},
};
const ParamSpec kHtfParams[4] = {
    STOPOVER_TREE_PARAMS,
    {"cut_share", ParamKind::number, "0.1", 0, 0.99, "share of epsilon that finds cuts"},
};
#undef STOPOVER_TREE_PARAMS

namespace {

// What one level is made of, top to bottom: cut by medians or at the middles.
struct Levels {
  int count;
  int by_median;
  double median_share;
};

using StepsOf = std::vector<CutStep> (*)(Ticks rest, int d, int height, const Params& params);

// A path pays `choice` for each of its cuts by median and the level's count once: in all choice x cuts + sum of counts
// = rest, exactly.
std::vector<CutStep> steps_of(Ticks rest, int d, const Levels& levels) {
  const int cuts = d * levels.by_median;
  const auto for_medians = cuts == 0 ? Ticks{0} : static_cast<Ticks>(static_cast<double>(rest) * levels.median_share);
  // All medians of a path cost the same. What the division leaves over goes to the counts.
  const Ticks choice = cuts == 0 ? 0 : for_medians / static_cast<Ticks>(cuts);
  // Shares grow by the cube root of how many more boxes a query meets a level down. It minimizes the sum of m_i/e_i^2
  // (m_i boxes of level i in an answer, e_i its budget) for a given sum of e_i: e_i in proportion to m_i^(1/3)
  // (Lagrange).
  const std::vector<Ticks> counts = split_by_weights(rest - choice * static_cast<Ticks>(cuts),
                                                     formulas::level_weights(std::exp2(d - 1), levels.count));
  std::vector<CutStep> steps;
  for (int level = 0; level < levels.count; ++level) {
    const Ticks count = counts[static_cast<std::size_t>(level)];
    if (level >= levels.by_median) {
      steps.push_back({CutStep::Rule::middles, 0, 0, count});
      continue;
    }
    for (int axis = 0; axis < d; ++axis) {
      // Counted after the last axis only: the boxes between stay uncounted, as in the published flattened tree.
      steps.push_back({CutStep::Rule::median, static_cast<std::size_t>(axis), choice, axis + 1 == d ? count : 0});
    }
  }
  return steps;
}

// `levels_of` gives the height from the noisy total and the effective epsilon; `fan_out` is a level's, as a power of
// two.
void plan_tree(Kernel& kernel, const Params& params, Release& release, int fan_out,
               double (*levels_of)(double, double, int), StepsOf steps_for) {
  TreeTable tree(kernel, "joint", all_axes(kernel.domain()), kernel.left());
  Family root = tree.take_root();
  // One hundredth of epsilon tells how large a tree the data pays for. Noisy, so it may be used freely.
  const double n =
      std::max<double>(1, static_cast<double>(tree.count(root, std::max<Ticks>(1, share(root.left(), 1, 100)))[0]));
  const Ticks rest = root.left();
  if (rest > 0) {
    const int d = static_cast<int>(kernel.domain().d());
    const auto most = static_cast<double>(params.integer("max_partitions"));
    const auto given = static_cast<double>(params.integer("height"));
    // From the noisy total and the budget that is left, both public.
    const double wanted = given > 0 ? given : levels_of(n, effective(kernel, rest), d);
    // Not more levels than the boxes allowed: 2^(fan_out x height) <= most.
    const int height = static_cast<int>(std::clamp(std::round(wanted), 0.0, std::floor(std::log2(most) / fan_out)));
    // Without steps the root is counted once more with the rest.
    const std::vector<CutStep> steps = height == 0 ? std::vector<CutStep>() : steps_for(rest, d, height, params);
    StepLimits limits{params.number("stop"), most};
    for (const auto& [name, value] : params.all()) {
      if (name == "max_cuts") limits.max_cuts = static_cast<std::uint32_t>(params.integer(name));
    }
    grow_by_steps(kernel, tree, std::move(root), n, steps, limits);
  }
  release.tables.push_back(std::move(tree).finish());
}

}  // namespace

void plan_quadtree(Kernel& kernel, const Params& params, Release& release) {
  plan_tree(kernel, params, release, static_cast<int>(kernel.domain().d()), formulas::quadtree_height,
            [](Ticks rest, int d, int height, const Params&) { return steps_of(rest, d, {height, 0, 0}); });
}

void plan_kd_tree(Kernel& kernel, const Params& params, Release& release) {
  // All levels by median.
  plan_tree(kernel, params, release, static_cast<int>(kernel.domain().d()), formulas::kd_height,
            [](Ticks rest, int d, int height, const Params& given) {
              return steps_of(rest, d, {height, height, given.number("median_share")});
            });
}

void plan_kd_hybrid(Kernel& kernel, const Params& params, Release& release) {
  plan_tree(kernel, params, release, static_cast<int>(kernel.domain().d()), formulas::quadtree_height,
            [](Ticks rest, int d, int height, const Params& given) {
              // The upper half, rounded up, by median; the lower half at the middles.
              return steps_of(rest, d, {height, (height + 1) / 2, given.number("median_share")});
            });
}

void plan_htf(Kernel& kernel, const Params& params, Release& release) {
  // Two parts a level, one axis after the other.
  plan_tree(kernel, params, release, 1, formulas::htf_height, [](Ticks rest, int d, int height, const Params& given) {
    const auto levels = static_cast<Ticks>(height);
    // One search a level, all at the same price; what rounding leaves goes to the counts.
    const Ticks choice = static_cast<Ticks>(static_cast<double>(rest) * given.number("cut_share")) / levels;
    // The cube root again, with twice as many boxes a level.
    const auto counts = split_by_weights(rest - choice * levels, formulas::level_weights(2, height));
    std::vector<CutStep> steps;
    for (int level = 0; level < height; ++level) {
      steps.push_back({CutStep::Rule::search, static_cast<std::size_t>(level % d), choice,
                       counts[static_cast<std::size_t>(level)]});
    }
    return steps;
  });
}

}  // namespace stopover
