// GridForecast: what a mechanism that lays one equal grid will do, from its formula alone. Exact up to the noise of the
// total from which the grid is derived.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "plan/synthetic_city.h"

namespace stopover {

struct GridForecast {
  double partitions = 0;
  double side = 0;      // of a partition, at every stop
  double noise_95 = 0;  // of one partition's count
  // By side asked for: what the noise alone does at 95 % to a square of that side at every stop, in trips; the
  // partitions in it are taken to be as many as its share of the map says, at least one.
  std::vector<double> query_noise_95;
};

// `epsilon` is the effective one, divided by k. Nothing for mechanisms that grow with the data (trees, anchor).
// REQUIRES: n >= 1, epsilon > 0.
std::optional<GridForecast> forecast_grid(std::string_view mechanism, double n, double epsilon, std::size_t stops,
                                          const MapSize& map, std::span<const double> sides);

// P(|X| <= this) >= 0.95 for the noise X of one count that was bought with `epsilon` (divided by k).
double count_noise_95(double epsilon);

}  // namespace stopover
