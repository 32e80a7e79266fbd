// PlaceForecast: how the trips of a stop are thought to lie before its map is counted, from earlier releases.
//
// Public: from released tables alone. A release knows the places of a stop twice: by the stop's map, and by the leaves
// of its joint tree, which were counted apart from it, with more of the budget. Where many leaves lie on one place of
// the map, their sum is the surer of the two; where a leaf is larger than what the map tells apart, the map says where
// in it trips lie. So a release's forecast is its map, drawn half of the way to what its leaves have at the stop.
#pragma once

#include <cstddef>

#include "mechanism/history.h"
#include "release/stop_map.h"

namespace stopover {

class PlaceForecast {
 public:
  // Of one of the domain's factors. REQUIRES: history.tells_places().
  PlaceForecast(const History& history, std::size_t factor);

  // The share of all trips in a box of the map: of the last release most, of each before it less.
  double share(Interval x, Interval y) const { return share_of(all_, x, y); }
  // By the last release alone, which knows best where inside small boxes trips lie.
  double last_share(Interval x, Interval y) const { return share_of(last_, x, y); }

 private:
  static double share_of(const StopMap& map, Interval x, Interval y) {
    return map.mass(x, y) / map.mass(Interval{0, map.width()}, Interval{0, map.height()});
  }

  StopMap all_, last_;
};

}  // namespace stopover
