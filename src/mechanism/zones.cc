#include "mechanism/zones.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <queue>

#include "mechanism/formulas.h"
#include "mechanism/tree_table.h"
#include "mechanism/zone_estimate.h"
#include "mechanism/zone_hierarchy.h"
#include "mechanism/zone_margins.h"

namespace stopover {

const ParamSpec kZonesParams[1] = {
    {"max_partitions", ParamKind::integer, "33554432", 16, 134217728, "most leaves of the joint table"},
};

namespace {

constexpr std::uint32_t kMostCells = 1 << 20;  // of an axis: each is counted
constexpr Ticks kLeastTicks = 1000;            // with fewer all goes to the leaves
constexpr double kTripsPerBlock = 4;           // times epsilon, at least, on average
constexpr std::size_t kManyNodes = 128;        // of an axis: from here on a coarser table of blocks is bought too
constexpr double kShareOfGroups = 0.08;        // of epsilon, at least, for blocks that are declared groups
constexpr int kOutlineDepth = 2;
constexpr double kLeastOutline = 9;         // blocks
constexpr double kEven = 1.3, kUneven = 2;  // how much fuller than the table a trip's block is: evenness 1 and 0
constexpr double kFull = 0.5;               // trips times epsilon per cell from which on a block counts as full

// What is bought, by how full the whole table is: `density` is the number of trips times epsilon per cell. In a full
// table pairs are known well one by one, so blocks may be few, cheap and counted cell by cell; in one that is nearly
// empty blocks are what is known, and they cost more. Where trips are spread evenly (1; 0: they are in a few parts of
// the table) no pair stands out, and what can be known is areas: more for zones, boxes of some pairs for leaves, and
// blocks of half as many zones where the table is full enough for single pairs. Very full tables can spare more for
// blocks. Two axes were measured; others have the same for all.
struct Layout {
  double blocks = 0.06;              // share of epsilon
  double margins = 0.03;             // ... for all axes together
  double margins_of_empty = 0.20;    // ... and so much more in a table that is empty
  double every_cell = 0.15;          // trips times epsilon per cell from which on a block is counted cell by cell
  double trips_per_leaf = 1;         // times epsilon, at least, of other blocks; 6 where fullness is 0
  std::uint32_t zones_per_node = 4;  // at least, where blocks are made of nodes

  static Layout of_pairs(double density, double evenness) {
    // From 0 at `from` to 1 at `to`, evenly in logarithms.
    const auto between = [&](double from, double to) {
      return density > from ? std::min(1.0, std::log(density / from) / std::log(to / from)) : 0.0;
    };
    Layout layout;
    const double even = evenness * (1 - between(1, 2));
    layout.blocks = 0.11 - 0.02 * between(0.15, 0.35) - 0.05 * between(1, 4) + 0.06 * between(15, 40);
    const double boxes = std::max(0.0, 2 * even - 1);
    layout.blocks += even * (0.13 + (0.02 + 0.05 * boxes) * between(0.5, 0.8) - layout.blocks);
    layout.margins = 0.01 + even * (0.11 + 0.11 * between(0.15, 0.4) - 0.092 * between(0.6, 0.85));
    layout.margins_of_empty = 0.12 + 0.08 * even;
    layout.every_cell = 0.15 - 0.12 * between(0.25, 2) + 2.85 * boxes * (1 - between(0.5, 0.8));
    layout.trips_per_leaf = 1 + 5 * boxes;
    layout.zones_per_node = density < 2 ? 12 : 18;
    if (even * between(0.5, 0.8) > 0.5) layout.zones_per_node = 6;
    return layout;
  }
};

// A box of zones of every axis of the model, on its way to become leaves.
struct Part {
  std::vector<Interval> zones;
  double mass = 0;
};

class Zones {
 public:
  Zones(Kernel& kernel, const Params& params)
      : kernel_(kernel), domain_(kernel.domain()), most_(params.integer("max_partitions")) {
    for (std::size_t axis = 0; axis < domain_.d(); ++axis) {
      if (domain_.axis(axis).cells < 2) continue;
      hierarchies_.emplace_back(domain_, axis);
      model_.axes.push_back({axis, domain_.axis(axis).cells, {0, domain_.axis(axis).cells}, {}, {}, {}, {}});
    }
  }

  void run(Release& release) {
    const Ticks all = kernel_.left();
    Ticks margin_ticks = 0;  // per axis
    if (all >= kLeastTicks) {
      if (model_.axes.size() == 2) {
        count_total(share(all, 1, 200));
        model_.evenness = count_outline(share(all, 1, 200));
        layout_ = Layout::of_pairs(model_.planned_trips() * effective(kernel_, all) / all_cells(), model_.evenness);
      } else {
        count_total(share(all, 1, 100));
      }
      count_blocks(all);
      if (model_.axes.size() > 1) {
        const double part = layout_.margins + layout_.margins_of_empty * (1 - fullness(effective(kernel_, all)));
        margin_ticks = static_cast<Ticks>(static_cast<double>(all) * part / static_cast<double>(model_.axes.size()));
      }
    }
    std::vector<Table> maps = count_margins(margin_ticks);
    estimate_margins(model_);
    count_leaves(release);
    for (std::size_t a = 0; a < model_.axes.size(); ++a) {
      Table& map = maps[model_.axes[a].axis];
      std::copy(model_.axes[a].mass.begin(), model_.axes[a].mass.end(), map.estimate.begin() + 1);
      map.spread.assign(map.rows(), 0.0F);
      for (std::size_t zone = 0; zone < model_.axes[a].zones; ++zone)
        map.spread[zone + 1] = static_cast<float>(model_.axes[a].mass[zone] * std::sqrt(model_.axes[a].doubt[zone]));
    }
    for (Table& map : maps) {
      map.estimate[0] = map.rows() == 1 ? release.tables[0].estimate[0]
                                        : std::accumulate(map.estimate.begin() + 1, map.estimate.end(), 0.0);
      release.tables.push_back(std::move(map));
    }
    release.answer_model = AnswerModel::maps;
  }

 private:
  void count_total(Ticks ticks) {
    Family root = kernel_.view("total", all_axes(domain_), ticks);
    model_.total = std::max(0.0, static_cast<double>(kernel_.count(root, ticks)[0]));
    model_.total_rate = effective(kernel_, ticks);
  }

  // Counts the blocks of the nodes of depth 2 and gives how evenly trips are spread over them, from 0 to 1: by what a
  // trip's block holds per cell over what the table does. Noise makes that larger, so where little is known, nothing is
  // even.
  double count_outline(Ticks ticks) {
    std::vector<std::vector<std::uint32_t>> edges;
    for (const ZoneHierarchy& axis : hierarchies_) edges.push_back(axis.edges(kOutlineDepth));
    if (blocks_of(edges) < kLeastOutline) return 0;
    Region whole = std::move(kernel_.open(kernel_.view("outline", all_axes(domain_), ticks))[0]);
    Family parts = kernel_.split(std::move(whole), cuts_at(edges, domain_.whole()));
    model_.outline.counts = kernel_.count(parts, ticks);
    model_.outline.rate = effective(kernel_, ticks);
    double squares = 0, sum = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const auto count = static_cast<double>(model_.outline.counts[part]);
      squares += count * count / static_cast<double>(parts.box(part).volume());
      sum += count;
    }
    const double uneven = sum > 0 ? squares * all_cells() / (sum * sum) : kUneven;
    return std::clamp(std::log(kUneven / std::max(uneven, 1.0)) / std::log(kUneven / kEven), 0.0, 1.0);
  }

  // Where a grid of the nodes of each axis cuts a box of the domain.
  Cuts cuts_at(const std::vector<std::vector<std::uint32_t>>& edges, const Box& box) const {
    Cuts cuts(domain_.d());
    for (std::size_t a = 0; a < edges.size(); ++a) {
      const Interval side = box[model_.axes[a].axis];
      for (std::uint32_t edge : edges[a]) {
        if (edge > side.lo && edge < side.hi) cuts[model_.axes[a].axis].push_back(edge);
      }
    }
    return cuts;
  }

  // Nodes of a depth, fewer on axes that are short of zones; within the groups of a declared level where that is given.
  std::vector<std::vector<std::uint32_t>> edges_at(int depth, std::optional<std::size_t> level) const {
    std::vector<std::vector<std::uint32_t>> edges;
    for (const ZoneHierarchy& axis : hierarchies_) {
      const int within = std::min(depth, deepest(axis, level));
      edges.push_back(level && *level < axis.levels() ? axis.edges_within(*level, within) : axis.edges(within));
    }
    return edges;
  }
  int deepest(const ZoneHierarchy& axis, std::optional<std::size_t> level) const {
    std::uint64_t nodes = 1;
    if (level && *level < axis.levels()) nodes = axis.edges_within(*level, 0).size() - 1;
    int depth = 0;
    while (((layout_.zones_per_node * nodes) << (depth + 1)) <= axis.zones()) ++depth;
    return depth;
  }
  // The smallest declared groups that blocks can be made of: half as many zones as a node has are enough.
  std::optional<std::size_t> declared_level(double affordable) const {
    std::optional<std::size_t> best;
    for (const ZoneHierarchy& axis : hierarchies_) {
      for (std::size_t level = 0; level < axis.levels(); ++level) {
        const std::size_t groups = axis.edges_within(level, 0).size() - 1;
        if (groups > 1 && groups * layout_.zones_per_node <= 2 * axis.zones() &&
            blocks_of(edges_at(0, level)) <= affordable)
          best = level;
      }
    }
    return best;
  }
  static double blocks_of(const std::vector<std::vector<std::uint32_t>>& edges) {
    double blocks = 1;
    for (const auto& each : edges) blocks *= static_cast<double>(each.size() - 1);
    return blocks;
  }

  // The finest nodes whose blocks still hold kTripsPerBlock/eps trips on average; none if that is the whole.
  void count_blocks(Ticks all) {
    const auto part = [&](double of_all) { return static_cast<Ticks>(static_cast<double>(all) * of_all); };
    const auto affordable = [&](Ticks ticks) {
      return std::min(static_cast<double>(most_) / 4,
                      model_.planned_trips() * effective(kernel_, ticks) / kTripsPerBlock);
    };
    Ticks ticks = part(layout_.blocks);
    const Ticks for_groups = part(std::max(layout_.blocks, kShareOfGroups));
    const std::optional<std::size_t> level =
        model_.axes.size() == 2 ? declared_level(affordable(for_groups)) : std::nullopt;
    if (level) ticks = for_groups;
    int most = 0;
    for (const ZoneHierarchy& axis : hierarchies_) most = std::max(most, deepest(axis, level));
    int depth = 0;
    while (depth < most && blocks_of(edges_at(depth + 1, level)) <= affordable(ticks)) ++depth;
    const std::vector<std::vector<std::uint32_t>> edges = edges_at(depth, level);
    if (blocks_of(edges) < 2) return;
    for (std::size_t a = 0; a < edges.size(); ++a) model_.axes[a].edges = edges[a];
    std::size_t nodes = 0;
    for (const auto& each : edges) nodes = std::max(nodes, each.size() - 1);
    Region whole = std::move(kernel_.open(kernel_.view("blocks", all_axes(domain_), ticks))[0]);
    if (nodes < kManyNodes || depth == 0) {
      Family blocks = kernel_.split(std::move(whole), cuts_at(edges, domain_.whole()));
      model_.blocks.counts = kernel_.count(blocks, ticks);
      model_.blocks.rate = effective(kernel_, ticks);
      return;
    }
    model_.coarse_edges = edges_at(std::max(0, depth - 2), level);
    const Ticks coarse_ticks = ticks / 3;
    Family coarse = kernel_.split(std::move(whole), cuts_at(model_.coarse_edges, domain_.whole()));
    model_.coarse.counts = kernel_.count(coarse, coarse_ticks);
    model_.coarse.rate = effective(kernel_, coarse_ticks);
    model_.blocks.rate = effective(kernel_, ticks - coarse_ticks);
    model_.blocks.counts.resize(model_.block_count());
    for (Region& region : kernel_.open(std::move(coarse))) {
      const Box box = region.box();
      Family parts = kernel_.split(std::move(region), cuts_at(edges, box));
      const std::vector<std::int64_t> counts = kernel_.count(parts, ticks - coarse_ticks);
      for (std::size_t i = 0; i < counts.size(); ++i) model_.blocks.counts[block_at(parts.box(i))] = counts[i];
    }
  }

  std::size_t block_at(const Box& box) const {
    std::size_t block = 0;
    for (const ZoneAxis& axis : model_.axes) {
      const auto node = std::upper_bound(axis.edges.begin(), axis.edges.end(), box[axis.axis].lo) - axis.edges.begin();
      block = block * (axis.edges.size() - 1) + static_cast<std::size_t>(node - 1);
    }
    return block;
  }

  double cells_of(const std::vector<Interval>& zones) const {
    double cells = 1;
    for (const Interval& side : zones) cells *= side.width();
    return cells;
  }

  double all_cells() const {
    double cells = 1;
    for (const ZoneAxis& axis : model_.axes) cells *= axis.zones;
    return cells;
  }

  // From 0 to 1: which share of the trips lies in blocks whose cells hold more trips than their noise.
  double fullness(double epsilon) {
    double all = 0, full = 0;
    for (std::size_t block = 0; block < model_.block_count(); ++block) {
      const double count =
          model_.blocks.counts.empty() ? model_.planned_trips() : static_cast<double>(model_.blocks.counts[block]);
      const double trips = std::max(0.0, count);
      all += trips;
      full += trips * std::min(1.0, trips * epsilon / (kFull * cells_of(model_.block_ranges(block))));
    }
    return fullness_ = all > 0 ? full / all : 0;
  }

  // One table per axis of the domain, with one row per zone under an unmeasured root; estimates come later.
  std::vector<Table> count_margins(Ticks ticks) {
    std::vector<Table> maps;
    for (std::size_t axis = 0; axis < domain_.d(); ++axis) {
      Table table;
      table.name = "map" + std::to_string(axis + 1);
      table.axes = {axis};
      table.lo.resize(1);
      table.hi.resize(1);
      const Interval whole{0, domain_.axis(axis).cells};
      table.append(Box(std::span(&whole, 1)), -1, 0, 0, 0);
      const auto bought = std::find_if(model_.axes.begin(), model_.axes.end(),
                                       [&](const ZoneAxis& of_model) { return of_model.axis == axis; });
      if (bought != model_.axes.end()) {
        if (ticks > 0) {
          table.ticks = ticks;
          Region region = std::move(kernel_.open(kernel_.view(table.name, {axis}, ticks))[0]);
          Family zones = kernel_.split(std::move(region), 0, formulas::equal_cuts(0, whole.hi, whole.hi));
          bought->counts = kernel_.count(zones, ticks);
          model_.margin_rate = effective(kernel_, ticks);
        }
        for (std::uint32_t zone = 0; zone < whole.hi; ++zone) {
          const Interval one{zone, zone + 1};
          table.append(Box(std::span(&one, 1)), 0, ticks > 0 ? bought->counts[zone] : 0, ticks, 0);
        }
      }
      maps.push_back(std::move(table));
    }
    return maps;
  }

  // How many leaves each block becomes, the densest first while there is room.
  std::vector<double> leaves_wanted(double epsilon) const {
    const double per_leaf = std::max(layout_.trips_per_leaf, 1 + 5 * (1 - fullness_));
    const std::size_t blocks = model_.block_count();
    std::vector<double> wanted(blocks), density(blocks);
    std::vector<std::size_t> order(blocks);
    for (std::size_t block = 0; block < blocks; ++block) {
      const double cells = cells_of(model_.block_ranges(block));
      const double believed = model_.blocks.believed[block];
      const double n = blocks == 1 ? std::max(believed, model_.planned_trips()) : believed;
      order[block] = block;
      density[block] = n / cells;
      wanted[block] = n * epsilon >= layout_.every_cell * cells
                          ? cells
                          : std::clamp(std::floor(n * epsilon / per_leaf), 1.0, cells);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return density[a] > density[b]; });
    auto room = static_cast<double>(most_) - static_cast<double>(blocks);
    for (std::size_t block : order) {
      wanted[block] = std::min(wanted[block], 1 + room);
      room -= wanted[block] - 1;
    }
    return wanted;
  }

  // Divides a block into about `parts` boxes: the one with the most mass first, at the axis along which that is spread
  // the most.
  CutTree grow(const std::vector<Interval>& zones, double parts) const {
    struct Candidate {
      double mass;
      std::size_t part;
      bool operator<(const Candidate& other) const {
        return mass != other.mass ? mass < other.mass : part > other.part;
      }
    };
    CutTree cuts;
    std::vector<Part> boxes = {{zones, mass_of(zones)}};
    std::vector<std::pair<std::int32_t, bool>> hangs = {{-1, false}};  // which side of which cut a part hangs on
    std::priority_queue<Candidate> queue;
    queue.push({boxes[0].mass, 0});
    while (static_cast<double>(boxes.size()) < parts && !queue.empty()) {
      const std::size_t part = queue.top().part;
      queue.pop();
      const int a = most_spread(boxes[part].zones);
      if (a < 0) continue;
      const auto axis = static_cast<std::size_t>(a);
      const std::uint32_t cut = hierarchies_[axis].cut(boxes[part].zones[axis]);
      const auto node = static_cast<std::int32_t>(cuts.nodes.size());
      cuts.nodes.push_back({static_cast<std::uint32_t>(model_.axes[axis].axis), cut, ~static_cast<std::int32_t>(part),
                            ~static_cast<std::int32_t>(boxes.size())});
      if (hangs[part].first >= 0) {
        CutTree::Node& above = cuts.nodes[static_cast<std::size_t>(hangs[part].first)];
        (hangs[part].second ? above.above : above.below) = node;
      }
      hangs[part] = {node, false};
      hangs.emplace_back(node, true);
      Part upper = boxes[part];
      upper.zones[axis].lo = cut;
      boxes[part].zones[axis].hi = cut;
      upper.mass = mass_of(upper.zones);
      boxes[part].mass = mass_of(boxes[part].zones);
      queue.push({boxes[part].mass, part});
      queue.push({upper.mass, boxes.size()});
      boxes.push_back(std::move(upper));
    }
    return cuts;
  }

  double mass_of(const std::vector<Interval>& zones) const {
    double mass = 1;
    for (std::size_t a = 0; a < zones.size(); ++a) mass *= up_to_[a][zones[a].hi] - up_to_[a][zones[a].lo];
    return mass;
  }

  // The axis with the largest chance that two trips of the box are in different zones, of those that can be cut, or -1.
  int most_spread(const std::vector<Interval>& zones) const {
    int best = -1;
    double most = -1;
    for (std::size_t a = 0; a < zones.size(); ++a) {
      if (zones[a].width() < 2) continue;
      const double sum = up_to_[a][zones[a].hi] - up_to_[a][zones[a].lo];
      const double squares = squares_up_to_[a][zones[a].hi] - squares_up_to_[a][zones[a].lo];
      const double spread = sum > 0 ? 1 - squares / (sum * sum) : 0;
      if (spread > most) {
        most = spread;
        best = static_cast<int>(a);
      }
    }
    return best;
  }

  void count_leaves(Release& release) {
    for (const ZoneAxis& axis : model_.axes) {
      std::vector<double>& sums = up_to_.emplace_back(axis.zones + 1, 0.0);
      std::vector<double>& squares = squares_up_to_.emplace_back(axis.zones + 1, 0.0);
      for (std::size_t zone = 0; zone < axis.zones; ++zone) {
        sums[zone + 1] = sums[zone] + axis.mass[zone];
        squares[zone + 1] = squares[zone] + axis.mass[zone] * axis.mass[zone];
      }
    }
    const Ticks ticks = kernel_.left();
    TreeTable joint(kernel_, "joint", all_axes(domain_), ticks);
    Family root = joint.take_root();
    joint.skip(root);
    std::vector<Region> regions = kernel_.open(std::move(root));
    if (model_.block_count() > 1) {
      std::vector<std::vector<std::uint32_t>> edges;
      for (const ZoneAxis& axis : model_.axes) edges.push_back(axis.edges);
      Family blocks = kernel_.split(std::move(regions[0]), cuts_at(edges, domain_.whole()));
      joint.skip(blocks, 0);
      regions = kernel_.open(std::move(blocks));
    }
    const std::vector<double> wanted = leaves_wanted(effective(kernel_, ticks));
    std::vector<std::optional<Family>> families(regions.size());
    std::vector<std::vector<std::int64_t>> counts(regions.size());
    tbb::parallel_for(std::size_t{0}, regions.size(), [&](std::size_t block) {
      const std::vector<Interval> zones = model_.block_ranges(block);
      if (wanted[block] >= cells_of(zones)) {
        Cuts every(domain_.d());
        for (std::size_t a = 0; a < zones.size(); ++a)
          every[model_.axes[a].axis] = formulas::equal_cuts(zones[a].lo, zones[a].hi, zones[a].width());
        families[block] = kernel_.split(std::move(regions[block]), every);
      } else {
        families[block] = kernel_.split(std::move(regions[block]), grow(zones, wanted[block]));
      }
      counts[block] = kernel_.count(*families[block], ticks);
    });
    const std::size_t first_leaf = joint.rows();
    for (std::size_t block = 0; block < families.size(); ++block) {
      joint.append(*families[block], counts[block], ticks,
                   static_cast<std::int32_t>(families.size() == 1 ? 0 : block + 1));
      families[block].reset();
      counts[block] = {};
    }
    release.tables.push_back(std::move(joint).finish());
    estimate_leaves(model_, release.tables[0], first_leaf, effective(kernel_, ticks), domain_);
  }

  Kernel& kernel_;
  const Domain& domain_;
  std::size_t most_;
  std::vector<ZoneHierarchy> hierarchies_;  // of the model's axes
  ZoneModel model_;
  Layout layout_;
  double fullness_ = 0;
  std::vector<std::vector<double>> up_to_, squares_up_to_;  // per axis: masses below a zone, and their squares
};

}  // namespace

Status check_zones(const Params&, const Domain& domain) {
  for (const Axis& axis : domain.axes()) {
    if (axis.cells <= kMostCells) continue;
    return Error{Failure::usage, "zones counts every cell of an axis, and axis " + axis.name + " has " +
                                     std::to_string(axis.cells) + "; at most " + std::to_string(kMostCells) +
                                     " are allowed\n  Use fewer zones or another mechanism."};
  }
  return {};
}

void plan_zones(Kernel& kernel, const Params& params, Release& release) { Zones(kernel, params).run(release); }

}  // namespace stopover
