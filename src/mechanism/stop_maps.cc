#include "mechanism/stop_maps.h"

#include <algorithm>

#include "mechanism/grid_estimate.h"
#include "mechanism/level_grid.h"
#include "mechanism/map_squares.h"
#include "mechanism/place_forecast.h"

namespace stopover {
namespace {

constexpr double kLeafWeight = 1.5, kLeastWeight = 1, kMostWeight = 40;
// With history all three are times this: a fainter count leans on its forecast, and is part of the next one.
constexpr double kFiner = 0.7;
constexpr double kLeastPlaced = 2;  // trips of a leaf that history divides

// A table over a factor's axes with its unmeasured root row.
Table empty_map(const Domain& domain, std::size_t number, const Factor& factor, Ticks ticks, double total) {
  Table table;
  table.name = "map" + std::to_string(number + 1);
  table.axes = factor;
  table.ticks = ticks;
  table.smooth = true;
  table.lo.resize(factor.size());
  table.hi.resize(factor.size());
  std::vector<Interval> sides;
  for (std::size_t axis : factor) sides.push_back({0, domain.axis(axis).cells});
  table.append(Box(sides), -1, 0, 0, 0);
  table.estimate[0] = total;
  return table;
}

}  // namespace

std::vector<Table> buy_maps(Kernel& kernel, const std::vector<Factor>& factors, Ticks slice, double total,
                            double total_variance, std::size_t most_rows, const std::vector<const Borders*>& borders,
                            History* history) {
  std::vector<Table> tables;
  const Ticks each = slice / factors.size();
  for (std::size_t f = 0; f < factors.size(); ++f)
    tables.push_back(empty_map(kernel.domain(), f, factors[f], each, total));
  if (each == 0) return tables;
  const double finer = history != nullptr && history->foretells_cuts() ? kFiner : 1;
  for (const std::vector<std::size_t>& group : shared_maps(kernel.domain(), factors)) {
    std::vector<Factor> stops;
    for (std::size_t f : group) stops.push_back(factors[f]);
    const std::string view = group.size() == factors.size() ? "maps" : "maps" + std::to_string(group[0] + 1);
    // Maps of very many cells are counted in the squares that they are drawn in.
    const std::uint32_t step = map_step(kernel.domain(), stops[0]);
    Family root = kernel.pooled_view(view, stops, each * group.size(), step);
    GridCounts grid = measure_grid(
        kernel, std::move(kernel.open(std::move(root))[0]), total, total_variance,
        {kLeafWeight * finer, kLeastWeight * finer, kMostWeight * finer, most_rows, 0, false, borders[group[0]]});
    if (step > 1) to_cells(grid.tree, kernel.domain(), stops[0], step);
    const double ticks_to_rate = 1.0 / (1e9 * kernel.k());
    if (history != nullptr) drop_refuted(*history, grid, ticks_to_rate, group);
    const bool alone = history == nullptr || !history->tells_places();
    std::vector<PlaceForecast> then;
    if (!alone) {
      for (std::size_t f : group) then.emplace_back(*history, f);
    }
    const std::vector<std::vector<double>> estimates =
        alone ? estimate_stops(grid, ticks_to_rate) : estimate_stops(grid, ticks_to_rate, then);
    for (std::size_t stop = 0; stop < group.size(); ++stop) {
      Table& table = tables[group[stop]];
      table.view = view;
      for (std::size_t row = 1; row < grid.tree.rows(); ++row) grid.append_to(table, row, stop);
      table.estimate = estimates[stop];
    }
    if (alone) continue;
    std::vector<Table*> of_group;
    for (std::size_t f : group) of_group.push_back(&tables[f]);
    place_in_leaves(of_group, then, kLeastPlaced, most_rows, step);
  }
  return tables;
}

}  // namespace stopover
