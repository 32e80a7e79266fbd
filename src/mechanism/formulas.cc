#include "mechanism/formulas.h"

#include <algorithm>
#include <cmath>

namespace stopover::formulas {
namespace {

constexpr double kSqrt2 = 1.4142135623730951;

// base^exponent, at least 1 and finite whatever the noisy base is.
double granularity(double base, double exponent) {
  if (!(base > 1)) return 1;
  return std::min(std::pow(base, exponent), 1e18);
}

}  // namespace

double eug(double n, double e, int d, double c0) {
  if (d == 1) return 1;
  const double alpha = granularity(2.0 * (d - 1) / d * n * e / (kSqrt2 * c0), 2.0 / (3 * d - 2));
  return std::max(1.0, alpha * d * (3.0 * d - 2) / (3.0 * d * d - 3 * d + 2));
}

double eug_for_share(double n, double e, int d, double c0, double r) {
  if (d == 1) return 1;
  return granularity(2.0 * (d - 1) / d * std::pow(r, 1.0 / d - 0.5) * n * e / (kSqrt2 * c0), 2.0 / (3 * d - 2));
}

double eug_corrected(double n, double e, int d, double c0) {
  const double alpha = granularity(n * e / (kSqrt2 * c0), 2.0 / (d + 2));
  return std::max(1.0, alpha * d * (d + 2.0) / (d * d + 3.0 * d - 2));
}

double ebp(double n, double e, int d) { return granularity(n * e / kSqrt2, 2.0 / (3 * d)); }

double mkm(double n, int d) {
  const double at_least_3 = std::max(n, 3.0);
  return granularity(at_least_3 / std::sqrt(std::log(at_least_3)), 2.0 / (2 + d));
}

double ug(double n, double e, int d) { return granularity(n * e / 10, 2.0 / (d + 2)); }

double ag_first(double n, double e, int d) {
  if (d == 2) return std::max(10.0, std::ceil(ug(n, e, 2)) / 4);
  return std::max(2.0, ug(n, e, d) / std::pow(4.0, 2.0 / d));
}

double ag_second(double n, double e, int d) { return std::ceil(granularity(n * e / 5, 2.0 / (d + 2))); }

std::vector<double> daf_level_weights(double m0, int levels) {
  std::vector<double> weights;
  const double ratio = std::cbrt(std::max(1.0, m0));
  // Scaled to end at 1, so that no power overflows.
  for (int i = 1; i <= levels; ++i) weights.push_back(std::pow(ratio, i - levels));
  return weights;
}

double kd_height(double n, double e, int d) { return std::log2(ug(n, e, d)); }

double quadtree_height(double n, double e, int d) { return kd_height(n, e, d) + 4.0 / d; }

double htf_height(double n, double e, int) { return std::log2(granularity(n * e / 10, 1)); }

std::uint32_t intervals(double m, std::uint32_t width) {
  return static_cast<std::uint32_t>(std::clamp(std::round(m), 1.0, static_cast<double>(width)));
}

std::vector<std::uint32_t> equal_cuts(std::uint32_t lo, std::uint32_t hi, std::uint32_t m) {
  std::vector<std::uint32_t> cuts;
  cuts.reserve(m - 1);
  for (std::uint64_t j = 1; j < m; ++j) cuts.push_back(static_cast<std::uint32_t>(lo + j * (hi - lo) / m));
  return cuts;
}

}  // namespace stopover::formulas
