// History: what was published before, as a forecast of what is counted now. Public, and a constant of the plan.
//
// A release of a series may lean on the releases of earlier periods and on public tables. All of it is public before
// the first row of the period is counted, so that it costs nothing: the plan that the kernel runs is fixed by it as by
// any parameter (privacy/AUDIT.md, "Periods"). The state is the releases themselves; nothing else is kept.
//
// With two releases or more it also says what is counted: maps in finer boxes (stop_maps.h), and the joint tree cut
// where earlier releases had their trips. Both are decided before the parts are counted, from what is public and what
// was counted above them. Otherwise it is used twice, each time after counting:
//   maps    a stop's map divides as trips lay in the last releases (place_forecast.h), as far as this period's counts
//           agree (history_filter.h), and below the last box that was counted as they did in the last one: rows that
//           were not measured. The joint tree is cut by these maps. Public tables are too coarse for it.
//   joint   the forecast of a box is a mixture of the product of the new maps and of earlier releases, each raked
//           half of the way to the new maps; how much each is worth, the counts of this period say, level by level, so
//           that periods of its own kind (weekends, summers) weigh most
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "mechanism/level_grid.h"
#include "mechanism/past_release.h"

namespace stopover {

class PlaceForecast;

struct History {
  static constexpr std::size_t kMost = 6;

  // Oldest first, a public table before all releases. REQUIRES: of one domain; at most kMost.
  std::vector<std::shared_ptr<const PastRelease>> past;

  // Whether maps can lean on any of it.
  bool tells_places() const;
  // Whether it is enough to cut by: two releases or more that tell places.
  bool foretells_cuts() const;
};

// Takes out the releases whose maps this period's counts refute: those that foretell them hardly better than that all
// parts of a box have the same number of trips. `factors`: which of the past's maps each stop of the grid has.
void drop_refuted(History& history, GridCounts& grid, double ticks_to_rate, const std::vector<std::size_t>& factors);

// As estimate_stops (grid_estimate.h), with a forecast for each stop of the grid.
std::vector<std::vector<double>> estimate_stops(GridCounts& grid, double ticks_to_rate,
                                                const std::vector<PlaceForecast>& forecasts);

// Divides the leaves of the maps of stops that were mapped together as trips lay in the last release, down to `least`
// trips at every stop: rows that were not measured, the same boxes for all stops. `maps`: tables of the same rows.
// Cuts lie at multiples of `step` (StopMap::step_of).
void place_in_leaves(const std::vector<Table*>& maps, const std::vector<PlaceForecast>& then, double least,
                     std::size_t most_rows, std::uint32_t step);

// A box of the joint tree: where it is, and its mass under the product of the new maps.
struct ForecastBox {
  Box box;
  double mu = 0;
};

// How the trips of boxes lie, from the product of the maps and history.
class JointForecast {
 public:
  explicit JointForecast(const History& history) : history_(history) {}

  // Of every box, a share of all trips under each candidate: the product first, then releases from the last one back.
  std::vector<double> candidates(const ForecastBox& box) const;
  std::size_t size() const { return history_.past.size() + 1; }
  // What is expected of the candidates before anything is seen: weights that sum to 1.
  std::vector<double> prior() const;
  static double mix(const std::vector<double>& weights, const std::vector<double>& candidates);
  // Weights of the candidates by non-negative least squares: `shares` of boxes with counts z of variance w, which have
  // `total` trips in all. Drawn towards what is expected of history before anything is seen.
  std::vector<double> weigh(const std::vector<std::vector<double>>& shares, const std::vector<double>& z,
                            const std::vector<double>& w, double total) const;

 private:
  const History& history_;
};

// What anchor's joint tree believes with a forecast: moves table.estimate, which estimate_over_base set, towards it;
// not negative and adding up. Leaves are then divided as the forecast says, into rows that were not measured; `divide`
// gives the parts of a leaf. (JointBoxes::grow needs the trees: the mechanism passes it.)
struct ForecastRows {
  std::vector<ForecastBox> boxes;     // of every row
  const std::vector<bool>& followed;  // as in BaseRows
};

// The weights of the candidates at the depth of the leaves; none, and the estimates as they were, where counts refute
// all of history.
std::vector<double> estimate_over_history(Table& table, const ForecastRows& rows, double ticks_to_rate,
                                          const JointForecast& forecast);

}  // namespace stopover
