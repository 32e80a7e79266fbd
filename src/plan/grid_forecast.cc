#include "plan/grid_forecast.h"

#include <algorithm>
#include <cmath>

#include "mechanism/formulas.h"
#include "query/noise_interval.h"
#include "release/consistency.h"

namespace stopover {
namespace {

// 10/sqrt(2): the paper's c0, with which EUG is UG at d = 2.
constexpr double kC0 = 7.0710678;
constexpr double kMostPartitions = 4194304;
constexpr double kRest = 0.99;  // the total costs a hundredth

// Intervals an axis, by the formula that the mechanism itself uses.
std::optional<double> intervals_of(std::string_view mechanism, double n, double e, int d) {
  if (mechanism == "eug") return formulas::eug(n, e, d, kC0);
  if (mechanism == "eug-corrected") return formulas::eug_corrected(n, e, d, kC0);
  if (mechanism == "ebp") return formulas::ebp(n, e, d);
  if (mechanism == "mkm") return formulas::mkm(n, d);
  if (mechanism == "ug") return formulas::ug(n, e, d);
  if (mechanism == "uniform") return 1;
  return std::nullopt;
}

}  // namespace

double count_noise_95(double epsilon) {
  // One discrete Laplace variable of that rate: the interval is in closed form.
  std::vector<NoiseTerm> terms = {{1, noise_variance(epsilon), 1}};
  return NoiseInterval(0.95).half_width(terms, {});
}

std::optional<GridForecast> forecast_grid(std::string_view mechanism, double n, double epsilon, std::size_t stops,
                                          const MapSize& map, std::span<const double> sides) {
  const bool whole = mechanism == "uniform";
  // `uniform` has its total as its only count. All others spend a hundredth on it and the rest on the grid.
  const double e = whole ? epsilon : kRest * epsilon;
  // Two axes a stop. Nothing for mechanisms whose shape depends on the data.
  const std::optional<double> formula = intervals_of(mechanism, n, e, static_cast<int>(2 * stops));
  if (!formula) return std::nullopt;
  double m = *formula, x = 1, y = 1;
  // As the mechanisms do: a grid of too many boxes is made coarser in steps of 2 %.
  for (;; m *= 0.98) {
    x = formulas::intervals(m, map.columns);
    y = formulas::intervals(m, map.rows);
    if (std::pow(x * y, static_cast<double>(stops)) <= kMostPartitions || m < 1) break;
  }
  GridForecast forecast;
  forecast.partitions = std::pow(x * y, static_cast<double>(stops));
  // The side of a square of the same area.
  forecast.side = std::sqrt(map.width / x * map.height / y);
  forecast.noise_95 = count_noise_95(e);
  for (const double side : sides) {
    // Partitions along x times those along y; a square smaller than a partition still takes part of one.
    const double at_a_stop = std::max(1.0, side / map.width * x) * std::max(1.0, side / map.height * y);
    const double touched = std::min(forecast.partitions, std::pow(at_a_stop, static_cast<double>(stops)));
    // As many partitions as the square's share of the map has, each with weight 1. Their noises are independent.
    std::vector<NoiseTerm> terms = {{1, noise_variance(e), static_cast<std::uint64_t>(touched + 0.5)}};
    forecast.query_noise_95.push_back(NoiseInterval(0.95).half_width(terms, {}));
  }
  return forecast;
}

}  // namespace stopover
