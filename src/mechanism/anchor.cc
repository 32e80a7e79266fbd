#include "mechanism/anchor.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <queue>

#include "mechanism/anchor_estimate.h"
#include "mechanism/factors.h"
#include "mechanism/stop_maps.h"
#include "mechanism/stop_tree.h"
#include "mechanism/tree_table.h"
#include "release/consistency.h"

namespace stopover {

const ParamSpec kAnchorParams[3] = {
    {"map_share", ParamKind::number, "0", 0, 0.95,
     "share of epsilon for the stops' maps; 0: 0.35 for two maps, else 0.3"},
    {"leaf_weight", ParamKind::number, "0", 0, 1000,
     "trips times epsilon a joint leaf should hold; 0: 6 for two maps, else 4"},
    {"max_partitions", ParamKind::integer, "1048576", 16, 134217728, "most leaves of a map and of the joint tree"},
};

namespace {

constexpr int kLevels = 3;
// Of the joint budget. Upper levels mostly say where to divide; nearly all goes to the leaves, from which answers are
// made.
constexpr double kLevelShares[kLevels] = {0.02, 0.13, 0.85};
constexpr double kMostParts = 4096;

// A joint box: one node of every factor's StopTree.
struct JointBox {
  std::vector<int> stops;
  double mu = 1;  // product of the stops' masses
  // Variances of independent places add: this is how far apart the trips of a box lie under the base, squared.
  double spread = 0;  // sum of their scatters
};

// A joint box on its way down: its region, its row, what is thought to lie in it and how surely.
struct Node {
  Region region;
  std::size_t row;
  JointBox box;
  double n;
  double variance;
};

class Anchor {
 public:
  Anchor(Kernel& kernel, const Params& params)
      : kernel_(kernel),
        factors_(factors_of(kernel.domain())),
        borders_(params.borders()),
        most_(params.integer("max_partitions")) {
    // 0 stands for a default, which depends on how many maps there are (docs/internals/anchor.md).
    const bool two = factors_.size() <= 2;
    map_share_ = params.number("map_share") > 0 ? params.number("map_share") : two ? 0.35 : 0.3;
    leaf_weight_ = params.number("leaf_weight") > 0 ? params.number("leaf_weight") : two ? 6 : 4;
  }

  void run(Release& release) {
    // e0. The maps and the joint tree share what is left; the joint view holds e0 as well.
    const Ticks root_ticks = std::max<Ticks>(1, kernel_.left() / 100);
    const auto map_slice = static_cast<Ticks>(static_cast<double>(kernel_.left() - root_ticks) * map_share_);
    TreeTable joint(kernel_, "joint", all_axes(kernel_.domain()), kernel_.left() - map_slice);
    Family root = joint.take_root();
    // The noisy total is the only thing that the maps learn of the joint view.
    const double n = std::max<double>(1, static_cast<double>(joint.count(root, root_ticks)[0]));
    std::vector<Table> maps = buy_maps(kernel_, factors_, map_slice, n, noise(root_ticks), most_);
    // Views that round down leave a few ticks; nobody needs them.
    for (const Table& map : maps) maps_.emplace_back(map, kernel_.domain());
    // Cuts come from released maps alone, so looking for the best one costs nothing.
    for (std::size_t f = 0; f < maps_.size(); ++f) trees_.emplace_back(maps_[f], borders_of(factors_[f]));

    // What is left of the joint view after e0.
    joint_ticks_ = root.left();
    mu_ = {1.0};
    std::vector<Node> nodes;
    // The root: all of every map.
    JointBox whole{std::vector<int>(factors_.size(), StopTree::kRoot), 1, 0};
    for (StopTree& tree : trees_) whole.spread += tree.node(StopTree::kRoot).scatter;
    nodes.push_back({std::move(kernel_.open(std::move(root))[0]), 0, whole, n, noise(root_ticks)});
    for (int level = 0; level < kLevels && !nodes.empty(); ++level)
      nodes = divide_level(joint, std::move(nodes), level);

    release.answer_model = AnswerModel::maps;
    release.tables.push_back(std::move(joint).finish());
    // From released counts and maps alone: costs nothing.
    estimate_over_base(release.tables[0], mu_, release.rate(1), factors_.size());
    for (Table& map : maps) release.tables.push_back(std::move(map));
  }

 private:
  // Borders lie on maps of places; a factor of hours or purposes has none.
  const Borders* borders_of(const Factor& factor) const {
    const bool place = factor.size() == 2 && kernel_.domain().axis(factor[0]).kind == AxisKind::longitude &&
                       kernel_.domain().axis(factor[1]).kind == AxisKind::latitude;
    return place ? borders_ : nullptr;
  }

  double noise(Ticks ticks) const { return noise_variance(effective(kernel_, ticks)); }

  double parts_wanted(const Node& node, int level) const {
    // Leaves wanted below this node: each should hold leaf_weight/e trips, a fixed number of standard deviations of a
    // count bought with what is left.
    const double total = node.n * effective(kernel_, node.region.left()) / leaf_weight_;
    // The root of it for every level still to come: equal fan-outs on the way down multiply to `total`.
    double parts = std::min(kMostParts, std::pow(std::max(total, 0.0), 1.0 / (kLevels - level)));
    // While levels remain, a node that wants four leaves or more is divided in any case.
    if (level + 1 < kLevels && total >= 4) parts = std::max(parts, 2.0);
    return parts;
  }

  // Grows a box into about `parts` boxes, the one with the most trips far apart first, each cut at its own stops'
  // trees.
  std::vector<JointBox> grow(const JointBox& whole, std::size_t parts, CutTree& cuts) {
    struct Candidate {
      double weight;
      std::size_t part;
      bool operator<(const Candidate& other) const {
        // Ties go to the smaller number, so that the tree is the same on all machines.
        return weight != other.weight ? weight < other.weight : part > other.part;
      }
    };
    std::vector<JointBox> boxes = {whole};
    std::vector<std::pair<std::int32_t, bool>> hangs = {{-1, false}};  // which side of which cut a part hangs on
    std::priority_queue<Candidate> queue;
    // Mass times distance: what a trip's place in the box is wrong by, summed over its trips.
    const auto push = [&](std::size_t part) { queue.push({boxes[part].mu * std::sqrt(boxes[part].spread), part}); };
    push(0);
    // Each round one part becomes two. The order depends on the maps alone, not on any count of the joint tree.
    while (boxes.size() < parts && !queue.empty()) {
      const std::size_t part = queue.top().part;
      queue.pop();
      const int factor = widest(boxes[part]);
      // A single cell at every stop: stays as it is.
      if (factor < 0) continue;
      const auto f = static_cast<std::size_t>(factor);
      const StopTree::Node cut = trees_[f].cut(boxes[part].stops[f]);
      const auto node = static_cast<std::int32_t>(cuts.nodes.size());
      // Leaves of the cut tree are written as ~part. The lower side keeps the number of the part, the upper gets the
      // next one.
      cuts.nodes.push_back({static_cast<std::uint32_t>(factors_[f][static_cast<std::size_t>(cut.axis)]), cut.at,
                            ~static_cast<std::int32_t>(part), ~static_cast<std::int32_t>(boxes.size())});
      // The cut above pointed to this part; now it points to the new cut.
      if (hangs[part].first >= 0) {
        CutTree::Node& above = cuts.nodes[static_cast<std::size_t>(hangs[part].first)];
        (hangs[part].second ? above.above : above.below) = node;
      }
      hangs[part] = {node, false};
      hangs.emplace_back(node, true);
      const JointBox box = boxes[part];
      boxes.push_back(with_stop(box, f, cut.above));
      boxes[part] = with_stop(box, f, cut.below);
      push(part);
      push(boxes.size() - 1);
    }
    return boxes;
  }

  // The factor with the largest scatter that can still be cut, or -1.
  int widest(const JointBox& box) {
    int best = -1;
    double scatter = -1;
    for (std::size_t f = 0; f < trees_.size(); ++f) {
      const StopTree::Node& node = trees_[f].node(box.stops[f]);
      // One cell cannot be cut.
      if (node.x.width() * std::uint64_t{node.y.width()} > 1 && node.scatter > scatter) {
        best = static_cast<int>(f);
        scatter = node.scatter;
      }
    }
    return best;
  }

  // The same box with another node at one stop; the products are made anew, in the same order each time.
  JointBox with_stop(const JointBox& box, std::size_t factor, int stop) const {
    JointBox result = box;
    result.stops[factor] = stop;
    result.mu = 1;
    result.spread = 0;
    for (std::size_t f = 0; f < trees_.size(); ++f) {
      // Stops are independent under the base: masses multiply.
      result.mu *= trees_[f].node(result.stops[f]).mass;
      result.spread += trees_[f].node(result.stops[f]).scatter;
    }
    return result;
  }

  struct Division {
    CutTree cuts;
    std::vector<JointBox> boxes;
    Ticks ticks = 0;
    bool leaf = false;
    std::optional<Family> family;
    std::vector<std::int64_t> counts;
    std::vector<Region> regions;  // unless they are leaves
  };

  std::vector<Node> divide_level(TreeTable& joint, std::vector<Node> nodes, int level) {
    const bool last = level + 1 == kLevels;
    // The level's share of the whole joint budget, not of what is left.
    const auto share = static_cast<Ticks>(static_cast<double>(joint_ticks_) * kLevelShares[level]);
    std::vector<Division> divisions(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const double parts = parts_wanted(nodes[i], level);
      divisions[i].boxes = {nodes[i].box};
      // Also where the table would grow too large, a node is left whole.
      if (parts >= 2 && joint.rows() + nodes.size() < most_) {
        divisions[i].boxes = grow(nodes[i].box, static_cast<std::size_t>(std::llround(parts)), divisions[i].cuts);
      }
      divisions[i].leaf = last || divisions[i].boxes.size() < 2;
      // Leaves get all that is left on their path.
      divisions[i].ticks =
          divisions[i].leaf ? nodes[i].region.left() : std::clamp<Ticks>(share, 1, nodes[i].region.left());
    }
    // Trees were grown before, one after the other: they are not thread-safe, and cuts must not depend on the order.
    tbb::parallel_for(std::size_t{0}, nodes.size(), [&](std::size_t i) {
      Division& division = divisions[i];
      if (division.ticks == 0) return;
      division.family = kernel_.split(std::move(nodes[i].region), std::move(division.cuts));
      division.counts = kernel_.count(*division.family, division.ticks);
      if (!division.leaf) division.regions = kernel_.open(std::move(*division.family));
    });
    std::vector<Node> next;
    for (std::size_t i = 0; i < nodes.size(); ++i) append(joint, nodes[i], divisions[i], next);
    return next;
  }

  void append(TreeTable& joint, const Node& node, Division& division, std::vector<Node>& next) {
    if (!division.family) return;
    const std::size_t first = joint.rows();
    const auto parent = static_cast<std::int32_t>(node.row);
    // In the order of the rows that are appended below.
    for (const JointBox& box : division.boxes) mu_.push_back(box.mu);
    if (division.leaf) return joint.append(*division.family, division.counts, division.ticks, parent);
    joint.append(division.regions, division.counts, division.ticks, parent);
    // Nothing left to divide with.
    if (division.regions[0].left() == 0) return;
    const std::vector<Provisional> thought =
        provisional(node.n, node.variance, division.counts, noise(division.ticks), shares_of(division.boxes, node.box));
    for (std::size_t c = 0; c < division.regions.size(); ++c) {
      next.push_back({std::move(division.regions[c]), first + c, division.boxes[c], thought[c].n, thought[c].variance});
    }
  }

  static std::vector<double> shares_of(const std::vector<JointBox>& boxes, const JointBox& parent) {
    std::vector<double> shares;
    for (const JointBox& box : boxes) {
      shares.push_back(parent.mu > 0 ? box.mu / parent.mu : 1.0 / static_cast<double>(boxes.size()));
    }
    return shares;
  }

  Kernel& kernel_;
  std::vector<Factor> factors_;
  const Borders* borders_;
  std::size_t most_;
  double map_share_;
  double leaf_weight_;
  Ticks joint_ticks_ = 0;
  std::vector<StopMap> maps_;
  std::vector<StopTree> trees_;
  std::vector<double> mu_;  // of every row of the joint table
};

}  // namespace

Status check_anchor(const Params&, const Domain& domain) {
  for (const Factor& factor : factors_of(domain)) {
    std::uint64_t cells = 1;
    for (std::size_t axis : factor) cells *= domain.axis(axis).cells;
    if (cells <= StopMap::kMaxCells) continue;
    return Error{Failure::usage,
                 "anchor keeps a map of each stop, and axis " + domain.axis(factor[0]).name + " has one of " +
                     std::to_string(cells) + " cells; at most " + std::to_string(StopMap::kMaxCells) +
                     " are allowed\n  Use a coarser grid (4096x4096 works) or `mechanism daf-entropy`."};
  }
  return {};
}

void plan_anchor(Kernel& kernel, const Params& params, Release& release) { Anchor(kernel, params).run(release); }

}  // namespace stopover
