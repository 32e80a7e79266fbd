#include "calibrate/probe_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/portable_math.h"

namespace stopover {
namespace {

constexpr std::size_t kTaus = 61, kShapes = 5, kShares = 5, kClasses = Probes::kClasses, kGroups = Probes::kGroups;
constexpr double kLeastTau = 0.03, kMostTau = 12;
constexpr std::array<double, kShares> kShare = {0.35, 0.5, 0.65, 0.8, 0.95};
constexpr std::array<double, 7> kTails = {0.25, 0.1, 0.05, 0.025, 0.0125, 0.005, 0.0025};
// What cities looked like: the mean distance per class, above and below.
constexpr std::array<double, kClasses> kPriorAbove = {0.3, 0.25, 0.28, 0.33, 0.38, 0.4, 0.4};
constexpr std::array<double, kClasses> kPriorBelow = {0.28, 0.28, 0.28, 0.28, 0.33, 0.36, 0.38};
// Of ln tau: the first class, from a class to the next one, a group. Boxes without signal say little of the others.
constexpr double kStart = 0.3, kDeparture = 0.15;
constexpr std::array<double, kClasses - 1> kStep = {0.2, 0.2, 0.5, 0.15, 0.1, 0.1};
// Large boxes err by sums of many leaves, which come near to a normal law; small ones by whether a trip is there.
using ShapePrior = std::array<double, kShapes>;
constexpr ShapePrior kAnyShape = {0.2, 0.2, 0.2, 0.2, 0.2}, kLightTails = {0.5, 0.25, 0.15, 0.07, 0.03},
                     kNearNormal = {0.8, 0.14, 0.04, 0.015, 0.005};
constexpr std::array<ShapePrior, kClasses> kShapeAbove = {kAnyShape,   kAnyShape,   kAnyShape,  kLightTails,
                                                          kLightTails, kNearNormal, kNearNormal};
constexpr std::array<ShapePrior, kClasses> kShapeBelow = {kLightTails, kLightTails, kLightTails, kLightTails,
                                                          kLightTails, kNearNormal, kNearNormal};

using Line = std::array<double, kTaus>;
using Weights = std::vector<double>;  // [tau][share][shape]

// The grid of tau, even in its logarithm.
struct TauGrid {
  Line log{}, tau{};
  TauGrid() {
    for (std::size_t i = 0; i < kTaus; ++i) {
      log[i] = portable_log(kLeastTau) + static_cast<double>(i) * portable_log(kMostTau / kLeastTau) / (kTaus - 1);
      tau[i] = portable_exp(log[i]);
    }
  }
};
const TauGrid kGrid;

// A law of distances: Q(z), the chance of more than z, and T(z), its integral from z on. T(0) = tau.
struct Law {
  double tau;
  std::size_t shape;
  double beyond(double z) const {
    if (shape == 0) return std::erfc(z / (tau * kRootPi));
    if (shape == 1) return portable_exp(-std::min(700.0, z / tau));
    return std::pow(1 + heavy() * z / (tau * (1 - heavy())), -1 / heavy());
  }
  double integral(double z) const {
    // Half-normal of mean tau: sigma = tau sqrt(pi/2), and the integral of its tail by parts.
    if (shape == 0) {
      const double u = z / (tau * kRootPi);
      return std::max(0.0, tau * portable_exp(-std::min(700.0, u * u)) - z * std::erfc(u));
    }
    if (shape == 1) return tau * portable_exp(-std::min(700.0, z / tau));
    return tau * std::pow(1 + heavy() * z / (tau * (1 - heavy())), 1 - 1 / heavy());
  }

 private:
  static constexpr double kRootPi = 1.7724538509055159;                   // sigma sqrt 2 = tau sqrt pi
  double heavy() const { return 0.15 * static_cast<double>(shape - 1); }  // .15, .3, .45
};

// One side of one group and class.
struct Evidence {
  std::vector<double> counts;  // per band
  std::vector<double> from;    // bands begin at these distances; one more than bands: the last one's end
  double mass = 0;             // of which the expected share is taken
  double over = 0;             // mass is divided by tau + over; 0: it is not divided
  double square = 1;           // sum of squared scales over their sum
  bool seen = false;
};

double log_likelihood(const Evidence& e, const Law& law, double share, double noise) {
  double sum = 0;
  const double mass = share * (e.over > 0 ? e.mass / (law.tau + e.over) : e.mass);
  for (std::size_t b = 0; b < e.counts.size(); ++b) {
    const double to = b + 1 < e.from.size() ? law.integral(e.from[b + 1]) : 0;
    const double mu = mass * (law.integral(e.from[b]) - to);
    // The noise; a law that is only nearly right; boxes that come as a whole; rounding to ranks.
    const double variance = 2 * noise * noise + 0.0064 * mu * mu + 6 * e.square * mu + 4;
    // Far out as Laplace noise is: one entry of 168 that is far off must not rule a class.
    const double gap = e.counts[b] - mu;
    sum -= std::sqrt(1 + 2 * gap * gap / variance) - 1 + std::log(variance) / 2;
  }
  return sum;
}

Weights likelihoods(const Evidence& e, const ShapePrior& prior, double noise) {
  Weights logs(kTaus * kShares * kShapes, 0);
  for (std::size_t t = 0; t < kTaus; ++t) {
    for (std::size_t a = 0; a < kShares; ++a) {
      for (std::size_t s = 0; s < kShapes; ++s) {
        if (e.seen) logs[(t * kShares + a) * kShapes + s] = log_likelihood(e, {kGrid.tau[t], s}, kShare[a], noise);
      }
    }
  }
  const double most = *std::max_element(logs.begin(), logs.end());
  for (std::size_t i = 0; i < logs.size(); ++i) {
    logs[i] = portable_exp(std::max(-700.0, logs[i] - most)) * prior[i % kShapes] / kShares;
  }
  return logs;
}

Line over_tau(const Weights& weights) {
  Line line{};
  for (std::size_t i = 0; i < weights.size(); ++i) line[i / (kShares * kShapes)] += weights[i];
  return line;
}

void normalize(Line& line) {
  double sum = 0;
  for (double x : line) sum += x;
  for (double& x : line) x = sum > 0 ? x / sum : 1.0 / kTaus;
}

// Each entry spread by a normal law about where `shift` moves it.
Line spread(const Line& line, double shift, double sd) {
  Line result{};
  for (std::size_t i = 0; i < kTaus; ++i) {
    for (std::size_t j = 0; j < kTaus; ++j) {
      const double gap = (kGrid.log[j] - kGrid.log[i] - shift) / sd;
      result[j] += line[i] * portable_exp(-std::min(700.0, gap * gap / 2));
    }
  }
  normalize(result);
  return result;
}

Line times(Line a, const Line& b) {
  for (std::size_t i = 0; i < kTaus; ++i) a[i] *= b[i];
  normalize(a);
  return a;
}

// The weights of every group and class, given all of them: ln tau walks from class to class about the prior, groups
// depart from the walk. Forward and backward over the classes.
std::vector<std::vector<Weights>> posterior(const std::vector<std::vector<Weights>>& seen,
                                            const std::array<double, kClasses>& prior, std::size_t first) {
  const std::size_t n = kClasses;
  std::vector<std::vector<Line>> told(kGroups, std::vector<Line>(n));  // of a group's class about the walk
  for (std::size_t g = 0; g < kGroups; ++g) {
    for (std::size_t c = first; c < n; ++c) told[g][c] = spread(over_tau(seen[g][c]), 0, kDeparture);
  }
  const auto all_told = [&](std::size_t c, Line line) {
    for (std::size_t g = 0; g < kGroups; ++g) line = times(line, told[g][c]);
    return line;
  };
  std::vector<Line> forward(n), backward(n);  // without what the class itself tells
  for (std::size_t i = 0; i < kTaus; ++i) {
    const double gap = (kGrid.log[i] - portable_log(prior[first])) / kStart;
    forward[first][i] = portable_exp(-std::min(700.0, gap * gap / 2));
    backward[n - 1][i] = 1;
  }
  for (std::size_t c = first + 1; c < n; ++c) {
    forward[c] = spread(all_told(c - 1, forward[c - 1]), portable_log(prior[c] / prior[c - 1]), kStep[c - 1]);
  }
  for (std::size_t c = n - 1; c-- > first;) {
    backward[c] = spread(all_told(c + 1, backward[c + 1]), portable_log(prior[c] / prior[c + 1]), kStep[c]);
  }
  std::vector<std::vector<Weights>> result = seen;
  for (std::size_t g = 0; g < kGroups; ++g) {
    for (std::size_t c = first; c < n; ++c) {
      Line walk = times(forward[c], backward[c]);
      for (std::size_t other = 0; other < kGroups; ++other) {
        if (other != g) walk = times(walk, told[other][c]);
      }
      const Line about = spread(walk, 0, kDeparture);
      Weights& w = result[g][c];
      double sum = 0;
      for (std::size_t i = 0; i < w.size(); ++i) sum += w[i] *= about[i / (kShares * kShapes)];
      for (double& x : w) x /= sum;
    }
  }
  return result;
}

// The chance that a question is missed at distance z, over what may be so. `signal` below 0: by boxes, else by trips.
double miss(const Weights& weights, double z, double signal) {
  double sum = 0;
  for (std::size_t t = 0; t < kTaus; ++t) {
    for (std::size_t s = 0; s < kShapes; ++s) {
      const auto weight = [&](std::size_t a) { return weights[(t * kShares + a) * kShapes + s]; };
      double all = 0;
      for (std::size_t a = 0; a < kShares; ++a) all += weight(a);
      if (all < 1e-7) continue;  // far too little to matter for tails of a quarter per cent
      const Law law{kGrid.tau[t], s};
      const double q = law.beyond(z), integral = signal < 0 ? 0 : law.integral(z);
      // Trips in boxes that lie more than z above: (signal + z) Q + T of the mean signal + tau.
      const double part = signal < 0 ? q : (integral + (signal + z) * q) / (law.tau + signal);
      for (std::size_t a = 0; a < kShares; ++a) sum += weight(a) * std::min(1.0, kShare[a] * part);
    }
  }
  return sum;
}

double distance(const Weights& weights, double signal, double tail) {
  double low = 0, high = 1;
  while (high < 1e4 && miss(weights, high, signal) > tail) high *= 2;
  for (int i = 0; i < 16; ++i) {
    const double mid = (low + high) / 2;
    (miss(weights, mid, signal) > tail ? low : high) = mid;
  }
  return high;
}

}  // namespace

void fit_probes(Probes& probes, double noise) {
  const double b = noise;
  std::vector<std::vector<Weights>> above(kGroups), below(kGroups);
  for (std::size_t g = 0; g < kGroups; ++g) {
    for (std::size_t c = 0; c < kClasses; ++c) {
      const std::size_t cell = Probes::cell(g, c);
      const auto count = [&](std::size_t band) {
        return static_cast<double>(probes.counts[Probes::entry(g, c, band)]);
      };
      double mass = 0;
      for (std::size_t band = 0; band < Probes::kBands; ++band) mass += count(band);
      Evidence up;
      for (std::size_t band = 0; band < Probes::kAbove.size(); ++band) {
        up.counts.push_back(count(band));
        up.from.push_back(Probes::kAbove[band]);
      }
      up.mass = std::max(mass, std::max(2 * b, 30.0));
      up.over = probes.signals[cell];
      up.square = probes.squares[cell];
      up.seen = mass > 4 * b;
      above[g].push_back(likelihoods(up, kShapeAbove[c], b));
      Evidence down;
      for (std::size_t band = 0; band + 1 < Probes::kBelow.size(); ++band) {
        // Ranks that were expected and are not there.
        down.counts.push_back(probes.whole[cell * Probes::kBelow.size() + band] - count(Probes::kFirstBelow + band));
        down.from.push_back(Probes::kBelow[band]);
      }
      down.from.push_back(Probes::kBelow.back());
      down.mass = probes.scales[cell];
      down.square = probes.squares[cell];
      down.seen = mass > 4 * b && c >= Probes::kFirstLowerClass;
      below[g].push_back(likelihoods(down, kShapeBelow[c], b));
    }
  }
  above = posterior(above, kPriorAbove, 0);
  below = posterior(below, kPriorBelow, Probes::kFirstLowerClass);
  probes.tails.assign(kTails.begin(), kTails.end());
  probes.above.clear();
  probes.below.clear();
  for (std::size_t g = 0; g < kGroups; ++g) {
    for (std::size_t c = 0; c < kClasses; ++c) {
      for (const double tail : kTails) {
        const double up = distance(above[g][c], probes.signals[Probes::cell(g, c)], tail);
        const double down = distance(below[g][std::max(c, Probes::kFirstLowerClass)], -1, tail);
        probes.above.push_back(std::max(1e-6, up));
        probes.below.push_back(std::max(1e-6, down));
      }
    }
  }
}

}  // namespace stopover
