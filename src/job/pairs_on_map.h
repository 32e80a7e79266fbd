// PairsOnMap: flows between a release's own zones, to be drawn between their places.
//
//   const Result<PairsOnMap> pairs = PairsOnMap::of(job, {.most = 2000, .stays = false});
//   if (Status s = job.describe(); !s) return s;
//   const std::string lines = pairs->geojson(job);
//
// The leg is that of `from` and `to`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "exports/flow_map_data.h"
#include "exports/largest_pairs.h"
#include "exports/zone_flows.h"
#include "job/export_job.h"

namespace stopover {

class PairsOnMap {
 public:
  struct Wanted {
    // Without it all pairs of `at_least` trips, of at least one trip unless that is asked for.
    std::optional<std::uint64_t> most;
    bool stays = true;  // also pairs of a zone with itself
  };

  // Tells on the card and in the facts what is left out. Fails (bad_input) where the zones are names alone or the
  // release has one stop, (usage) where a stop of the leg has no zones. REQUIRES: the domain has zones.
  static Result<PairsOnMap> of(ExportJob& job, const Wanted& wanted);

  const LargestPairs& found() const { return found_; }
  FlowMapData flow_map() const;
  // A line for each, or a point where it stays, largest first, with its intervals. REQUIRES: the job is described.
  std::string geojson(const ExportJob& job);

 private:
  PairsOnMap(const ZoneSet& zones, ZoneFlows flows, ExportJob::Leg leg, LargestPairs found)
      : zones_(&zones), flows_(std::move(flows)), leg_(std::move(leg)), found_(std::move(found)) {}

  const ZoneSet* zones_;
  ZoneFlows flows_;
  ExportJob::Leg leg_;
  LargestPairs found_;
};

}  // namespace stopover
