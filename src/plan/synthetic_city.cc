#include "plan/synthetic_city.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "synthetic/city.h"

namespace stopover {
namespace {

std::vector<std::vector<std::uint32_t>> draw_cells(std::size_t stops, std::uint64_t trips, const MapSize& map,
                                                   std::uint64_t seed) {
  const City city(seed);
  NumberSequence numbers(seed, 2);
  std::vector<MapPoint> points(stops);
  std::vector<std::array<std::uint32_t, kMaxAxes>> rows(trips);
  for (auto& row : rows) {
    city.draw_trip(numbers, points);
    for (std::size_t s = 0; s < stops; ++s) {
      row[2 * s] = static_cast<std::uint32_t>(points[s].east * map.columns);
      row[2 * s + 1] = static_cast<std::uint32_t>(points[s].north * map.rows);
    }
  }
  std::sort(rows.begin(), rows.end());
  std::vector<std::vector<std::uint32_t>> cells(2 * stops, std::vector<std::uint32_t>(trips));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t axis = 0; axis < cells.size(); ++axis) cells[axis][i] = rows[i][axis];
  }
  return cells;
}

Matrix matrix_of(const Domain& domain, const std::vector<std::vector<std::uint32_t>>& cells) {
  MatrixBuilder builder(domain);
  std::array<std::uint32_t, kMaxAxes> cell{};
  for (std::size_t row = 0; row < cells[0].size(); ++row) {
    for (std::size_t axis = 0; axis < cells.size(); ++axis) cell[axis] = cells[axis][row];
    builder.add(std::span(cell.data(), cells.size()), 1);
  }
  return std::move(builder).build();
}

// About `share` of the axis around a cell, moved inwards at the border.
Interval around(std::uint32_t cell, double share, std::uint32_t cells) {
  const auto width = static_cast<std::uint32_t>(std::clamp(share * cells + 0.5, 1.0, static_cast<double>(cells)));
  const std::uint32_t lo = std::min(cell > width / 2 ? cell - width / 2 : 0, cells - width);
  return {lo, lo + width};
}

}  // namespace

Result<Domain> planned_domain(std::size_t stops, const MapSize& map) {
  std::vector<Axis> axes;
  std::vector<Stop> groups;
  for (std::size_t s = 0; s < stops; ++s) {
    axes.push_back({"a" + std::to_string(2 * s), map.columns, AxisKind::longitude, 0, 1, {}});
    axes.push_back({"a" + std::to_string(2 * s + 1), map.rows, AxisKind::latitude, 0, 1, {}});
    const bool last = s + 1 == stops && stops > 1;
    groups.push_back({s == 0 ? "origin" : last ? "destination" : "via" + std::to_string(s), {2 * s, 2 * s + 1}});
  }
  return Domain::make(std::move(axes), std::move(groups));
}

SyntheticCity::SyntheticCity(std::size_t stops, std::uint64_t trips, const MapSize& map, std::span<const double> sides,
                             std::uint64_t seed)
    : map_(map), cells_(draw_cells(stops, trips, map, seed)), matrix_(matrix_of(*planned_domain(stops, map), cells_)) {
  NumberSequence numbers(seed, 3);
  for (const double side : sides) {
    KnownCounts& known = questions_.emplace_back();
    known.side = side;
    for (std::size_t i = 0; i < kQuestions; ++i) {
      const std::uint64_t trip = numbers.below(trips);
      const std::size_t chosen = numbers.below(stops);
      Box one = domain().whole(), all = one;
      for (std::size_t s = 0; s < stops; ++s) {
        all[2 * s] = around(cells_[2 * s][trip], side / map.width, map.columns);
        all[2 * s + 1] = around(cells_[2 * s + 1][trip], side / map.height, map.rows);
      }
      one[2 * chosen] = all[2 * chosen];
      one[2 * chosen + 1] = all[2 * chosen + 1];
      known.one_stop.push_back({one, count(one)});
      known.all_stops.push_back({all, count(all)});
    }
  }
}

std::uint64_t SyntheticCity::count(const Box& box) const {
  const auto begin = std::lower_bound(cells_[0].begin(), cells_[0].end(), box[0].lo) - cells_[0].begin();
  const auto end = std::lower_bound(cells_[0].begin(), cells_[0].end(), box[0].hi) - cells_[0].begin();
  std::uint64_t n = 0;
  for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
    bool inside = true;
    for (std::size_t axis = 1; axis < cells_.size() && inside; ++axis) {
      inside = cells_[axis][row] - box[axis].lo < box[axis].width();
    }
    n += inside ? 1 : 0;
  }
  return n;
}

}  // namespace stopover
