#include "mechanism/multigrid.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mechanism/formulas.h"
#include "mechanism/multigrid_estimate.h"
#include "mechanism/tree_table.h"
#include "release/consistency.h"
#include "release/stop_map.h"

namespace stopover {

const ParamSpec kMultigridParams[2] = {
    {"leaf_weight", ParamKind::number, "2.5", 0.1, 1000, "trips times epsilon a leaf should hold where the map is rough"},
    {"max_partitions", ParamKind::integer, "1048576", 16, 134217728, "stop dividing when the boxes would be more than this"},
};

namespace {

constexpr double kRootShare = 0.005;
constexpr double kRough = 0.5;  // the kappa at which leaf_weight holds

// A box on its way down.
struct Node {
  Region region;
  std::size_t row;
  double n;         // what is thought to lie in it; not negative
  double variance;
  double kappa;     // how uneven it is thought to be inside; negative at the root
};

// How a node is divided.
struct Division {
  Cuts cuts;
  bool last = false;  // its parts are leaves
  Ticks ticks = 0;    // of the parts' (coarse) counts
  std::optional<Family> family;
  std::vector<std::int64_t> counts;
  std::vector<Region> regions;
};

class Multigrid {
 public:
  Multigrid(Kernel& kernel, const Params& params)
      : kernel_(kernel), leaf_weight_(params.number("leaf_weight")), most_(params.integer("max_partitions")) {}

  Table run() {
    TreeTable tree(kernel_, "joint", all_axes(kernel_.domain()), kernel_.left());
    Family root = tree.take_root();
    const Ticks root_ticks = std::max<Ticks>(1, static_cast<Ticks>(static_cast<double>(root.left()) * kRootShare));
    const double n = std::max<double>(1, static_cast<double>(tree.count(root, root_ticks)[0]));
    std::vector<Node> nodes;
    if (root.left() > 0) {
      nodes.push_back({std::move(kernel_.open(std::move(root))[0]), 0, n, noise(root_ticks), -1});
    }
    while (!nodes.empty()) nodes = divide_level(tree, std::move(nodes));
    Table table = std::move(tree).finish();
    finish_multigrid(table, 1.0 / (1e9 * kernel_.k()));
    return table;
  }

 private:
  double noise(Ticks ticks) const { return noise_variance(effective(kernel_, ticks)); }

  static double cells(const Box& box) { return static_cast<double>(box.volume()); }

  // Parts an axis for at most `parts` equal boxes, the axis with the longer side a part growing first.
  static Cuts grid(const Box& box, double parts) {
    std::vector<std::uint32_t> m(box.axes(), 1);
    for (;;) {
      std::size_t grow = box.axes();
      double longest = 1;
      for (std::size_t axis = 0; axis < box.axes(); ++axis) {
        const double side = static_cast<double>(box[axis].width()) / m[axis];
        if (side > longest && m[axis] < box[axis].width()) {
          longest = side;
          grow = axis;
        }
      }
      if (grow == box.axes()) break;
      double product = 1;
      for (std::size_t axis = 0; axis < box.axes(); ++axis) product *= m[axis] + (axis == grow ? 1 : 0);
      if (product > parts) break;
      ++m[grow];
    }
    Cuts cuts;
    for (std::size_t axis = 0; axis < box.axes(); ++axis) {
      cuts.push_back(formulas::equal_cuts(box[axis].lo, box[axis].hi, m[axis]));
    }
    return cuts;
  }

  // No cuts: the node stays a leaf.
  Division decide(const Node& node) const {
    Division division;
    const Ticks left = node.region.left();
    const double r = effective(kernel_, left);
    const double area = cells(node.region.box());
    double c = leaf_weight_;
    if (node.kappa >= 0) {
      c = std::clamp(leaf_weight_ * std::sqrt(kRough / std::max(node.kappa, 1e-9)), 0.8 * leaf_weight_, 16 * leaf_weight_);
    }
    const double wanted = node.n * r / c;
    if (wanted < 2 || area < 2) return division;
    division.last = wanted <= 4 || area <= 16;
    double parts = std::min(16.0, std::max(4.0, wanted / 2));
    if (division.last) parts = area <= std::min(wanted, 16.0) ? area : std::max(2.0, std::min(wanted, area));
    division.cuts = grid(node.region.box(), parts);
    division.ticks = left;
    if (!division.last) {
      const double share = std::min(0.5, 0.8 * std::pow(wanted, -0.27));
      division.ticks = std::clamp<Ticks>(static_cast<Ticks>(static_cast<double>(left) * share), 1, left);
    }
    return division;
  }

  std::vector<Node> divide_level(TreeTable& tree, std::vector<Node> nodes) {
    std::vector<Division> divisions;
    divisions.reserve(nodes.size());
    for (const Node& node : nodes) {
      divisions.push_back(tree.rows() + 16 * nodes.size() < most_ ? decide(node) : Division{});
    }
    tbb::parallel_for(std::size_t{0}, nodes.size(), [&](std::size_t i) { measure(nodes[i], divisions[i]); });

    // The map as it was thought to be before this level says how a node's trips divide among its parts.
    std::optional<StopMap> before;
    const bool open = std::any_of(divisions.begin(), divisions.end(), [](const Division& d) { return !d.regions.empty(); });
    if (open && nodes[0].kappa >= 0) before = map_of(nodes);

    std::vector<LevelFamily> families;
    std::vector<std::pair<std::size_t, std::size_t>> opened;  // (node, first row of its parts)
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      Division& division = divisions[i];
      const auto parent = static_cast<std::int32_t>(nodes[i].row);
      if (!division.regions.empty()) {
        opened.emplace_back(i, tree.rows());
        tree.append(division.regions, division.counts, division.ticks, parent);
        continue;
      }
      done_.push_back({nodes[i].region.box()[0], second(nodes[i].region.box()), nodes[i].n});
      if (division.family) {
        tree.append(*division.family, division.counts, division.ticks, parent);
      } else {
        settle(tree, nodes[i]);
      }
    }
    for (const auto& [i, row] : opened) {
      LevelFamily family;
      family.n = nodes[i].n;
      family.variance = nodes[i].variance;
      family.noise = noise(divisions[i].ticks);
      for (std::size_t c = 0; c < divisions[i].regions.size(); ++c) {
        const Box& box = divisions[i].regions[c].box();
        family.counts.push_back(static_cast<double>(divisions[i].counts[c]));
        family.areas.push_back(cells(box));
        family.expected.push_back(before ? std::max(0.0, before->mass(box[0], second(box))) : cells(box));
      }
      families.push_back(std::move(family));
    }
    const std::vector<std::vector<NextBelief>> beliefs = believe(families, previous_kappa_);
    std::vector<Node> next;
    for (std::size_t f = 0; f < opened.size(); ++f) {
      const auto [i, row] = opened[f];
      for (std::size_t c = 0; c < divisions[i].regions.size(); ++c) {
        const NextBelief& belief = beliefs[f][c];
        next.push_back({std::move(divisions[i].regions[c]), row + c, belief.n, belief.variance, belief.kappa});
      }
    }
    return next;
  }

  void measure(Node& node, Division& division) {
    if (division.cuts.empty()) return;
    const Ticks left = node.region.left();
    division.family = kernel_.split(Region(std::move(node.region)), division.cuts);
    if (division.last) {
      division.counts = kernel_.count(*division.family, division.ticks);
    } else {
      division.counts = kernel_.count_gradually(*division.family, division.ticks, left);
      division.regions = kernel_.open(std::move(*division.family));
    }
  }

  // A node that stays a leaf: its refined count takes the place of the coarse one. The root has none and is counted again.
  void settle(TreeTable& tree, Node& node) {
    const Ticks left = node.region.left();
    if (left == 0) return;
    if (node.kappa < 0) {
      Family again = kernel_.again(std::move(node.region));
      tree.count(again, left, static_cast<std::int32_t>(node.row));
    } else {
      tree.refine(node.row, kernel_.reveal(node.region)[0], left);
    }
  }

  static Interval second(const Box& box) { return box.axes() > 1 ? box[1] : Interval{0, 1}; }

  // The map of what is thought so far: finished boxes and the nodes of this level.
  StopMap map_of(const std::vector<Node>& nodes) const {
    std::vector<StopMap::Leaf> leaves = done_;
    for (const Node& node : nodes) leaves.push_back({node.region.box()[0], second(node.region.box()), node.n});
    const Domain& domain = kernel_.domain();
    return StopMap(domain.axis(0).cells, domain.d() > 1 ? domain.axis(1).cells : 1, leaves, true);
  }

  Kernel& kernel_;
  double leaf_weight_;
  std::size_t most_;
  double previous_kappa_ = -1;
  std::vector<StopMap::Leaf> done_;  // boxes that will not be divided further, as they were thought of
};

}  // namespace

Status check_multigrid(const Params&, const Domain& domain) {
  if (domain.volume() <= StopMap::kMaxCells) return {};
  return Error{Failure::usage, "multigrid keeps a map of all cells, and " + domain.shape_text() + " has " +
                                   to_string(domain.volume()) + "; at most " + std::to_string(StopMap::kMaxCells) +
                                   " are allowed\n  Use a coarser grid (4096x4096 works) or another mechanism."};
}

void plan_multigrid(Kernel& kernel, const Params& params, Release& release) {
  release.answer_model = AnswerModel::maps;
  release.tables.push_back(Multigrid(kernel, params).run());
  release.tables[0].smooth = true;
}

}  // namespace stopover
