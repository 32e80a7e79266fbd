#include "mechanism/daf.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mechanism/formulas.h"
#include "mechanism/tree_table.h"

namespace stopover {

#define STOPOVER_DAF_PARAMS                                                                              \
  {"axis_order", ParamKind::axes, "", 0, 0, "the order in which axes are divided"},                      \
      {"stop", ParamKind::number,                                                                        \
       "1",    0,                                                                                        \
       1e9,    "stop dividing where noisy count * epsilon left / sqrt(2) is below this"},                \
      {"min_side", ParamKind::integer, "1", 1, 2147483648.0, "no box is narrower than this many cells"}, \
      {"max_partitions", ParamKind::integer,                                                             \
       "4194304",        1,                                                                              \
       134217728,        "stop dividing when the leaves would be more than this"}
const ParamSpec kDafEntropyParams[4] = {STOPOVER_DAF_PARAMS};
const ParamSpec kDafHomogeneityParams[6] = {
    STOPOVER_DAF_PARAMS,
    {"candidates", ParamKind::integer, "8", 1, 64, "how many sets of cuts the kernel picks from (the paper's p)"},
    {"q", ParamKind::number, "0.3", 0.01, 0.99, "share of a node's budget that pays for picking the cuts"},
};
#undef STOPOVER_DAF_PARAMS

namespace {

constexpr double kSqrt2 = 1.4142135623730951;

struct DafRules {
  std::vector<std::size_t> axis_order;
  double stop;
  std::uint64_t min_side;
  double max_partitions;
  std::size_t candidates = 0;  // 0: cut evenly
  double q = 0;
};

// A region on its way down, counted as n in row `row`.
struct Node {
  Region region;
  std::size_t row;
  double n;
};

// What became of a node.
struct Outcome {
  std::optional<Family> family;
  std::vector<std::int64_t> counts;
  Ticks ticks = 0;
  Ticks choice_ticks = 0;
  std::vector<Region> regions;  // empty when the family's boxes are leaves
};

class Daf {
 public:
  Daf(Kernel& kernel, DafRules rules) : kernel_(kernel), rules_(std::move(rules)) {}

  Table grow() {
    TreeTable tree(kernel_, "joint", all_axes(kernel_.domain()), kernel_.left());
    Family root = tree.take_root();
    // A hundredth, at least one tick. It pays for the count and, with daf-homogeneity, for choosing the root's cuts.
    const Ticks root_share = std::max<Ticks>(1, share(root.left(), 1, 100));
    const double n = std::max<double>(1, static_cast<double>(tree.count(root, count_part(root_share))[0]));
    if (root.left() == 0) return std::move(tree).finish();
    const int d = static_cast<int>(rules_.axis_order.size());
    // m0 is derived with all that is left once the root's whole share, selection included, is spent.
    const double m0 = formulas::ebp(n, effective(kernel_, kernel_.epsilon() - root_share), d);
    // Shares of the levels grow as m0^(i/3). If an answer adds up m0 times as many boxes a level down, the cube root
    // minimizes its variance, as in spatial_tree.cc.
    level_shares_ = split_by_weights(kernel_.epsilon() - root_share, formulas::daf_level_weights(m0, d));
    // What a node pays for its cuts is taken from its own level's share, so a path never spends more than its shares.
    choice_share_.assign(1, root_share - count_part(root_share));
    for (Ticks level : level_shares_) choice_share_.push_back(level - count_part(level));

    std::vector<Node> nodes;
    nodes.push_back({std::move(kernel_.open(std::move(root))[0]), 0, n});
    double leaves = 0;
    for (int level = 0; level < d && !nodes.empty(); ++level)
      nodes = divide_level(tree, std::move(nodes), level, leaves);
    return std::move(tree).finish();
  }

 private:
  Ticks count_part(Ticks share_of_node) const {
    if (rules_.candidates == 0) return share_of_node;
    // The part q of a node's budget chooses its cuts, but one tick is always left for the count.
    const Ticks choice = static_cast<Ticks>(static_cast<double>(share_of_node) * rules_.q);
    return share_of_node - std::min(choice, share_of_node - 1);
  }

  // How many intervals the axis of this level is divided into at a node; 0 when the node stops.
  std::uint32_t fan_out(const Node& node, int level) const {
    // Everything that is left on the path: what the leaves below could be counted with.
    const double e = effective(kernel_, node.region.left());
    // sqrt(2)/e is the standard deviation of such a count. A node that does not stand out of it is not divided.
    if (node.n * e / kSqrt2 < rules_.stop) return 0;
    const std::uint32_t width = node.region.box()[rules_.axis_order[static_cast<std::size_t>(level)]].width();
    // Not more intervals than there are sides of min_side.
    const auto most = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, width / rules_.min_side));
    // EBP for the axes that are still to be divided, this one included.
    const int axes_left = static_cast<int>(rules_.axis_order.size()) - level;
    return formulas::intervals(formulas::ebp(node.n, e, axes_left), most);
  }

  std::vector<Node> divide_level(TreeTable& tree, std::vector<Node> nodes, int level, double& leaves) {
    // All fan-outs are decided before anything of the level is counted, so that the limit can be checked.
    const bool last = level + 1 == static_cast<int>(rules_.axis_order.size());
    std::vector<std::uint32_t> fan_outs(nodes.size());
    double boxes = leaves;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      fan_outs[i] = fan_out(nodes[i], level);
      boxes += std::max(1u, fan_outs[i]);
    }
    // All nodes stop, not some of them: which ones would depend on their order.
    if (boxes > rules_.max_partitions) std::fill(fan_outs.begin(), fan_outs.end(), 0);

    std::vector<Outcome> outcomes(nodes.size());
    tbb::parallel_for(std::size_t{0}, nodes.size(), [&](std::size_t i) {
      if (fan_outs[i] == 1 && !last) return;  // nothing to cut: the node goes on to the next axis with its budget
      outcomes[i] = divide(nodes[i], fan_outs[i], level, last);
    });

    std::vector<Node> next;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      Outcome& outcome = outcomes[i];
      if (!outcome.family) {
        next.push_back(std::move(nodes[i]));
        continue;
      }
      // The cost of a choice is written beside the row it was made for.
      if (outcome.choice_ticks > 0) tree.add_side_ticks(nodes[i].row, outcome.choice_ticks);
      const std::size_t first = tree.rows();
      const auto parent = static_cast<std::int32_t>(nodes[i].row);
      // Leaves, or nothing is left to divide their boxes with.
      if (outcome.regions.empty()) {
        tree.append(*outcome.family, outcome.counts, outcome.ticks, parent);
        leaves += static_cast<double>(outcome.counts.size());
      } else {
        tree.append(outcome.regions, outcome.counts, outcome.ticks, parent);
      }
      for (std::size_t c = 0; c < outcome.regions.size(); ++c) {
        next.push_back({std::move(outcome.regions[c]), first + c, static_cast<double>(outcome.counts[c])});
      }
    }
    return next;
  }

  Outcome divide(Node& node, std::uint32_t fan_out, int level, bool last) {
    Outcome outcome;
    const std::size_t axis = rules_.axis_order[static_cast<std::size_t>(level)];
    // Leaves are counted with all that is left on the path, so every path spends its whole budget.
    const bool leaf = last || fan_out == 0;
    Cuts cuts(axis + 1);
    if (fan_out > 1) cuts[axis] = choose_cuts(node.region, axis, fan_out, level, outcome.choice_ticks);
    // No cuts: the family is the same box once more, to be counted with the rest.
    outcome.family = kernel_.split(std::move(node.region), cuts);
    outcome.ticks = leaf ? outcome.family->left() : count_part(level_shares_[static_cast<std::size_t>(level)]);
    // Rounded shares may be 0, or more than is left.
    outcome.ticks = std::clamp<Ticks>(outcome.ticks, 1, outcome.family->left());
    outcome.counts = kernel_.count(*outcome.family, outcome.ticks);
    if (!leaf && outcome.family->left() > 0) outcome.regions = kernel_.open(std::move(*outcome.family));
    return outcome;
  }

  std::vector<std::uint32_t> choose_cuts(Region& region, std::size_t axis, std::uint32_t m, int level, Ticks& paid) {
    const Interval side = region.box()[axis];
    // The cuts of daf-entropy, and the centres of the random ones.
    const std::vector<std::uint32_t> even = formulas::equal_cuts(side.lo, side.hi, m);
    const Ticks price = choice_share_[static_cast<std::size_t>(level)];
    // daf-entropy; or no budget for a choice that would leave something for counts.
    if (rules_.candidates == 0 || price == 0 || price >= region.left()) return even;
    // A coin that is public: candidates do not depend on the data, so only the choice among them costs.
    const std::vector<std::uint64_t> words = kernel_.public_coin(region, rules_.candidates * even.size());
    std::vector<std::vector<std::uint32_t>> candidates;
    for (std::size_t p = 0; p < rules_.candidates; ++p) {
      candidates.push_back(random_cuts(side, m, std::span(words).subspan(p * even.size(), even.size())));
    }
    // Equal candidates would have more than one chance: each is kept once.
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    // With one candidate there is nothing to choose, and nothing to pay.
    if (candidates.size() == 1) return candidates[0];
    paid = price;
    return candidates[kernel_.choose(region, axis, candidates, Score::homogeneity, price)];
  }

  // Cut j uniform over the whole cells within half an interval of the j-th even cut; equal cuts merge, and cuts that
  // would leave less than the smallest side fall out.
  std::vector<std::uint32_t> random_cuts(Interval side, std::uint32_t m, std::span<const std::uint64_t> words) const {
    std::vector<std::uint32_t> cuts;
    // Windows of neighbouring cuts touch, but do not overlap.
    const double interval = static_cast<double>(side.width()) / m;
    for (std::uint32_t j = 1; j < m; ++j) {
      const double centre = side.lo + j * interval;
      const auto from = static_cast<std::uint32_t>(std::max<double>(side.lo + 1, std::ceil(centre - interval / 2)));
      const auto to = static_cast<std::uint32_t>(std::min<double>(side.hi - 1, std::floor(centre + interval / 2)));
      const std::uint64_t choices = to >= from ? to - from + 1 : 1;
      // The upper half of a 128-bit product: uniform over `choices`, but for a bias below choices/2^64.
      cuts.push_back(from + static_cast<std::uint32_t>((static_cast<u128>(words[j - 1]) * choices) >> 64));
    }
    std::sort(cuts.begin(), cuts.end());
    std::vector<std::uint32_t> kept;
    for (std::uint32_t cut : cuts) {
      const std::uint32_t previous = kept.empty() ? side.lo : kept.back();
      // Left to right; equal cuts fall out, as they leave a side of 0.
      if (cut - previous >= rules_.min_side && side.hi - cut >= rules_.min_side) kept.push_back(cut);
    }
    return kept;
  }

  Kernel& kernel_;
  DafRules rules_;
  std::vector<Ticks> level_shares_;  // [i]: of the nodes at depth i + 1
  std::vector<Ticks> choice_share_;  // [i]: what a node at depth i may pay for choosing its cuts
};

DafRules common_rules(const Kernel& kernel, const Params& params) {
  return {params.axes("axis_order", kernel.domain().d()), params.number("stop"), params.integer("min_side"),
          static_cast<double>(params.integer("max_partitions"))};
}

}  // namespace

Status check_daf(const Params& params, const Domain& domain) {
  if (params.axes("axis_order", domain.d()).size() == domain.d()) return {};
  return Error{Failure::usage, "axis_order must name each of the " + std::to_string(domain.d()) + " axes once" +
                                   "\n  Write their numbers from 0 joined by commas, such as 1,0."};
}

void plan_daf_entropy(Kernel& kernel, const Params& params, Release& release) {
  release.tables.push_back(Daf(kernel, common_rules(kernel, params)).grow());
}

void plan_daf_homogeneity(Kernel& kernel, const Params& params, Release& release) {
  DafRules rules = common_rules(kernel, params);
  rules.candidates = params.integer("candidates");
  rules.q = params.number("q");
  release.tables.push_back(Daf(kernel, std::move(rules)).grow());
}

}  // namespace stopover
