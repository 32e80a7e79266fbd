// Zones for tests: n x n squares that fill a map from 10 to 11 degrees east and from 0 to 1 north.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "domain/zone_set.h"

namespace stopover {

inline std::shared_ptr<const ZoneSet> squares(std::size_t n) {
  std::vector<ZoneRecord> zones;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const auto edge = [&](std::size_t at) { return static_cast<double>(at) / static_cast<double>(n); };
      const Ring ring = {{10 + edge(i), edge(j)},
                         {10 + edge(i + 1), edge(j)},
                         {10 + edge(i + 1), edge(j + 1)},
                         {10 + edge(i), edge(j + 1)}};
      const PlanePoint middle{(ring[0].x + ring[2].x) / 2, (ring[0].y + ring[2].y) / 2};
      zones.push_back({std::to_string(i) + "-" + std::to_string(j), middle, {{ring}}, {}});
    }
  }
  return std::make_shared<const ZoneSet>(*ZoneSet::make(std::move(zones), {}, ZoneForm::polygons));
}

}  // namespace stopover
