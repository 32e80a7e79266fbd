#include "question/zone_gain.h"

#include <algorithm>
#include <cmath>

#include "base/portable_math.h"

namespace stopover {
namespace {

constexpr double kShare = 0.7;     // of epsilon, for pairs: the least that the plan leaves for them
constexpr double kWorthIt = 1.25;  // half-width here over that of a release of zones
constexpr double kLeast = 0.001, kRatio = 1.03;

// Two digits that count, as people write them: 0.43, 4.3, 43, 430.
std::string about(double value) {
  double unit = 0.01;
  while (value >= 100 * unit) unit *= 10;
  const auto digits = static_cast<long>(value / unit + 0.5);
  if (unit >= 1) return std::to_string(digits * static_cast<long>(unit + 0.5));
  const std::string text = std::to_string(digits);
  if (unit > 0.05) return text.substr(0, text.size() - 1) + "." + text.back();
  return "0." + std::string(text.size() < 2 ? 1 : 0, '0') + text;
}

}  // namespace

ZoneGain::ZoneGain(const QueryEngine& engine, double level) {
  const Domain& domain = engine.domain();
  if (domain.zones() != nullptr || domain.stops().size() != 2 || !(engine.rate() > 0)) return;
  double others = 1;
  for (const Axis& axis : domain.axes()) others *= axis.on_map() ? 1 : axis.cells;
  there_ = -portable_log(1 - level) / (kShare * engine.rate()) * std::sqrt(others);
}

void ZoneGain::add(const Answer& answer) {
  const bool likely = answer.calibrated;
  const double half = (likely ? answer.upper - answer.lower : answer.noise_upper - answer.noise_lower) / 2;
  likely_ = likely_ && (likely || answer.aligned);
  const double bin = half > kLeast ? portable_log(half / kLeast) / portable_log(kRatio) : 0;
  trips_[static_cast<std::size_t>(std::min(bin, static_cast<double>(kBins - 1)))] += answer.estimate;
}

std::optional<std::string> ZoneGain::note() const {
  double all = 0, passed = 0;
  for (const double trips : trips_) all += trips;
  if (there_ == 0 || !(all > 0)) return std::nullopt;
  std::size_t bin = 0;
  while (bin + 1 < kBins && passed + trips_[bin] < all / 2) passed += trips_[bin++];
  // The middle of the bin.
  const double here = kLeast * portable_pow(kRatio, static_cast<double>(bin) + 0.5);
  if (here < kWorthIt * there_) return std::nullopt;
  return "a release of these zones (docs/guide/zones.md) would be better here: at the same epsilon a busy pair would "
         "be within about " +
         about(there_) + " trips; this one counts on a grid, and the pair of a typical trip is " +
         (likely_ ? "" : "at best ") + "within about " + about(here);
}

}  // namespace stopover
