#include "job/zones_asked.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "exports/stop_places.h"
#include "geo/geojson.h"
#include "geo/h3_cover.h"
#include "geo/json.h"
#include "query/coverage_claim.h"
#include "question/question.h"
#include "question/region_json.h"
#include "question/region_text.h"

namespace stopover {
namespace {

const std::string kZonesNote =
    "Zones are asked as any question with zones is: noise_lower to noise_upper is what the noise alone leaves open, "
    "bounds_lower to bounds_upper holds wherever trips lie inside partitions that a zone cuts, lower to upper is the "
    "release's "
    "likely interval where it has one (calibrated) and the bounds where not; all at 95 % for one answer at a time.";

constexpr std::string_view kH3 = "h3:";

// Around the zones, with room for a station at its edge.
DegreeBox box_of(const ZoneSet& zones) {
  constexpr double kRoom = 1e-6;
  DegreeBox all{180, 90, -180, -90};
  const auto take = [&](const PlanePoint& p) {
    all = {std::min(all.west, p.x - kRoom), std::min(all.south, p.y - kRoom), std::max(all.east, p.x + kRoom),
           std::max(all.north, p.y + kRoom)};
  };
  for (const ZoneRecord& zone : zones.all()) {
    take(zone.place);
    for (const std::vector<Ring>& polygon : zone.polygons) std::for_each(polygon[0].begin(), polygon[0].end(), take);
  }
  return all;
}

// Where stops lie, all together. Fails (bad_input) where one is on no map.
Result<DegreeBox> map_box(const Domain& domain) {
  if (domain.zones() != nullptr && domain.zones()->has_places()) return box_of(*domain.zones());
  const Result<std::vector<StopPlace>> places = stop_places(domain);
  if (!places) return places.error();
  DegreeBox all{180, 90, -180, -90};
  for (const StopPlace& place : *places) {
    const GeoBox one = geo_box(domain, place, domain.whole());
    all = {std::min(all.west, one.west), std::min(all.south, one.south), std::max(all.east, one.east),
           std::max(all.north, one.north)};
  }
  return all;
}

// `zones h3:8`: the cells of a resolution of H3 that the map has a part of.
Result<Zones> h3_zones(const ExportJob& job) {
  constexpr std::size_t kMostCells = 100'000;
  constexpr double kPolar = 80;
  const std::string digits = job.spec.zones.substr(kH3.size());
  const bool number =
      !digits.empty() && digits.size() <= 2 && digits.find_first_not_of("0123456789") == std::string::npos;
  if (!number || std::stoi(digits) > kFinestH3) {
    return Error{Failure::usage, fmt::format("`zones {}`: H3's resolutions are 0 to {}\n  As in `zones h3:8`",
                                             job.spec.zones, kFinestH3)};
  }
  if (!job.spec.zone_name.empty()) {
    return Error{Failure::usage, fmt::format("`zone_name` does not go with `zones {}`", job.spec.zones)};
  }
  const Result<DegreeBox> box = map_box(job.release.domain);
  if (!box) return box.error();
  if (!box->on_globe() || std::max(-box->south, box->north) > kPolar) {
    return Error{Failure::bad_input,
                 fmt::format("`zones {}` needs a map within {} degrees of the equator", job.spec.zones, kPolar)};
  }
  const Result<std::vector<std::string>> ids = h3_cover(*box, std::stoi(digits), kMostCells);
  if (!ids) return Error{ids.error().failure, fmt::format("`zones {}`: {}", job.spec.zones, ids.error().message)};
  const Result<std::string> text = h3_geojson(*ids);
  if (!text) return text.error();
  return Zones::of_geojson(*text, job.spec.zones, "h3");
}

Result<Zones> asked_zones(const ExportJob& job) {
  if (job.spec.zones.starts_with(kH3)) return h3_zones(job);
  const bool given = job.spec.zones.starts_with('{');
  const Result<std::string> text = given ? Result<std::string>(job.spec.zones) : job.files.read_file(job.spec.zones);
  if (!text) return text.error();
  return Zones::of_geojson(*text, given ? "the zones" : job.spec.zones, job.spec.zone_name);
}

// STOP=REGION, the region as it is typed or as JSON.
Result<StopWhere> stop_where(ExportJob& job, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Error{Failure::usage,
                 fmt::format("`stop` must be NAME=REGION, not \"{}\"\n  As in `stop origin=time:07:00-09:00`", text)};
  }
  const std::string stop = text.substr(0, equals), region = text.substr(equals + 1);
  Result<RegionTree> read = Error{Failure::usage, "no region"};
  if (region.starts_with('{') || region.starts_with('[')) {
    const Json json = parse_json(region);
    if (json.is_discarded()) return Error{Failure::bad_input, fmt::format("`stop`: {} is not valid JSON", region)};
    read = region_of_json(json, stop);
  } else {
    read = region_of_text(region, {}, [&](const std::string& path) -> Result<Shape> {
      const Result<std::string> file = job.files.read_file(path);
      if (!file) return file.error();
      return shape_of_geojson(*file, path);
    });
  }
  if (read) return StopWhere{stop, std::move(*read)};
  const Error& e = read.error();
  return Error{e.failure, e.failure == Failure::usage ? fmt::format("`stop` {}: {}", stop, e.message) : e.message};
}

}  // namespace

Result<ZonesAsked> ask_zones(ExportJob& job) {
  const ZoneSet* own = job.release.domain.zones();
  if (job.spec.zones.empty() && own == nullptr) {
    return Error{Failure::usage, fmt::format("`as {}` needs `zones`\n  As in `zones FILE.geojson`", job.spec.as)};
  }
  Result<Zones> zones = job.spec.zones.empty() ? Result<Zones>(Zones::of_zone_set(*own)) : asked_zones(job);
  if (!zones) return zones.error();
  Result<ZoneFlows> flows =
      job.spec.zones.empty() ? ZoneFlows::of_own(job.release) : ZoneFlows::make(job.release, *zones, job.spec.overlaps);
  if (!flows) return flows.error();
  job.card.notes = {kZonesNote};
  if (job.spec.zones.starts_with(kH3)) {  // at the edge of the map there is no other way
    job.card.notes.emplace_back("Cells of H3 at the edge of the map count what lies on it.");
  } else {
    for (const std::string& note : flows->notes()) job.observer.note(note);
  }
  const CoverageClaim claim = coverage_claim(job.release);
  if (job.release.has_unread_probes()) {
    job.card.notes.push_back(fmt::format("It has no likely intervals, and bounds in their place: {}.", claim.why_not));
  } else if (job.release.has_likely_intervals() && !claim.made) {
    job.card.notes.push_back(
        fmt::format("Its likely intervals are not claimed to hold as often as they say: {}.", claim.why_not));
  }
  job.card.settings = {{"zones", std::to_string(flows->zones())}};
  job.facts["zones"] = flows->zones();
  return ZonesAsked{*std::move(zones), *std::move(flows)};
}

Status narrow(ExportJob& job, ZonesAsked& asked, const std::vector<std::size_t>& stops) {
  if (job.spec.where.empty()) return {};
  if (job.draws() > 0) {
    return Error{Failure::usage, "`stop` does not go with `draws`\n  Draws are of all trips: make another export."};
  }
  Question question;
  question.zones = std::make_shared<const Zones>(asked.zones);
  for (const std::string& text : job.spec.where) {
    Result<StopWhere> at = stop_where(job, text);
    if (!at) return at.error();
    question.where.push_back(std::move(*at));
    job.card.settings.emplace_back("where", text);
    job.facts["where"].push_back(text);
  }
  const Result<Asked> filter = asked_of(asked.flows.engine(), question);
  if (!filter) return filter.error();
  for (const std::string& note : filter->notes) job.observer.note(note);
  job.card.notes.push_back("Only trips that meet `stop` are counted.");
  return asked.flows.narrow(filter->query, stops);
}

}  // namespace stopover
