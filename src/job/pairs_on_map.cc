#include "job/pairs_on_map.h"

#include <fmt/format.h>

#include "base/grouped.h"
#include "exports/feature_writer.h"
#include "text/figure_text.h"

namespace stopover {

Result<PairsOnMap> PairsOnMap::of(ExportJob& job, const Wanted& wanted) {
  const ZoneSet& zones = *job.release.domain.zones();
  if (!zones.has_places()) {
    return Error{Failure::bad_input,
                 "the release's zones are names, and nothing is known of where they lie\n  Of names there are "
                 "`as zones`, omx and sumo."};
  }
  Result<ExportJob::Leg> leg = job.leg();
  if (!leg) return leg.error();
  Result<ZoneFlows> flows = ZoneFlows::of_own(job.release);
  if (!flows) return flows.error();
  LargestPairs::Wanted largest{.stays = wanted.stays};
  if (wanted.most) largest.most = *wanted.most;
  const bool by_size = job.spec.at_least || !wanted.most;
  if (by_size) largest.least = job.spec.at_least.value_or(1);
  Result<LargestPairs> found =
      LargestPairs::of(*flows, leg->from, leg->to, largest, [&] { return job.observer.check(); });
  if (!found) return found.error();
  if (by_size) {
    job.card.notes.push_back(fmt::format("Pairs of fewer than {} trips, as estimated, are left out.", largest.least));
    job.card.settings.emplace_back("at_least", fmt::format("{}", largest.least));
  }
  job.facts["flows"] = found->pairs.size();
  job.facts["left_out"] = {{"pairs", found->left_out}, {"trips", rounded(found->trips_left_out)}};
  job.summary = fmt::format("{} flows between zones; {} pairs with {:.0f} trips together left out",
                            grouped(found->pairs.size()), grouped(found->left_out), found->trips_left_out);
  return PairsOnMap(zones, *std::move(flows), *std::move(leg), *std::move(found));
}

FlowMapData PairsOnMap::flow_map() const { return flow_map_data(*zones_, found_); }

std::string PairsOnMap::geojson(const ExportJob& job) {
  FeatureWriter writer(job.encoded);
  const auto place = [&](std::size_t zone) { return GeoPoint{(*zones_)[zone].place.x, (*zones_)[zone].place.y}; };
  for (const LargestPairs::Pair& pair : found_.pairs) {
    const Answer a = flows_.between(leg_.from, pair.from, leg_.to, pair.to);
    writer.line({place(pair.from), place(pair.to)}, {{"from", json_text(flows_.names()[pair.from])},
                                                     {"to", json_text(flows_.names()[pair.to])},
                                                     {"estimate", json_number(a.estimate)},
                                                     {"noise_lower", json_number(a.noise_lower)},
                                                     {"noise_upper", json_number(a.noise_upper)},
                                                     {"lower", json_number(a.lower)},
                                                     {"upper", json_number(a.upper)}});
  }
  return std::move(writer).finish();
}

}  // namespace stopover
