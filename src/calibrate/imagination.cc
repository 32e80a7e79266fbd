#include "calibrate/imagination.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include "calibrate/count_tree.h"
#include "release/children.h"
#include "release/consistency.h"
#include "release/stop_map.h"

namespace stopover {
namespace {

double knob(const char* name, double value) {
  const char* text = std::getenv(name);
  return text ? std::atof(text) : value;
}

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

// A table's rows as a CountTree; `row_of` says which row a node is.
struct Grown {
  CountTree tree;
  std::vector<std::uint32_t> row_of;
};

double variance_of(const Table& table, std::size_t row, double ticks_to_rate) {
  if (table.row_ticks[row] == 0) return std::numeric_limits<double>::infinity();
  return noise_variance(static_cast<double>(table.row_ticks[row]) * ticks_to_rate);
}

Grown tree_of(const Table& table, double ticks_to_rate) {
  const ChildIndex children(table);
  Grown grown;
  grown.row_of = {children.roots()[0]};
  for (std::size_t at = 0; at < grown.row_of.size(); ++at) {
    const std::uint32_t row = grown.row_of[at];
    CountTree::Node node;
    node.count = static_cast<double>(table.count[row]);
    node.variance = variance_of(table, row, ticks_to_rate);
    node.depth = table.depth[row];
    node.first = static_cast<std::uint32_t>(grown.row_of.size());
    for (const std::uint32_t child : children.of(row)) grown.row_of.push_back(child);
    node.last = static_cast<std::uint32_t>(grown.row_of.size());
    grown.tree.nodes.push_back(node);
  }
  return grown;
}

// The tree of halvings whose leaves are the children of the table's root, even inside. Maps are published as their leaves.
Grown quadtree_of(const Table& table, double ticks_to_rate) {
  Grown grown;
  struct Open {
    Rect rect;
    std::vector<std::uint32_t> rows;
  };
  std::vector<Open> open(1);
  open[0].rect = rect_of(table.box(0));
  for (std::uint32_t row = 1; row < table.rows(); ++row) open[0].rows.push_back(row);
  grown.tree.nodes.resize(1);
  grown.row_of = {0};
  for (std::size_t at = 0; at < open.size(); ++at) {
    const Open now = std::move(open[at]);
    const Rect whole = now.rect;
    if (now.rows.size() <= 1) {
      if (now.rows.empty()) continue;
      const std::uint32_t row = now.rows[0];
      grown.row_of[at] = row;
      grown.tree.nodes[at].count = static_cast<double>(table.count[row]);
      grown.tree.nodes[at].variance = variance_of(table, row, ticks_to_rate);
      continue;
    }
    std::vector<Interval> xs = {whole.x}, ys = {whole.y};
    const auto halve = [](std::vector<Interval>& sides) {
      const Interval side = sides[0];
      if (side.width() < 2) return;
      const std::uint32_t middle = side.lo + side.width() / 2;
      sides = {{side.lo, middle}, {middle, side.hi}};
    };
    halve(xs);
    halve(ys);
    grown.tree.nodes[at].first = static_cast<std::uint32_t>(open.size());
    for (const Interval x : xs) {
      for (const Interval y : ys) {
        Open part{{x, y}, {}};
        for (const std::uint32_t row : now.rows) {
          const Rect rect = rect_of(table.box(row));
          if (rect.x.lo >= x.lo && rect.x.hi <= x.hi && rect.y.lo >= y.lo && rect.y.hi <= y.hi) part.rows.push_back(row);
        }
        CountTree::Node node;
        node.depth = static_cast<std::uint16_t>(grown.tree.nodes[at].depth + 1);
        node.share = static_cast<double>(part.rect.cells()) / static_cast<double>(whole.cells());
        grown.tree.nodes.push_back(node);
        grown.row_of.push_back(0);
        open.push_back(std::move(part));
      }
    }
    grown.tree.nodes[at].last = static_cast<std::uint32_t>(open.size());
  }
  return grown;
}

// A map of a stop: what its leaves hold, and how they lie below them.
struct Factor {
  std::vector<std::size_t> axes;
  const Table* table;
  Grown grown;
  std::vector<double> theta;  // [row] of leaves
  std::size_t group;          // factors of one group have the same leaves and share what lies below them
};

}  // namespace

struct Imagination::State {
  const Release& release;
  std::vector<Factor> factors;
  std::size_t groups = 0;
  std::vector<StopMap> maps;  // of the release, one a factor
  Grown joint;

  explicit State(const Release& r) : release(r) {}

  bool own_map() const { return release.tables.size() == 1; }

  void add_factors() {
    const double to_rate = release.rate(1);
    for (std::size_t t = own_map() ? 0 : 1; t < release.tables.size(); ++t) {
      const Table& table = release.tables[t];
      maps.emplace_back(table, release.domain);
      Factor factor{table.axes, &table, {}, {}, groups};
      if (!own_map()) {
        factor.grown = quadtree_of(table, to_rate);
        factor.grown.tree.settle();
        for (const Factor& other : factors) {
          if (other.table->lo == table.lo && other.table->hi == table.hi) factor.group = other.group;
        }
      }
      if (factor.group == groups) ++groups;
      factors.push_back(std::move(factor));
    }
    for (std::size_t group = 0; group < groups && !own_map(); ++group) {
      std::vector<double> sum(0);
      double members = 0;
      for (const Factor& factor : factors) {
        if (factor.group != group) continue;
        sum.resize(factor.table->rows(), 0.0);
        for (std::size_t at = 0; at < factor.grown.row_of.size(); ++at) {
          sum[factor.grown.row_of[at]] += factor.grown.tree.theta_below(at);
        }
        ++members;
      }
      for (double& theta : sum) theta = std::min(0.98, theta / members * knob("MAPTHETA", 1));
      for (Factor& factor : factors) {
        if (factor.group == group) factor.theta = sum;
      }
    }
  }

  double base(const Box& box, const std::vector<StopMap>& of) const {
    double product = 1;
    for (std::size_t f = 0; f < factors.size(); ++f) {
      const std::vector<std::size_t>& axes = factors[f].axes;
      product *= of[f].mass(box[axes[0]], axes.size() > 1 ? box[axes[1]] : Interval{0, 1});
    }
    return product;
  }

  void add_joint() {
    const Table& table = release.tables[0];
    joint = tree_of(table, release.rate(1));
    std::vector<CountTree::Node>& nodes = joint.tree.nodes;
    std::uint16_t deepest = 0;
    for (const CountTree::Node& node : nodes) deepest = std::max(deepest, node.depth);
    std::vector<StopMap> coarser;
    for (std::uint16_t depth = 0; depth < deepest; ++depth) {
      if (own_map()) {
        coarser.clear();
        coarser.push_back(map_above(depth));
      }
      const std::vector<StopMap>& of = own_map() ? coarser : maps;
      for (const CountTree::Node& node : nodes) {
        if (node.depth != depth || node.first == node.last) continue;
        double sum = 0;
        for (std::uint32_t c = node.first; c < node.last; ++c) {
          nodes[c].share = std::max(0.0, base(table.box(joint.row_of[c]), of));
          sum += nodes[c].share;
        }
        for (std::uint32_t c = node.first; c < node.last; ++c) {
          nodes[c].share = sum > 0 ? nodes[c].share / sum : 1.0 / (node.last - node.first);
        }
      }
    }
    joint.tree.settle();
  }

  // The map as it would be if nothing below that depth had been counted.
  StopMap map_above(std::uint16_t depth) const {
    const Table& table = release.tables[0];
    std::vector<StopMap::Leaf> leaves;
    const std::vector<CountTree::Node>& nodes = joint.tree.nodes;
    for (std::size_t at = 0; at < nodes.size(); ++at) {
      if (nodes[at].depth > depth || (nodes[at].depth < depth && nodes[at].first != nodes[at].last)) continue;
      const Rect rect = rect_of(table.box(joint.row_of[at]));
      leaves.push_back({rect.x, rect.y, table.estimate[joint.row_of[at]]});
    }
    return StopMap(maps[0].width(), maps[0].height(), leaves, table.smooth);
  }

  // Densities a cell of one factor's fine map, from drawn counts of its leaves and the group's shapes below them.
  std::vector<StopMap> fine_maps(NumberSequence& numbers) const {
    std::vector<StopMap> result;
    std::vector<std::vector<double>> shapes(groups);  // [cell]: share of its leaf
    std::vector<std::vector<std::uint32_t>> counts;
    for (const Factor& factor : factors) {
      const std::vector<std::uint32_t> drawn = factor.grown.tree.draw(numbers);
      std::vector<std::uint32_t> by_row(factor.table->rows(), 0);
      for (std::size_t at = 1; at < drawn.size(); ++at) by_row[factor.grown.row_of[at]] = drawn[at];
      counts.push_back(std::move(by_row));
    }
    for (std::size_t group = 0; group < groups; ++group) {
      const Factor* model = nullptr;
      std::vector<double> mass;
      for (std::size_t f = 0; f < factors.size(); ++f) {
        if (factors[f].group != group) continue;
        model = &factors[f];
        mass.resize(counts[f].size(), 0.0);
        for (std::size_t row = 0; row < mass.size(); ++row) mass[row] += counts[f][row];
      }
      const std::uint32_t height = maps[static_cast<std::size_t>(model - factors.data())].height();
      std::vector<double>& shape = shapes[group];
      shape.assign(std::size_t{maps[static_cast<std::size_t>(model - factors.data())].width()} * height, 0.0);
      for (std::size_t row = 1; row < mass.size(); ++row) {
        scatter(rect_of(model->table->box(row)), 1, mass[row], model->theta[row], height, shape, numbers);
      }
    }
    for (std::size_t f = 0; f < factors.size(); ++f) {
      std::vector<double> density = shapes[factors[f].group];
      const std::uint32_t height = maps[f].height();
      for (std::size_t row = 1; row < counts[f].size(); ++row) {
        const Rect rect = rect_of(factors[f].table->box(row));
        for (std::uint32_t i = rect.x.lo; i < rect.x.hi; ++i) {
          for (std::uint32_t j = rect.y.lo; j < rect.y.hi; ++j) {
            double& value = density[std::size_t{i} * height + j];
            value = value * counts[f][row] + StopMap::kFloor;
          }
        }
      }
      result.emplace_back(maps[f].width(), height, std::move(density));
    }
    return result;
  }

  // Divides `share` of a leaf of `mass` trips over the cells of rect.
  static void scatter(const Rect& rect, double share, double mass, double theta, std::uint32_t height,
                      std::vector<double>& shape, NumberSequence& numbers) {
    if (rect.cells() == 1) {
      shape[std::size_t{rect.x.lo} * height + rect.y.lo] = share;
      return;
    }
    if (share * mass < 0.3) {
      const double each = share / static_cast<double>(rect.cells());
      for (std::uint32_t i = rect.x.lo; i < rect.x.hi; ++i) {
        for (std::uint32_t j = rect.y.lo; j < rect.y.hi; ++j) shape[std::size_t{i} * height + j] = each;
      }
      return;
    }
    const auto [low, high] = halves(rect);
    const double p =
        draw_share(static_cast<double>(low.cells()) / static_cast<double>(rect.cells()), theta, numbers);
    scatter(low, share * p, mass, theta, height, shape, numbers);
    scatter(high, share * (1 - p), mass, theta, height, shape, numbers);
  }

  // Puts the trips of a leaf into cells.
  struct Placer {
    const State& state;
    const std::vector<StopMap>& maps;
    NumberSequence& numbers;
    ImaginedTrips& trips;
    double theta = 0;

    void place(std::array<Rect, kMaxAxes> rects, std::uint32_t n) {
      while (n > 1) {
        std::size_t widest = 0;
        std::uint32_t side = 1;
        for (std::size_t f = 0; f < maps.size(); ++f) {
          const std::uint32_t longer = std::max(rects[f].x.width(), rects[f].y.width());
          if (longer > side) {
            side = longer;
            widest = f;
          }
        }
        if (side == 1) break;
        const auto [low, high] = halves(rects[widest]);
        const double a = std::max(0.0, maps[widest].mass(low.x, low.y));
        const double b = std::max(0.0, maps[widest].mass(high.x, high.y));
        const std::uint32_t left = draw_side(n, a + b > 0 ? a / (a + b) : 0.5, theta, numbers);
        rects[widest] = low;
        if (left == n) continue;
        if (left > 0) place(rects, left);
        rects[widest] = high;
        n -= left;
      }
      for (std::uint32_t i = 0; i < n; ++i) {
        for (std::size_t f = 0; f < maps.size(); ++f) drop(f, rects[f]);
      }
    }

    void drop(std::size_t f, Rect rect) {
      while (rect.cells() > 1) {
        const auto [low, high] = halves(rect);
        const double a = std::max(0.0, maps[f].mass(low.x, low.y)), b = std::max(0.0, maps[f].mass(high.x, high.y));
        rect = numbers.uniform() * (a + b) < a ? low : high;
      }
      const std::vector<std::size_t>& axes = state.factors[f].axes;
      trips.cells[axes[0]].push_back(rect.x.lo);
      if (axes.size() > 1) trips.cells[axes[1]].push_back(rect.y.lo);
    }
  };

  ImaginedTrips draw(NumberSequence& numbers) const {
    ImaginedTrips trips;
    trips.cells.resize(release.domain.d());
    std::vector<StopMap> fine;
    if (!own_map()) fine = fine_maps(numbers);
    const std::vector<std::uint32_t> counts = joint.tree.draw(numbers);
    Placer placer{*this, own_map() ? maps : fine, numbers, trips};
    const double scale = knob("JOINTTHETA", 1);
    for (std::size_t at = 0; at < counts.size(); ++at) {
      const CountTree::Node& node = joint.tree.nodes[at];
      if (node.first != node.last || counts[at] == 0) continue;
      placer.theta = std::min(0.98, scale * joint.tree.theta_below(at));
      const Box box = release.tables[0].box(joint.row_of[at]);
      std::array<Rect, kMaxAxes> rects;
      for (std::size_t f = 0; f < factors.size(); ++f) {
        const std::vector<std::size_t>& axes = factors[f].axes;
        rects[f] = {box[axes[0]], axes.size() > 1 ? box[axes[1]] : Interval{0, 1}};
      }
      placer.place(rects, counts[at]);
    }
    return trips;
  }
};

Imagination::Imagination(std::unique_ptr<State> state) : state_(std::move(state)) {}
Imagination::Imagination(Imagination&&) noexcept = default;
Imagination::~Imagination() = default;

Result<Imagination> Imagination::make(const Release& release) {
  if (release.answer_model != AnswerModel::maps) {
    return Error{Failure::usage, "only a release whose answers use maps can be calibrated"};
  }
  if (std::count(release.tables[0].parent.begin(), release.tables[0].parent.end(), -1) != 1) {
    return Error{Failure::usage, "only a release of one tree can be calibrated"};
  }
  auto state = std::make_unique<State>(release);
  state->add_factors();
  state->add_joint();
  return Imagination(std::move(state));
}

ImaginedTrips Imagination::draw(NumberSequence& numbers) const { return state_->draw(numbers); }

}  // namespace stopover
