#include "mechanism/anchor.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "mechanism/anchor_estimate.h"
#include "mechanism/cut_flows.h"
#include "mechanism/excess.h"
#include "mechanism/factors.h"
#include "mechanism/history.h"
#include "mechanism/joint_boxes.h"
#include "mechanism/map_squares.h"
#include "mechanism/stop_maps.h"
#include "mechanism/tree_table.h"
#include "release/consistency.h"

namespace stopover {

const ParamSpec kAnchorParams[3] = {
    {"map_share", ParamKind::number, "0", 0, 0.95,
     "share of epsilon for the stops' maps; 0: 0.35 for two maps, else 0.3"},
    {"leaf_weight", ParamKind::number, "0", 0, 1000,
     "trips times epsilon a joint leaf should hold; 0: 6 for two maps, else 4; with borders up to 1.5 times that"},
    {"max_partitions", ParamKind::integer, "4194304", 16, 134217728, "most boxes of a map and of the joint tree"},
};

namespace {

constexpr int kLevels = 3;
// Of the joint budget. Upper levels mostly say where to divide; nearly all goes to the leaves, from which answers are
// made.
constexpr double kLevelShares[kLevels] = {0.02, 0.13, 0.85};
constexpr double kMostChildren = 4096;
constexpr double kMostBorderWeight = 1.5;  // times the leaf weight, where leaves outnumber the borders' tuples of areas
// With fewer maps boxes that are followed end small: nothing is to be gathered.
constexpr std::size_t kMapsOfCutFlows = 3;
// Of leaves that history divides.
constexpr double kMostParts = 64, kTripsPerPart = 1;

// A joint box on its way down: its region, its row, what is thought to lie in it and how surely.
struct Node {
  Region region;
  std::size_t row;
  JointBox box;
  double n;
  double variance;
};

// A box about to be divided, or divided: its parts and what their counts cost.
struct Division {
  std::size_t row = 0;  // of the box
  CutTree cuts;
  std::vector<JointBox> boxes;
  Ticks coarse = 0;   // of the parts' counts
  bool leaf = false;  // the parts' counts can be refined with all that is left
  // What the base explains of each part, and among how many an excess has to stand out. Of parts that may be followed.
  std::vector<double> explained;
  double siblings = 1;
  // Once it is divided.
  std::vector<std::int64_t> counts;
  std::vector<Region> regions;
};

class Anchor {
 public:
  Anchor(Kernel& kernel, const Params& params)
      : kernel_(kernel),
        factors_(factors_of(kernel.domain())),
        borders_(params.borders()),
        most_(params.integer("max_partitions")) {
    if (params.history() != nullptr) history_ = *params.history();
    // 0 stands for a default, which depends on how many maps there are (docs/internals/anchor.md).
    const bool two = factors_.size() <= 2;
    map_share_ = params.number("map_share") > 0 ? params.number("map_share") : two ? 0.35 : 0.3;
    leaf_weight_given_ = params.number("leaf_weight") > 0;
    leaf_weight_ = leaf_weight_given_ ? params.number("leaf_weight") : two ? 6 : 4;
  }

  void run(Release& release) {
    // e0. The maps and the joint tree share what is left; the joint view holds e0 as well.
    const Ticks root_ticks = std::max<Ticks>(1, kernel_.left() / 100);
    const auto map_slice = static_cast<Ticks>(static_cast<double>(kernel_.left() - root_ticks) * map_share_);
    TreeTable joint(kernel_, "joint", all_axes(kernel_.domain()), kernel_.left() - map_slice);
    Family root = joint.take_root();
    // The noisy total is the only thing that the maps learn of the joint view.
    const double n = std::max<double>(1, static_cast<double>(joint.count(root, root_ticks)[0]));
    std::vector<const Borders*> borders;
    for (const Factor& factor : factors_) borders.push_back(borders_of(factor));
    std::vector<Table> maps =
        buy_maps(kernel_, factors_, map_slice, n, noise(root_ticks), most_, borders, history_ ? &*history_ : nullptr);
    if (history_ && history_->past.empty()) history_.reset();
    // Views that round down leave a few ticks; nobody needs them.
    std::vector<StopMap> densities;
    for (const Table& map : maps) densities.emplace_back(map, kernel_.domain());
    boxes_.emplace(factors_, std::move(densities), borders);
    if (history_) {
      forecast_.emplace(*history_);
      if (history_->foretells_cuts()) foretell();
    }

    // What is left of the joint view after e0.
    joint_ticks_ = root.left();
    // More leaves than tuples of areas cut areas to pieces, of which each adds its noise to their sum.
    if (const double tuples = boxes_->area_tuples(); tuples > 0 && !leaf_weight_given_)
      leaf_weight_ *= std::clamp(n * rate(joint_ticks_) / leaf_weight_ / tuples, 1.0, kMostBorderWeight);
    mu_ = {1.0};
    followed_ = {false};
    if (history_) row_boxes_ = {boxes_->whole()};
    std::vector<Node> nodes;
    nodes.push_back({std::move(kernel_.open(std::move(root))[0]), 0, boxes_->whole(), n, noise(root_ticks)});
    for (int level = 0; level < kLevels && !nodes.empty(); ++level)
      nodes = divide_level(joint, std::move(nodes), level);

    release.answer_model = AnswerModel::maps;
    release.tables.push_back(std::move(joint).finish());
    // From released counts and maps alone: costs nothing.
    estimate_over_base(release.tables[0], {mu_, followed_, borders_ != nullptr}, release.rate(1), factors_.size());
    if (history_) {
      lean_on_history(release.tables[0], release.rate(1));
    } else if (factors_.size() >= kMapsOfCutFlows) {
      gather_cut_flows(release.tables[0], {mu_, followed_}, release.rate(1), most_,
                       [&](const Box& box) { return boxes_->mass(box); });
    }
    for (Table& map : maps) release.tables.push_back(std::move(map));
  }

 private:
  ForecastBox forecast_box(const JointBox& box) const { return {boxes_->bounds(box), box.mu}; }

  // From here on joint boxes are cut where earlier releases had their trips, as far as the new maps still have them.
  void foretell() {
    boxes_->foretell([this, weights = forecast_->prior()](const Box& bounds, double mu) {
      return JointForecast::mix(weights, forecast_->candidates({bounds, mu}));
    });
  }

  // Estimates with the forecast of history, and leaves divided as it says.
  void lean_on_history(Table& table, double ticks_to_rate) {
    const JointForecast& forecast = *forecast_;
    ForecastRows rows{{}, followed_};
    for (const JointBox& box : row_boxes_) rows.boxes.push_back(forecast_box(box));
    const std::vector<double> weights = estimate_over_history(table, rows, ticks_to_rate, forecast);
    if (weights.empty()) return;
    const std::vector<bool> leaves = table.leaves();
    const std::size_t counted = table.rows();
    const double total = table.estimate[0];
    for (std::size_t row = 0; row < counted; ++row) {
      const double n = table.estimate[row];
      if (!leaves[row] || n < 2 * kTripsPerPart || table.rows() >= most_) continue;
      CutTree unused;
      const auto parts =
          boxes_->grow(row_boxes_[row], static_cast<std::size_t>(std::min(kMostParts, n / kTripsPerPart)), unused);
      if (parts.size() < 2) continue;
      std::vector<ForecastBox> boxes;
      std::vector<double> shares;
      double sum = 0;
      for (const JointBox& part : parts) {
        boxes.push_back(forecast_box(part));
        sum += shares.emplace_back(JointForecast::mix(weights, forecast.candidates(boxes.back())));
      }
      // More than was forecast, beyond chance and noise, lies as the new maps say.
      const double f = sum * total;
      const double w = noise_variance(static_cast<double>(table.row_ticks[row]) * ticks_to_rate);
      const double known = std::min(n, f + std::sqrt(f + w));
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const double by_maps =
            row_boxes_[row].mu > 0 ? parts[i].mu / row_boxes_[row].mu : 1.0 / static_cast<double>(parts.size());
        const std::size_t made = table.append(boxes[i].box, static_cast<std::int32_t>(row), 0, 0, 0);
        table.estimate[made] = (sum > 0 ? known * shares[i] / sum : known * by_maps) + (n - known) * by_maps;
      }
    }
  }

  // Borders lie on maps of places; a factor of hours or purposes has none.
  const Borders* borders_of(const Factor& factor) const {
    const bool place = factor.size() == 2 && kernel_.domain().axis(factor[0]).kind == AxisKind::longitude &&
                       kernel_.domain().axis(factor[1]).kind == AxisKind::latitude;
    return place ? borders_ : nullptr;
  }

  double rate(Ticks ticks) const { return effective(kernel_, ticks); }
  double noise(Ticks ticks) const { return noise_variance(rate(ticks)); }

  double parts_wanted(const Node& node, int level) const {
    // Leaves wanted below this node: each should hold leaf_weight/e trips, a fixed number of standard deviations of a
    // count bought with what is left.
    const double total = node.n * rate(node.region.left()) / leaf_weight_;
    // The root of it for every level still to come: equal fan-outs on the way down multiply to `total`.
    double parts = std::min(kMostChildren, std::pow(std::max(total, 0.0), 1.0 / (kLevels - level)));
    // While levels remain, a node that wants four leaves or more is divided in any case.
    if (level + 1 < kLevels && total >= 4) parts = std::max(parts, 2.0);
    return parts;
  }

  std::vector<Node> divide_level(TreeTable& joint, std::vector<Node> nodes, int level) {
    const bool last = level + 1 == kLevels;
    // The level's share of the whole joint budget, not of what is left.
    const auto share = static_cast<Ticks>(static_cast<double>(joint_ticks_) * kLevelShares[level]);
    const excess::LeafShares shares = excess::leaf_shares(factors_.size());
    std::vector<Division> divisions;
    std::vector<Region> regions;
    // Where the table would grow too large, all nodes get fewer parts; an eighth is left for what is followed.
    double wanted = 0;
    for (const Node& node : nodes) wanted += node.region.left() > 0 ? std::max(1.0, parts_wanted(node, level)) : 0;
    const double room = std::max(0.0, 0.875 * static_cast<double>(most_) - static_cast<double>(joint.rows()));
    const double fewer = std::min(1.0, room / std::max(1.0, wanted));
    for (Node& node : nodes) {
      const Ticks left = node.region.left();
      if (left == 0) continue;
      Division division;
      division.row = node.row;
      division.boxes = {node.box};
      const double parts = parts_wanted(node, level) * fewer;
      if (parts >= 2)
        division.boxes = boxes_->grow(node.box, static_cast<std::size_t>(std::llround(parts)), division.cuts);
      division.leaf = last || division.boxes.size() < 2;
      division.coarse = division.leaf ? share_of(left, division.boxes.size() < 2 ? shares.alone : shares.leaf)
                                      : std::clamp<Ticks>(share, 1, left);
      if (division.leaf) explain(division, node);
      divisions.push_back(std::move(division));
      regions.push_back(std::move(node.region));
    }
    // Trees were grown before, one after the other: they are not thread-safe, and cuts must not depend on the order.
    divide(divisions, std::move(regions));
    std::vector<Node> next;
    std::vector<Division> leaves;
    std::size_t i = 0;
    for (Division& division : divisions) {
      while (nodes[i].row != division.row) ++i;
      if (division.leaf) {
        leaves.push_back(std::move(division));
      } else {
        append(joint, nodes[i], division, next);
      }
    }
    follow(joint, std::move(leaves));
    return next;
  }

  static Ticks share_of(Ticks left, double share) {
    return std::clamp<Ticks>(static_cast<Ticks>(static_cast<double>(left) * share), 1, left);
  }

  // Divides the regions, one per division, and counts the parts.
  void divide(std::vector<Division>& divisions, std::vector<Region> regions) {
    // All are divided before any is counted: rows that are not in memory are then passed over once (kernel.h).
    std::vector<std::optional<Family>> families(divisions.size());
    tbb::parallel_for(std::size_t{0}, divisions.size(), [&](std::size_t i) {
      families[i].emplace(kernel_.split(std::move(regions[i]), std::move(divisions[i].cuts)));
    });
    tbb::parallel_for(std::size_t{0}, divisions.size(), [&](std::size_t i) {
      Division& division = divisions[i];
      Family family = *std::move(families[i]);
      division.counts = division.leaf ? kernel_.count_gradually(family, division.coarse, family.left())
                                      : kernel_.count(family, division.coarse);
      division.regions = kernel_.open(std::move(family));
    });
  }

  // Rows of parts that may be divided at the next level.
  void append(TreeTable& joint, const Node& node, Division& division, std::vector<Node>& next) {
    const std::size_t first = add_rows(joint, division, false);
    // Nothing left to divide with.
    if (division.regions[0].left() == 0) return;
    const std::vector<double> shares = boxes_->shares_of(division.boxes, node.box);
    const std::vector<Provisional> thought =
        provisional(node.n, node.variance, division.counts, noise(division.coarse), shares);
    for (std::size_t c = 0; c < division.regions.size(); ++c) {
      next.push_back({std::move(division.regions[c]), first + c, division.boxes[c], thought[c].n, thought[c].variance});
    }
  }

  std::size_t add_rows(TreeTable& joint, const Division& division, bool followed) {
    const std::size_t first = joint.rows();
    joint.append(division.regions, division.counts, division.coarse, static_cast<std::int32_t>(division.row));
    // In the order of the rows.
    for (const JointBox& box : division.boxes) mu_.push_back(box.mu);
    if (history_) row_boxes_.insert(row_boxes_.end(), division.boxes.begin(), division.boxes.end());
    followed_.resize(joint.rows(), false);
    followed_[division.row] = followed;
    return first;
  }

  // What base and history explain of a node's parts: their share of what was thought to lie in the node. A node that
  // stays whole had too few trips to be divided: all that is found there is news.
  void explain(Division& division, const Node& node) const {
    if (division.boxes.size() < 2) {
      division.explained = {0};
      division.siblings = excess::kLoneSiblings;
      return;
    }
    division.explained = boxes_->shares_of(division.boxes, node.box);
    for (double& share : division.explained) share *= node.n;
    division.siblings = static_cast<double>(division.boxes.size());
  }

  // Leaves with more trips than the base and the noise explain are divided again and again; the others' counts are
  // refined with all that is left on their path.
  void follow(TreeTable& joint, std::vector<Division> divisions) {
    for (int round = 0; !divisions.empty(); ++round) {
      const excess::Rules& rules = excess::rules_of(factors_.size(), round > 0);
      std::vector<Division> next;
      std::vector<Region> followed, settled;
      std::vector<std::size_t> first_rows, settled_rows;
      for (const Division& division : divisions) first_rows.push_back(add_rows(joint, division, round > 0));
      std::size_t rows = joint.rows();  // and those that are to come
      for (std::size_t i = 0; i < divisions.size(); ++i) {
        Division& division = divisions[i];
        for (std::size_t c = 0; c < division.regions.size(); ++c) {
          const double x = static_cast<double>(division.counts[c]) - division.explained[c];
          std::optional<Division> parts;
          if (round < excess::kMostRounds && rows + rules.most_parts < most_ &&
              excess::stands_out(x, rate(division.coarse), division.siblings, rules)) {
            parts = parts_of(division.boxes[c], x, division.regions[c].left(), rules);
          }
          const std::size_t row = first_rows[i] + c;
          if (parts) {
            rows += parts->boxes.size();
            parts->row = row;
            next.push_back(*std::move(parts));
            followed.push_back(std::move(division.regions[c]));
          } else {
            settled.push_back(std::move(division.regions[c]));
            settled_rows.push_back(row);
          }
        }
      }
      refine(joint, settled, settled_rows);
      divide(next, std::move(followed));
      divisions = std::move(next);
    }
  }

  // How a box with an excess of x is divided, if that tells anything.
  std::optional<Division> parts_of(const JointBox& box, double x, Ticks left, const excess::Rules& rules) {
    const double a = x * rate(left), parts = excess::parts_wanted(a, rules);
    if (parts < 2) return std::nullopt;
    Division division;
    division.boxes = boxes_->grow(box, static_cast<std::size_t>(std::llround(parts)), division.cuts);
    if (division.boxes.size() < 2) return std::nullopt;
    if (excess::is_placed(a, boxes_->shares_of(division.boxes, box), rules)) return std::nullopt;
    division.leaf = true;
    division.coarse = share_of(left, excess::coarse_share(a, division.boxes.size()));
    // Whatever is found is part of the excess.
    division.explained.assign(division.boxes.size(), 0.0);
    division.siblings = static_cast<double>(division.boxes.size());
    return division;
  }

  void refine(TreeTable& joint, std::vector<Region>& regions, const std::vector<std::size_t>& rows) {
    std::vector<std::int64_t> counts(regions.size());
    std::vector<Ticks> paid(regions.size());
    tbb::parallel_for(std::size_t{0}, regions.size(), [&](std::size_t i) {
      paid[i] = regions[i].left();
      counts[i] = kernel_.reveal(regions[i])[0];
    });
    // The refined count contains all that the coarse one said. It takes its place, at the price of both.
    for (std::size_t i = 0; i < regions.size(); ++i) joint.refine(rows[i], counts[i], paid[i]);
  }

  Kernel& kernel_;
  std::vector<Factor> factors_;
  const Borders* borders_;
  std::optional<History> history_;  // what counts have not refuted
  std::size_t most_;
  double map_share_;
  double leaf_weight_;
  bool leaf_weight_given_;
  Ticks joint_ticks_ = 0;
  std::optional<JointBoxes> boxes_;
  std::optional<JointForecast> forecast_;  // with history alone
  std::vector<double> mu_;                 // of every row of the joint table
  std::vector<JointBox> row_boxes_;        // of every row; with history alone
  std::vector<bool> followed_;             // rows that were divided because of an excess
};

}  // namespace

Status check_anchor(const Params& params, const Domain& domain) {
  for (const Factor& factor : factors_of(domain)) {
    if (map_step(domain, factor) > 1 && params.borders() != nullptr) {
      std::uint64_t cells = 1;
      for (std::size_t axis : factor) cells *= domain.axis(axis).cells;
      return Error{Failure::usage, "borders need a map of every cell, and axis " + domain.axis(factor[0]).name +
                                       " has one of " + std::to_string(cells) + " cells; at most " +
                                       std::to_string(StopMap::kMaxCells) +
                                       " are drawn one by one\n  Use a coarser grid (4096x4096 works), or no "
                                       "`borders`."};
    }
    if (Status ok = check_map_squares("anchor", domain, factor); !ok) return ok;
  }
  return {};
}

void plan_anchor(Kernel& kernel, const Params& params, Release& release) { Anchor(kernel, params).run(release); }

}  // namespace stopover
