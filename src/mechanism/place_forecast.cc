#include "mechanism/place_forecast.h"

#include <utility>

namespace stopover {
namespace {

constexpr double kAging = 0.4;  // a release counts for less than the next one: maps drift more than they are unsure

// Of the last `most` releases.
StopMap places_of(const History& history, std::size_t factor, std::size_t most) {
  const StopMap& size = history.past.back()->map(factor);
  StopMap::Density sum(size.width(), size.height());
  double weight = 1;
  for (std::size_t i = history.past.size(); i-- > 0 && most > 0;) {
    if (!history.past[i]->tells_places()) continue;
    history.past[i]->add_places(factor, weight, sum);
    weight *= kAging;
    --most;
  }
  return StopMap(std::move(sum));
}

}  // namespace

PlaceForecast::PlaceForecast(const History& history, std::size_t factor)
    : all_(places_of(history, factor, History::kMost)), last_(places_of(history, factor, 1)) {}

}  // namespace stopover
