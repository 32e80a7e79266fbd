// Releases of many shapes for tests and benchmarks: synthetic, valid, the same for the same seed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "query/box_query.h"
#include "release/consistency.h"
#include "release/release.h"

namespace stopover::synthetic {

using Random = std::mt19937_64;

inline std::uint64_t below(Random& random, std::uint64_t n) { return random() % n; }
inline double unit(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

inline Release empty(const std::vector<std::uint64_t>& shape) {
  Release release;
  release.domain = *Domain::of_shape(shape);
  release.mechanism = "synthetic";
  release.epsilon = kMaxTicks;
  Table table;
  table.name = "joint";
  table.ticks = kMaxTicks;
  for (std::size_t i = 0; i < shape.size(); ++i) table.axes.push_back(i);
  table.lo.resize(shape.size());
  table.hi.resize(shape.size());
  release.tables.push_back(std::move(table));
  return release;
}

inline void settle(Release& release) { make_consistent(release.tables[0], 1 / (1e9 * release.k)); }

inline std::int64_t some_count(Random& random) { return static_cast<std::int64_t>(below(random, 120)) - 20; }

// Divides `box` along each axis into parts[i] nearly equal intervals and appends the pieces as children of `parent`.
inline std::vector<std::size_t> append_grid(Table& table, const Box& box, std::int32_t parent,
                                            const std::vector<std::uint32_t>& parts, Ticks ticks, Random& random) {
  std::vector<std::size_t> rows;
  std::vector<std::uint32_t> at(parts.size(), 0);
  for (;;) {
    Box piece = box;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::uint64_t width = box[i].width();
      piece[i] = {box[i].lo + static_cast<std::uint32_t>(width * at[i] / parts[i]),
                  box[i].lo + static_cast<std::uint32_t>(width * (at[i] + 1) / parts[i])};
    }
    rows.push_back(table.append(piece, parent, some_count(random), ticks, 0));
    std::size_t axis = parts.size();
    while (axis > 0 && ++at[axis - 1] == parts[axis - 1]) at[--axis] = 0;
    if (axis == 0) return rows;
  }
}

// A flat grid under a root that was measured with root_ticks (0: not).
inline Release flat(const std::vector<std::uint64_t>& shape, const std::vector<std::uint32_t>& parts, Ticks ticks,
                    Ticks root_ticks = 0) {
  Release release = empty(shape);
  Table& table = release.tables[0];
  Random random(1);
  const std::size_t root = table.append(release.domain.whole(), -1, root_ticks > 0 ? 1000 : 0, root_ticks, 0);
  append_grid(table, release.domain.whole(), static_cast<std::int32_t>(root), parts, ticks, random);
  settle(release);
  return release;
}

// As DAF grows it: a measured root, axis i divided at depth i, every node another fan-out near fans[i], every row
// measured.
inline Release daf_like(const std::vector<std::uint64_t>& shape, const std::vector<std::uint32_t>& fans, Ticks ticks,
                        std::uint64_t seed = 1) {
  Release release = empty(shape);
  Table& table = release.tables[0];
  Random random(seed);
  std::vector<std::size_t> level = {table.append(release.domain.whole(), -1, 1000, ticks / 100, 0)};
  for (std::size_t axis = 0; axis < fans.size(); ++axis) {
    std::vector<std::size_t> next;
    for (const std::size_t row : level) {
      const Box box = table.box(row);
      std::vector<std::uint32_t> parts(shape.size(), 1);
      const auto fan = static_cast<std::uint32_t>(fans[axis] / 2 + below(random, fans[axis]) + 1);
      parts[axis] = std::min(fan, box[axis].width());
      for (const std::size_t child :
           append_grid(table, box, static_cast<std::int32_t>(row), parts, ticks * (axis + 1) / 4 + 1, random)) {
        next.push_back(child);
      }
    }
    level = std::move(next);
  }
  settle(release);
  return release;
}

// Anything a table may be: random shape (odd, width 1), several roots, unary chains, unmeasured inner rows, wide
// families, different rates.
inline Release any(std::size_t d, std::uint64_t seed, std::size_t rows_wanted) {
  Random random(seed);
  std::vector<std::uint64_t> shape;
  for (std::size_t i = 0; i < d; ++i) shape.push_back(below(random, 4) == 0 ? 1 : 2 + below(random, d < 4 ? 60 : 9));
  Release release = empty(shape);
  Table& table = release.tables[0];
  const auto ticks = [&](bool leaf) -> Ticks {
    return !leaf && below(random, 3) == 0 ? 0 : static_cast<Ticks>(1'000'000 + below(random, 999'000'000));
  };
  std::vector<std::size_t> open;
  std::vector<std::uint32_t> cut(d, 1);
  const std::size_t axis = below(random, d);
  cut[axis] = static_cast<std::uint32_t>(1 + below(random, std::min<std::uint64_t>(shape[axis], 3)));
  for (const std::size_t row : append_grid(table, release.domain.whole(), -1, cut, ticks(false), random))
    open.push_back(row);
  while (!open.empty() && table.rows() < rows_wanted) {
    const std::size_t pick = below(random, open.size());
    const std::size_t row = open[pick];
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(pick));
    const Box box = table.box(row);
    std::vector<std::uint32_t> parts(d, 1);
    const std::uint64_t kind = below(random, 4);
    for (std::size_t i = 0; i < d; ++i) {
      const std::uint32_t width = box[i].width();
      if (kind == 0) parts[i] = std::min(width, d < 4 ? 12u : 3u);
      if (kind == 1) parts[i] = std::min(width, 2u);
    }
    const std::size_t one = below(random, d);
    if (kind == 2) parts[one] = static_cast<std::uint32_t>(1 + below(random, box[one].width()));
    for (const std::size_t child : append_grid(table, box, static_cast<std::int32_t>(row), parts, ticks(false), random))
      open.push_back(child);
  }
  const std::vector<bool> leaves = table.leaves();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (leaves[row]) table.row_ticks[row] = ticks(true);
    if (table.row_ticks[row] == 0) table.count[row] = 0;
  }
  settle(release);
  return release;
}

// Two uniform edges an axis; a third of the axes whole; whole cells or real edges.
inline BoxQuery some_box(const Domain& domain, Random& random, bool whole_cells, bool all_axes = false) {
  BoxQuery query = BoxQuery::whole(domain);
  for (std::size_t i = 0; i < domain.d(); ++i) {
    if (!all_axes && below(random, 3) == 0) continue;
    const std::uint32_t cells = domain.axis(i).cells;
    double a = unit(random) * cells, b = unit(random) * cells;
    if (a > b) std::swap(a, b);
    if (whole_cells) {
      a = static_cast<std::uint32_t>(a);
      b = static_cast<std::uint32_t>(b) + 1;
    }
    query.lo[i] = a;
    query.hi[i] = b;
  }
  return query;
}

}  // namespace stopover::synthetic
