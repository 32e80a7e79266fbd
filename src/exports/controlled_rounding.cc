#include "exports/controlled_rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace stopover {
namespace {

// Fractions are whole numbers of 2^-40.
constexpr std::int64_t kUnit = std::int64_t{1} << 40;

// A number as its whole part and the units beyond it, 0 <= units < kUnit.
struct Fixed {
  std::int64_t whole = 0, units = 0;

  static Fixed of(double value) {
    const double below = std::floor(value);
    Fixed fixed{static_cast<std::int64_t>(below),
                static_cast<std::int64_t>((value - below) * static_cast<double>(kUnit) + 0.5)};
    fixed.carry();
    return fixed;
  }
  void carry() {
    if (units < kUnit) return;
    units -= kUnit;
    ++whole;
  }
  Fixed& operator+=(const Fixed& other) {
    whole += other.whole;
    units += other.units;
    carry();
    return *this;
  }
};

// The edges of a flow that are still fractions, as a forest: an edge that would close a circle is made whole, or makes
// another one of the circle whole. At most one edge per node is held at a time, whatever their number.
class FractionForest {
 public:
  static constexpr std::size_t kNoSlot = std::numeric_limits<std::size_t>::max();

  // `whole`: where 1 is added for edges that were rounded up, by slot.
  FractionForest(std::size_t nodes, std::span<std::int64_t> whole) : whole_(whole), up_(nodes), seen_(nodes, 0) {}

  // An edge from `tail` to `head` with a fraction of 0 < units < kUnit.
  void add(std::uint32_t tail, std::uint32_t head, std::int64_t units, std::size_t slot) {
    Edge edge{kNone, true, units, 0, slot};
    if (!find_circle(tail, head)) {
      // Two trees become one; the one with the shorter way to its root is turned round.
      if (to_root_[0].size() <= to_root_[1].size()) {
        hang(tail, head, edge);
      } else {
        edge.child_is_tail = false;
        hang(head, tail, edge);
      }
      return;
    }
    push(edge);
    const bool below_head = settle(to_root_[1]);
    settle(to_root_[0]);
    if (edge.units == 0 || edge.units == kUnit) {
      round(edge);
    } else if (below_head) {
      edge.child_is_tail = false;
      hang(head, tail, edge);
    } else {
      hang(tail, head, edge);
    }
  }

  // What is left over: nothing where every node's edges add up, else edges that lie as near to a whole number as the
  // nodes are off in all.
  void finish() {
    for (Edge& edge : up_) {
      if (edge.parent != kNone && edge.units >= kUnit / 2) edge.units = kUnit;
      if (edge.parent != kNone) round(edge);
    }
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  // From a node to its parent.
  struct Edge {
    std::uint32_t parent = kNone;
    bool child_is_tail = true;
    std::int64_t units = 0;  // the fraction now
    std::int64_t drift = 0;  // how far it was moved from what it was
    std::size_t slot = kNoSlot;
  };

  void round(const Edge& edge) {
    if (edge.slot != kNoSlot && edge.units == kUnit) ++whole_[edge.slot];
  }

  // Whether the two nodes are in one tree; then to_root_ has the ways from each of them up to where they meet, else up
  // to their roots. A way is told by the nodes below its edges.
  bool find_circle(std::uint32_t a, std::uint32_t b) {
    ++round_;
    std::uint32_t at[2] = {a, b};
    seen_[a] = seen_[b] = round_;
    to_root_[0].clear();
    to_root_[1].clear();
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t side = 0; side < 2; ++side) {
        const std::uint32_t parent = up_[at[side]].parent;
        if (parent == kNone) continue;
        moved = true;
        to_root_[side].push_back(at[side]);
        at[side] = parent;
        if (seen_[parent] == round_) {
          std::vector<std::uint32_t>& other = to_root_[1 - side];
          other.resize(static_cast<std::size_t>(std::find(other.begin(), other.end(), parent) - other.begin()));
          return true;
        }
        seen_[parent] = round_;
      }
    }
    return false;
  }

  // Calls see(edge, sign) for the circle's edges but the new one: 1 where the edge points the way of going round from
  // the new edge's tail over its head, -1 where it points against it.
  template <typename See>
  void for_circle(const See& see) {
    for (const std::uint32_t node : to_root_[1]) see(up_[node], up_[node].child_is_tail ? 1 : -1);
    for (const std::uint32_t node : to_root_[0]) see(up_[node], up_[node].child_is_tail ? -1 : 1);
  }

  // Pushes units round the circle until an edge of it is whole: with the new edge at most `with` of them, against it at
  // most `against`. Every node's sums stay as they are. Of the two ways the one that leaves the smaller sum of squares
  // of drifts: with D = sum of sign * drift and L edges, t more units with the edge add 2 t D + t^2 L. So
  //   2 with D + with^2 L <= -2 against D + against^2 L,  that is  2 D + (with - against) L <= 0.
  void push(Edge& edge) {
    std::int64_t with = kUnit - edge.units, against = edge.units, drift = 0, length = 1;
    for_circle([&](const Edge& e, int sign) {
      with = std::min(with, sign > 0 ? kUnit - e.units : e.units);
      against = std::min(against, sign > 0 ? e.units : kUnit - e.units);
      drift += sign * e.drift;
      ++length;
    });
    const std::int64_t pushed = 2 * drift + (with - against) * length <= 0 ? with : -against;
    const auto move = [&](Edge& e, int sign) {
      e.units += sign * pushed;
      e.drift += sign * pushed;
    };
    move(edge, 1);
    for_circle(move);
  }

  // Rounds and cuts the edges of a way that are whole now; whether there were any.
  bool settle(const std::vector<std::uint32_t>& way) {
    bool cut = false;
    for (const std::uint32_t node : way) {
      Edge& edge = up_[node];
      if (edge.units != 0 && edge.units != kUnit) continue;
      round(edge);
      edge.parent = kNone;
      cut = true;
    }
    return cut;
  }

  // Makes `node` the root of its tree and hangs it below `parent`: every edge on its way to the old root turns round.
  void hang(std::uint32_t node, std::uint32_t parent, Edge edge) {
    edge.parent = parent;
    for (;;) {
      std::swap(up_[node], edge);
      if (edge.parent == kNone) return;
      const std::uint32_t next = edge.parent;
      edge.parent = node;
      edge.child_is_tail = !edge.child_is_tail;
      node = next;
    }
  }

  std::span<std::int64_t> whole_;
  std::vector<Edge> up_;                   // of each node
  std::vector<std::uint64_t> seen_;        // the round in which a node was last seen
  std::vector<std::uint32_t> to_root_[2];  // from the tail, from the head
  std::uint64_t round_ = 0;
};

// What flows through each node of a side: its total where one is given, else what its zones or groups have.
std::vector<Fixed> sums_of(const SideTotals& side, std::vector<Fixed> zones) {
  const SumTree& tree = *side.tree;
  std::vector<Fixed> sums = std::move(zones);
  sums.resize(tree.size());
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (side.total[node]) sums[node] = Fixed::of(*side.total[node]);
    if (node != tree.whole()) sums[tree[node].parent] += sums[node];
  }
  return sums;
}

// The ranges that the smallest groups make, so that cells of one pair of groups come one after the other: rounding then
// moves little from one such pair to another.
std::vector<Interval> smallest_groups(const SumTree& tree) {
  std::vector<Interval> ranges;
  for (std::size_t node = tree.zones(), from = 0; node < tree.size() && from < tree.zones(); ++node) {
    ranges.push_back(tree[node].zones);
    from = ranges.back().hi;
  }
  return ranges;
}

}  // namespace

std::vector<std::int64_t> round_table(std::span<const double> values, const SideTotals& rows,
                                      const SideTotals& columns) {
  const SumTree &from = *rows.tree, &to = *columns.tree;
  STOPOVER_CHECK(values.size() == from.zones() * to.zones(), "a table has one value per pair");
  std::vector<std::int64_t> whole(values.size());
  std::vector<Fixed> row_sums(from.zones()), column_sums(to.zones());
  FractionForest forest(from.size() + to.size(), whole);
  const auto head = [&](std::size_t node) { return static_cast<std::uint32_t>(from.size() + node); };
  const auto tail = [](std::size_t node) { return static_cast<std::uint32_t>(node); };

  for (const Interval& a : smallest_groups(from)) {
    for (const Interval& b : smallest_groups(to)) {
      for (std::size_t i = a.lo; i < a.hi; ++i) {
        for (std::size_t j = b.lo; j < b.hi; ++j) {
          const std::size_t slot = i * to.zones() + j;
          const Fixed cell = Fixed::of(values[slot]);
          whole[slot] = cell.whole;
          row_sums[i] += cell;
          column_sums[j] += cell;
          if (cell.units > 0) forest.add(tail(i), head(j), cell.units, slot);
        }
      }
    }
  }
  // The sums themselves, from the rows up. The whole of the rows and that of the columns are one edge.
  const auto add_sum = [&](std::uint32_t a, std::uint32_t b, const Fixed& sum) {
    if (sum.units > 0) forest.add(a, b, sum.units, FractionForest::kNoSlot);
  };
  const std::vector<Fixed> of_rows = sums_of(rows, std::move(row_sums));
  const std::vector<Fixed> of_columns = sums_of(columns, std::move(column_sums));
  for (std::size_t node = 0; node < from.whole(); ++node) add_sum(tail(from[node].parent), tail(node), of_rows[node]);
  for (std::size_t node = 0; node < to.whole(); ++node) add_sum(head(node), head(to[node].parent), of_columns[node]);
  add_sum(head(to.whole()), tail(from.whole()), of_rows[from.whole()]);
  forest.finish();
  return whole;
}

std::vector<std::int64_t> round_list(std::span<const double> values) {
  std::vector<std::int64_t> whole;
  whole.reserve(values.size());
  Fixed sum;
  // A value gets what the rounded sum grew by: a run has the difference of two rounded sums.
  const auto nearest = [&] { return sum.whole + (sum.units >= kUnit / 2 ? 1 : 0); };
  for (const double value : values) {
    const std::int64_t before = nearest();
    sum += Fixed::of(value);
    whole.push_back(nearest() - before);
  }
  return whole;
}

}  // namespace stopover
