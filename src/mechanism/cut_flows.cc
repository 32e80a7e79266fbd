#include "mechanism/cut_flows.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "release/consistency.h"

namespace stopover {
namespace {

// Deviations of a leaf's noise: with less nothing is thought to lie there, and with less than the second it is too
// little to be gathered, or gathered at.
constexpr double kSomething = 1.5, kExcess = 3;
constexpr std::uint32_t kNarrowEnough = 12;  // cells: sides of no more are left as they are
// Of a box's own excess: another with less is rather noise. A flow of five cells leaves a fifth at the least on the
// lesser side of a cut.
constexpr double kLeastOther = 0.1;
constexpr std::size_t kMostOthers = 3;       // a flow that is cut along two axes is in four boxes
// Sides that would keep more than so much of their width are left as well, and so are boxes that would keep more than
// so much of their mass: rows that tell little are not worth their place.
constexpr double kMostKept = 0.7;

struct Lump {
  std::size_t row;
  Box box;
  double excess;
  bool sure;  // beyond kExcess
};

bool touch(const Box& a, const Box& b) {
  for (std::size_t axis = 0; axis < a.axes(); ++axis) {
    if (a[axis].hi < b[axis].lo || b[axis].hi < a[axis].lo) return false;
  }
  return true;
}

// Leaves below followed rows that seem to hold more than the base explains, by their first side.
std::vector<Lump> find_lumps(const Table& table, const CutFlowRows& rows, double ticks_to_rate) {
  const std::vector<bool> leaves = table.leaves();
  std::vector<bool> below(table.rows(), false);
  std::vector<Lump> lumps;
  for (std::size_t row = 1; row < table.rows(); ++row) {
    const auto parent = static_cast<std::size_t>(table.parent[row]);
    below[row] = below[parent] || rows.followed[parent];
    if (!leaves[row] || !below[row]) continue;
    const double excess = table.estimate[row] - rows.mu[row] * table.estimate[0];
    const double variance = noise_variance(static_cast<double>(table.row_ticks[row]) * ticks_to_rate);
    const double deviation = std::sqrt(variance);
    if (excess >= kSomething * deviation)
      lumps.push_back({row, table.box(row), excess, excess >= kExcess * deviation});
  }
  std::stable_sort(lumps.begin(), lumps.end(),
                   [](const Lump& a, const Lump& b) { return a.box[0].lo < b.box[0].lo; });
  return lumps;
}

// The part of the lump's box where it touches the others, largest first: each narrows it, if something is left.
std::optional<Box> where_it_touches(const Lump& lump, std::vector<const Lump*>& others) {
  std::sort(others.begin(), others.end(), [](const Lump* a, const Lump* b) {
    return a->excess != b->excess ? a->excess > b->excess : a->row < b->row;
  });
  Box part = lump.box;
  for (const Lump* other : others) {
    Box next = part;
    bool empty = false;
    for (std::size_t axis = 0; axis < part.axes(); ++axis) {
      const Interval& side = other->box[axis];
      next[axis].lo = std::max(part[axis].lo, side.lo > kCutReach ? side.lo - kCutReach : 0);
      next[axis].hi = std::min(part[axis].hi, side.hi + kCutReach);
      empty = empty || next[axis].lo >= next[axis].hi;
    }
    if (!empty) part = next;
  }
  bool narrower = false;
  for (std::size_t axis = 0; axis < part.axes(); ++axis) {
    const std::uint32_t width = lump.box[axis].width();
    if (width <= kNarrowEnough || part[axis].width() > kMostKept * static_cast<double>(width))
      part[axis] = lump.box[axis];
    narrower = narrower || part[axis] != lump.box[axis];
  }
  if (!narrower) return std::nullopt;
  return part;
}

// `part` and what surrounds it, a slab of the box at a time; the part last.
std::vector<Box> around(const Box& whole, const Box& part) {
  std::vector<Box> boxes;
  Box rest = whole;
  for (std::size_t axis = 0; axis < whole.axes(); ++axis) {
    const Interval side = rest[axis];
    if (part[axis].lo > side.lo) {
      rest[axis] = {side.lo, part[axis].lo};
      boxes.push_back(rest);
    }
    if (part[axis].hi < side.hi) {
      rest[axis] = {part[axis].hi, side.hi};
      boxes.push_back(rest);
    }
    rest[axis] = part[axis];
  }
  boxes.push_back(rest);
  return boxes;
}

}  // namespace

void gather_cut_flows(Table& table, const CutFlowRows& rows, double ticks_to_rate, std::size_t most_rows,
                      const std::function<double(const Box&)>& mass) {
  const std::vector<Lump> lumps = find_lumps(table, rows, ticks_to_rate);
  std::vector<std::vector<const Lump*>> others(lumps.size());
  for (std::size_t i = 0; i < lumps.size(); ++i) {
    // Sorted by their first side: what begins behind this one's end does not touch it.
    for (std::size_t j = i + 1; j < lumps.size() && lumps[j].box[0].lo <= lumps[i].box[0].hi; ++j) {
      if (!touch(lumps[i].box, lumps[j].box)) continue;
      others[i].push_back(&lumps[j]);
      others[j].push_back(&lumps[i]);
    }
  }
  for (std::size_t i = 0; i < lumps.size(); ++i) {
    const Lump& lump = lumps[i];
    if (!lump.sure || others[i].size() > kMostOthers) continue;
    std::erase_if(others[i], [&](const Lump* other) {
      return !other->sure || other->excess < kLeastOther * lump.excess;
    });
    if (others[i].empty()) continue;
    const std::optional<Box> part = where_it_touches(lump, others[i]);
    if (!part) continue;
    const double all = mass(lump.box);
    if (!(mass(*part) < kMostKept * all)) continue;
    const std::vector<Box> boxes = around(lump.box, *part);
    if (table.rows() + boxes.size() > most_rows) return;
    // What the base explains lies as it says; the excess lies in the part, the last of the boxes.
    const double explained = table.estimate[lump.row] - lump.excess;
    double left = table.estimate[lump.row];
    for (const Box& box : boxes) {
      const std::size_t made = table.append(box, static_cast<std::int32_t>(lump.row), 0, 0, 0);
      const bool last = &box == &boxes.back();
      table.estimate[made] = last ? std::max(0.0, left) : explained * mass(box) / all;
      left -= table.estimate[made];
    }
  }
}

}  // namespace stopover
