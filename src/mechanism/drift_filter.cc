#include "mechanism/drift_filter.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stopover {
namespace {

constexpr double kLeastKappa = 1e-4, kKappaStep = 6.3;
constexpr int kSteps = 12;            // of EM
constexpr double kPseudoCounts = 20;  // that speak for the first weights

double kappa_of(std::size_t k) { return kLeastKappa * std::pow(kKappaStep, static_cast<double>(k)); }

// exp(x^2) erfc(x), for any x that is not far below 0.
double erfcx(double x) {
  if (x < 20) return std::exp(x * x) * std::erfc(x);
  // Asymptotic: 1/(x sqrt pi) (1 - 1/2x^2 + 3/4x^4).
  const double r = 1 / (x * x);
  return (1 - r * (0.5 - 0.75 * r)) / (x * std::sqrt(std::numbers::pi));
}

// x ~ N(f, v), z = x + Laplace of variance w: the logarithm of the density of z, and the posterior mean and variance.
struct Component {
  double log_density = 0, mean = 0, variance = 0;
};

Component component(double f, double v, double z, double w) {
  const double b = std::sqrt(w / 2), d = z - f;
  if (v < 1e-9 * w) return {-std::abs(d) / b - std::log(2 * b), f, v};
  // Given the sign of z - x the posterior is a normal law about f +- v/b, cut off at z. The two sides have the weights
  // erfc((v/b -+ d)/sqrt 2v) e^((v/b)^2/2v -+ d/b).
  const double s = std::sqrt(2 * v), up = (v / b - d) / s, down = (v / b + d) / s;  // x < z has mean f + v/b
  Component made;
  if (up > -20 && down > -20) {
    const double a_up = erfcx(up), a_down = erfcx(down);
    made.log_density = -d * d / (2 * v) + std::log((a_up + a_down) / (4 * b));
    made.mean = f + v / b * (a_up - a_down) / (a_up + a_down);
  } else {
    // One side has all the weight: x is on the far side of z for sure.
    const double sign = d > 0 ? 1 : -1;
    made.log_density = v / (2 * b * b) - std::abs(d) / b - std::log(2 * b);
    made.mean = f + sign * v / b;
  }
  made.variance = v * w / (v + w);
  return made;
}

double variance_of(const Forecast& count, double kappa) {
  const double a = std::max(count.f, count.floor);
  return count.f + std::max(kappa, count.least_kappa) * a * a + 1e-6;
}

}  // namespace

DriftFilter::DriftFilter(const std::vector<Forecast>& counts) {
  // Half of the first weights on kappas above 1, where a forecast says next to nothing.
  std::array<double, kKappas> first{};
  double sum = 0;
  for (std::size_t k = 0; k < kKappas; ++k) sum += first[k] = kappa_of(k) >= 0.3 ? 2 : 1;
  for (double& weight : first) weight /= sum;
  weights_ = first;
  std::vector<std::array<double, kKappas>> likelihood(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    double most = -1e300;
    for (std::size_t k = 0; k < kKappas; ++k) {
      likelihood[i][k] =
          component(counts[i].f, variance_of(counts[i], kappa_of(k)), counts[i].z, counts[i].w).log_density;
      most = std::max(most, likelihood[i][k]);
    }
    for (double& each : likelihood[i]) each = std::exp(each - most);
  }
  for (int step = 0; step < kSteps; ++step) {
    std::array<double, kKappas> told{};
    for (std::size_t k = 0; k < kKappas; ++k) told[k] = kPseudoCounts * first[k];
    for (const auto& each : likelihood) {
      double all = 0;
      for (std::size_t k = 0; k < kKappas; ++k) all += weights_[k] * each[k];
      for (std::size_t k = 0; k < kKappas; ++k) told[k] += weights_[k] * each[k] / all;
    }
    const double n = kPseudoCounts + static_cast<double>(counts.size());
    for (std::size_t k = 0; k < kKappas; ++k) weights_[k] = told[k] / n;
  }
}

Believed DriftFilter::operator()(const Forecast& count) const {
  std::array<Component, kKappas> parts;
  double most = -1e300;
  for (std::size_t k = 0; k < kKappas; ++k) {
    parts[k] = component(count.f, variance_of(count, kappa_of(k)), count.z, count.w);
    most = std::max(most, parts[k].log_density);
  }
  double sum = 0, mean = 0, square = 0;
  for (std::size_t k = 0; k < kKappas; ++k) {
    const double weight = weights_[k] * std::exp(parts[k].log_density - most);
    sum += weight;
    mean += weight * parts[k].mean;
    square += weight * (parts[k].variance + parts[k].mean * parts[k].mean);
  }
  mean /= sum;
  return {mean, std::max(1e-9, square / sum - mean * mean)};
}

}  // namespace stopover
