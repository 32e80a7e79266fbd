// Drawn trips as a MATSim population (population_v6): one agent a trip, who acts at each stop and travels between.
//
// Places are longitude and latitude (the file says EPSG:4326), drawn evenly inside the cell, or the place of a zone.
// An agent leaves the first stop at the hour that the release has for it, else evenly within `hours`; the other stops
// at their own hours where the release has them, else at once. The card stands in the population's attributes.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "exports/day_hours.h"
#include "synthetic/generate.h"

namespace stopover {

struct MatsimOptions {
  std::uint64_t seed = 1;
  DayHours hours;
  std::string mode = "car";
  std::string card;  // JSON text
};

// Fails: bad_input where a stop is no place, or there is only one; internal where the file cannot be written,
// disk_full.
Status write_matsim_plans(const SyntheticTrips& trips, const MatsimOptions& options, const std::string& path);

// Whether the release says when trips leave their first stop.
bool has_departures(const Domain& domain);

}  // namespace stopover
