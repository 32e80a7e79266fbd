// BoxWalk: the way of a box through an index whose leaves hold trips evenly (index_walk.h). Internal to answerer.cc.
//
// Families that are grids are not scanned: the parts that a box touches are searched in the cuts and added up by their
// running sums.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "query/box_index.h"
#include "query/box_query.h"
#include "query/index_walk.h"

namespace stopover {

enum class Where { outside, inside, border };

// A box query as the walk compares it: only the axes that it narrows, in whole cells.
class Sides {
 public:
  struct Side {
    std::uint32_t axis = 0;
    std::uint32_t inside_lo = 0, inside_hi = 0;    // [lo, hi) of cells lies inside if it starts and ends within these,
    std::uint32_t outside_lo = 0, outside_hi = 0;  // outside if it ends by outside_lo or starts from outside_hi on
    double lo = 0, hi = 0;

    Side() = default;
    Side(std::size_t of, double from, double to)
        : axis(static_cast<std::uint32_t>(of)),
          inside_lo(rounded_up(from)),
          inside_hi(rounded_down(to)),
          outside_lo(rounded_down(from)),
          outside_hi(rounded_up(to)),
          lo(from),
          hi(to) {}
    // Within an axis of that many cells.
    Side(std::size_t of, double from, double to, std::uint32_t cells)
        : Side(of, std::clamp<double>(from, 0, cells), std::clamp<double>(to, 0, cells)) {}

    Where place(std::uint32_t from, std::uint32_t to) const {
      if (to <= outside_lo || from >= outside_hi) return Where::outside;
      return from >= inside_lo && to <= inside_hi ? Where::inside : Where::border;
    }
    // REQUIRES: not outside.
    double share(std::uint32_t from, std::uint32_t to) const {
      return (std::min<double>(to, hi) - std::max<double>(from, lo)) / (to - from);
    }
  };

  // `whole`: bounds that everything lies in.
  Sides(const BoxQuery& query, const std::uint32_t* whole) {
    for (std::size_t axis = 0; axis < query.axes; ++axis) {
      const Side side(axis, query.lo[axis], query.hi[axis]);
      bits_[axis] = 0;
      if (side.place(whole[2 * axis], whole[2 * axis + 1]) == Where::inside) continue;
      bits_[axis] = Mask{1} << size_;
      numbers_[axis] = static_cast<std::uint8_t>(size_);
      sides_[size_++] = side;
    }
  }

  // A bit a side: 1 where it is not yet known to be inside.
  using Mask = WalkMask;
  Mask all() const { return (Mask{1} << size_) - 1; }
  // 0 where the box takes the axis whole.
  Mask bit_of(std::size_t axis) const { return bits_[axis]; }
  const Side& of(std::size_t axis) const { return sides_[numbers_[axis]]; }

  // Whether the bounds lie outside; if not, `open` keeps the sides that cut them.
  [[gnu::always_inline]] bool outside(const std::uint32_t* bounds, Mask& open) const {
    for (Mask left = open; left != 0; left &= left - 1) {
      const Side& side = sides_[static_cast<std::size_t>(std::countr_zero(left))];
      const Where where = side.place(bounds[2 * side.axis], bounds[2 * side.axis + 1]);
      if (where == Where::outside) return true;
      if (where == Where::inside) open &= ~(left & (~left + 1));
    }
    return false;
  }
  // The covered share, given the sides that cut the bounds.
  double share(const std::uint32_t* bounds, Mask open) const {
    double product = 1;
    for (; open != 0; open &= open - 1) {
      const Side& side = sides_[static_cast<std::size_t>(std::countr_zero(open))];
      product *= side.share(bounds[2 * side.axis], bounds[2 * side.axis + 1]);
    }
    return product;
  }

 private:
  static std::uint32_t rounded_down(double x) {
    return x <= 0 ? 0 : x >= 4294967295.0 ? 0xffffffff : static_cast<std::uint32_t>(x);
  }
  static std::uint32_t rounded_up(double x) {
    const std::uint32_t below = rounded_down(x);
    return below < x && below != 0xffffffff ? below + 1 : below;
  }

  std::array<Side, kMaxAxes> sides_;
  std::array<Mask, kMaxAxes> bits_;
  std::array<std::uint8_t, kMaxAxes> numbers_;
  std::size_t size_ = 0;
};

// A box over a whole index.
struct BoxReach {
  const BoxIndex& index;
  const Sides& sides;

  WalkMask all() const { return sides.all(); }
  [[gnu::always_inline]] bool outside(std::uint32_t at, WalkMask& open) const {
    return sides.outside(index.bounds(at), open);
  }
  double share(std::uint32_t at, WalkMask open) const { return sides.share(index.bounds(at), open); }
};

template <typename Visitor>
class BoxWalk : public IndexWalk<BoxWalk<Visitor>, const BoxReach, Visitor> {
  using Base = IndexWalk<BoxWalk<Visitor>, const BoxReach, Visitor>;
  friend Base;

 public:
  BoxWalk(const BoxIndex& index, const BoxReach& reach, WalkSteps& steps, Visitor& visitor)
      : Base(index, reach, steps, visitor), sides_(reach.sides) {}

 private:
  using Base::index_;
  using Base::nodes_;
  using Base::see_border;
  using Base::sums_;
  using Base::visitor_;
  using Node = BoxIndex::Node;
  using Grid = BoxIndex::Grid;
  using GridAxis = BoxIndex::GridAxis;
  using Mask = Sides::Mask;

  // The parts of a grid along one axis: from t0 to t1 touched, from s0 to s1 inside. Before s0 and from s1 on is at
  // most one part each.
  struct Parts {
    std::uint32_t t0, t1, s0, s1;
    double first_share, last_share;
    Mask bit;  // of the side that cuts the parts that are not inside
    bool inside(std::uint32_t i) const { return i >= s0 && i < s1; }
    double share(std::uint32_t i) const { return i < s0 ? first_share : i < s1 ? 1 : last_share; }
  };

  // What is known of a row of a grid that is touched.
  struct Row {
    std::uint32_t parent, first;
    const Sums* running;
    double share;  // by the sides in open; of use where all are leaves
    Mask open;
  };

  void see_children(std::uint32_t at, Mask open) {
    if (nodes_[at].grid == BoxIndex::kNone) {
      Base::see_children(at, open);
    } else {
      see_grid(at, open);
    }
  }

  // The last part that starts at or before cell x. REQUIRES: cuts[0] <= x.
  static std::uint32_t part_of(const std::uint32_t* cuts, const GridAxis& axis, std::uint32_t x) {
    const double guess = (x - cuts[0]) * axis.parts_per_cell;
    auto i = guess < axis.parts - 1 ? static_cast<std::uint32_t>(guess) : axis.parts - 1;
    for (int tries = 0; tries < 3; ++tries) {
      if (cuts[i] > x) {
        --i;
      } else if (i + 1 < axis.parts && cuts[i + 1] <= x) {
        ++i;
      } else {
        return i;
      }
    }
    return static_cast<std::uint32_t>(std::upper_bound(cuts, cuts + axis.parts, x) - cuts) - 1;
  }

  Parts parts_of(const GridAxis& axis, Mask open, bool shares) const {
    Parts parts{0, axis.parts, 0, axis.parts, 1, 1, sides_.bit_of(axis.axis)};
    if ((parts.bit & open) == 0) return parts;
    const Sides::Side& side = sides_.of(axis.axis);
    const std::uint32_t* cuts = index_.cuts(axis);
    if (cuts[0] < side.outside_lo) parts.t0 = part_of(cuts, axis, side.outside_lo);
    if (cuts[axis.parts] > side.outside_hi) parts.t1 = part_of(cuts, axis, side.outside_hi - 1) + 1;
    const std::uint32_t last = parts.t1 - 1;
    const bool cut_first = cuts[parts.t0] < side.inside_lo;
    const bool cut_last = cuts[parts.t1] > side.inside_hi;
    parts.s0 = parts.t0;
    parts.s1 = parts.t1;
    if (cut_first || (cut_last && last == parts.t0)) {
      if (shares) parts.first_share = side.share(cuts[parts.t0], cuts[parts.t0 + 1]);
      ++parts.s0;
    }
    if (cut_last && last != parts.t0) {
      if (shares) parts.last_share = side.share(cuts[last], cuts[parts.t1]);
      --parts.s1;
    }
    return parts;
  }

  void see_grid(std::uint32_t at, Mask open) {
    const Node& node = nodes_[at];
    const Grid& grid = index_.grids()[node.grid];
    const GridAxis* const axes = index_.grid_axes().data() + grid.first_axis;
    const Sums* const running = grid.running == BoxIndex::kNone ? nullptr : index_.running().data() + grid.running;
    Row row{at, node.first, running, 1, open};
    if (grid.axes == 1) {
      const Parts parts = parts_of(axes[0], open, node.all_leaves);
      row.open &= ~parts.bit;
      if (node.all_leaves) row.share = sides_.share(index_.bounds(at), row.open);
      if constexpr (Visitor::kOutside) see_outside(row, node, axes, 0, &parts);
      see_row(row, node, parts);
      return;
    }
    std::array<Parts, kMaxAxes> parts;
    for (std::size_t i = 0; i < grid.axes; ++i) {
      parts[i] = parts_of(axes[i], open, node.all_leaves);
      row.open &= ~parts[i].bit;
    }
    if (node.all_leaves) row.share = sides_.share(index_.bounds(at), row.open);
    const std::size_t outer = grid.axes - 1;
    if constexpr (Visitor::kOutside) see_outside(row, node, axes, outer, parts.data());
    for_rows(row, axes, outer, parts.data(), [&](const Row& touched) { see_row(touched, node, parts[outer]); });
  }

  // Every touched row of a grid; `all` is what holds for all of them.
  template <typename Use>
  static void for_rows(const Row& all, const GridAxis* axes, std::size_t outer, const Parts* parts, Use use) {
    const std::uint32_t length = axes[outer].parts;
    struct Level {
      std::uint32_t part, row;
      double share;
      Mask open;
    };
    std::array<Level, kMaxAxes> levels;
    const auto enter = [&](std::size_t i, std::uint32_t part) {
      Level& level = levels[i];
      level.part = part;
      level.row = (i > 0 ? levels[i - 1].row : 0) + part * axes[i].stride;
      level.share = (i > 0 ? levels[i - 1].share : all.share) * parts[i].share(part);
      level.open = (i > 0 ? levels[i - 1].open : all.open) | (parts[i].inside(part) ? 0 : parts[i].bit);
    };
    for (std::size_t i = 0; i < outer; ++i) enter(i, parts[i].t0);
    for (;;) {
      const Level& last = levels[outer - 1];
      const Sums* running = all.running == nullptr ? nullptr : all.running + last.row * (std::size_t{length} + 1);
      use({all.parent, all.first + last.row * length, running, last.share, last.open});
      std::size_t i = outer;
      while (i > 0 && levels[i - 1].part + 1 == parts[i - 1].t1) --i;
      if (i == 0) return;
      enter(i - 1, levels[i - 1].part + 1);
      for (; i < outer; ++i) enter(i, parts[i].t0);
    }
  }

  void see_row(const Row& row, const Node& node, const Parts& along) {
    if (along.t0 < along.s0) {
      see_cut(row, node, along.t0, along.s0, row.share * along.first_share, row.open | along.bit);
    }
    if (along.s0 < along.s1) {
      if (row.open == 0) {
        visitor_.inside(row.first + along.s0, along.s1 - along.s0, row.parent,
                        [&] { return total(row, along.s0, along.s1); });
      } else {
        see_cut(row, node, along.s0, along.s1, row.share, row.open);
      }
    }
    const std::uint32_t rest = std::max(along.s0, along.s1);
    if (rest < along.t1) see_cut(row, node, rest, along.t1, row.share * along.last_share, row.open | along.bit);
  }

  [[gnu::always_inline]] void see_cut(const Row& row, const Node& node, std::uint32_t from, std::uint32_t to,
                                      double share, Mask open) {
    if (node.all_leaves) {
      visitor_.cut(row.first + from, to - from, share, row.parent, [&] { return total(row, from, to); });
      return;
    }
    for (std::uint32_t at = row.first + from; at < row.first + to; ++at) see_border(at, row.parent, open);
  }

  Sums total(const Row& row, std::uint32_t from, std::uint32_t to) const {
    if (to - from > 2 && row.running != nullptr) return row.running[to] - row.running[from];
    Sums sum = sums_[row.first + from];
    for (std::uint32_t i = from + 1; i < to; ++i) sum += sums_[row.first + i];
    return sum;
  }

  // What a grid has outside, together or, if the visitor will not have it so, in runs.
  void see_outside(const Row& all, const Node& node, const GridAxis* axes, std::size_t outer, const Parts* parts) {
    if (!visitor_.wants_outside()) return;
    const auto touched_all = [&](std::size_t i) { return parts[i].t0 == 0 && parts[i].t1 == axes[i].parts; };
    std::size_t whole = 0;
    while (whole <= outer && touched_all(whole)) ++whole;
    if (whole > outer) return;  // what rounding leaves of nothing is not a piece
    const std::uint32_t length = axes[outer].parts;
    const Parts& along = parts[outer];
    Sums sum =
        node.measurement == BoxIndex::kNone ? sums_[all.parent] : index_.measurements()[node.measurement].children;
    const auto take = [&](const Row& row) { sum = sum - total(row, along.t0, along.t1); };
    if (outer == 0) {
      take(all);
    } else {
      for_rows(all, axes, outer, parts, take);
    }
    if (visitor_.outside_together(sum)) return;
    const auto outside = [&](std::uint32_t from, std::uint32_t to) {
      if (from < to) visitor_.outside(from, to - from, all.parent);
    };
    for (std::uint32_t number = 0, first = node.first; first < node.first + node.children; ++number, first += length) {
      bool touched = true;
      for (std::size_t i = 0; i < outer; ++i) {
        const std::uint32_t part = number / axes[i].stride % axes[i].parts;
        touched = touched && part >= parts[i].t0 && part < parts[i].t1;
      }
      if (touched) {
        outside(first, first + along.t0);
        outside(first + along.t1, first + length);
      } else {
        outside(first, first + length);
      }
    }
  }

  const Sides& sides_;
};

}  // namespace stopover
