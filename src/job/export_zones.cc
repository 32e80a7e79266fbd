#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/grouped.h"
#include "exports/feature_writer.h"
#include "exports/plausible_trips.h"
#include "geo/json.h"
#include "job/export_adjust.h"
#include "job/export_job.h"
#include "job/pair_rows.h"
#include "job/zones_asked.h"

namespace stopover {
namespace {

// The numbers of answers, as columns.
class AnswerColumns {
 public:
  // Medians and counts stand where the release has zones.
  explicit AnswerColumns(const ZoneFlows& flows, bool with_whole = false)
      : with_median_(flows.engine().index().doubts() != nullptr), with_whole_(with_whole) {}

  void add(const Answer& a) {
    estimate_.push_back(a.estimate);
    if (with_median_) {
      median_.push_back(a.median.value_or(0));
      // A part of a leaf was not counted.
      counted_.push_back(a.aligned ? a.unprojected : 0);
      was_counted_.push_back(a.aligned);
    }
    noise_lower_.push_back(a.noise_lower);
    noise_upper_.push_back(a.noise_upper);
    bounds_lower_.push_back(a.bounds_lower);
    bounds_upper_.push_back(a.bounds_upper);
    lower_.push_back(a.lower);
    upper_.push_back(a.upper);
    calibrated_.push_back(a.calibrated ? 1 : 0);
    claimed_.push_back(a.claimed ? 1 : 0);
  }
  void add_whole(std::int64_t whole) { whole_.push_back(whole); }
  void add_to(LongTable& table) && {
    table.add("estimate", std::move(estimate_));
    if (with_median_) {
      table.add("median", std::move(median_));
      table.add("counted", std::move(counted_), std::move(was_counted_));
    }
    if (with_whole_) table.add("whole", std::move(whole_));
    table.add("noise_lower", std::move(noise_lower_));
    table.add("noise_upper", std::move(noise_upper_));
    table.add("bounds_lower", std::move(bounds_lower_));
    table.add("bounds_upper", std::move(bounds_upper_));
    table.add("lower", std::move(lower_));
    table.add("upper", std::move(upper_));
    table.add("calibrated", std::move(calibrated_));
    table.add("claimed", std::move(claimed_));
  }

 private:
  std::vector<double> estimate_, median_, counted_, noise_lower_, noise_upper_, bounds_lower_, bounds_upper_, lower_,
      upper_;
  std::vector<bool> was_counted_;
  std::vector<std::uint32_t> calibrated_, claimed_;
  std::vector<std::int64_t> whole_;
  bool with_median_, with_whole_;
};

Status write_summary(ExportJob& job, ZoneFlows& flows, const std::string& path, TableForm form) {
  const Result<double> factor = factor_without_pairs(job);
  if (!factor) return factor.error();
  if (Status s = job.describe(); !s) return s;
  std::vector<std::string> stop, zone;
  std::vector<double> share;
  AnswerColumns columns(flows);
  const double whole = flows.whole().estimate;
  std::size_t stops = 0;
  for (std::size_t s = 0; s < flows.stops(); ++s) {
    stops += flows.at_stop(s) ? 1 : 0;
    for (std::size_t z = 0; flows.at_stop(s) && z < flows.zones(); ++z) {
      const Answer a = flows.at(s, z);
      stop.push_back(job.release.domain.stops()[s].name);
      zone.push_back(flows.names()[z]);
      share.push_back(whole > 0 ? a.estimate / whole : 0);
      columns.add(scaled(a, *factor));
    }
  }
  LongTable table(zone.size());
  table.add("stop", std::move(stop));
  table.add("zone", std::move(zone));
  std::move(columns).add_to(table);
  table.add("share", std::move(share));
  job.facts["rows"] = table.rows();
  job.summary = fmt::format("{} zones at {} stops", grouped(flows.zones()), stops);
  return table.write(path, form, job.encoded, job.observer.threads);
}

Status write_drawn_pairs(ExportJob& job, const ZoneFlows& flows, const ExportJob::Leg& leg, std::uint64_t draws,
                         const std::string& path, TableForm form) {
  const std::uint64_t seed = job.seed();
  const Result<PlausibleTrips> plausible = PlausibleTrips::make(job.release);
  if (!plausible) return plausible.error();
  job.card.notes = {
      "One row per draw and pair of zones with at least one trip. Each draw is one matrix that may have been behind "
      "the "
      "release (docs/guide/exports.md)."};
  job.card.settings.emplace_back("draws", std::to_string(draws));
  job.card.settings.emplace_back("seed", std::to_string(seed));
  if (Status s = job.describe(); !s) return s;
  std::vector<std::uint32_t> draw;
  std::vector<std::string> from, to;
  std::vector<double> trips;
  for (std::uint32_t i = 1; i <= draws; ++i) {
    NumberSequence numbers(seed, 1'000'000 + i);
    const std::vector<double> counts = flows.count(plausible->draw(seed, i), leg.from, leg.to, numbers);
    for (std::size_t pair = 0; pair < counts.size(); ++pair) {
      if (counts[pair] == 0) continue;
      draw.push_back(i);
      from.push_back(flows.names()[pair / flows.zones()]);
      to.push_back(flows.names()[pair % flows.zones()]);
      trips.push_back(counts[pair]);
    }
  }
  LongTable table(draw.size());
  table.add("draw", std::move(draw));
  table.add(leg.from_name, std::move(from));
  table.add(leg.to_name, std::move(to));
  table.add("trips", std::move(trips));
  job.facts["draws"] = draws;
  job.facts["rows"] = table.rows();
  job.summary =
      fmt::format("{} draws of {} x {} zones", grouped(draws), grouped(flows.zones()), grouped(flows.zones()));
  return table.write(path, form, job.encoded, job.observer.threads);
}

}  // namespace

Status export_zones(ExportJob& job, const std::string& path, TableForm form) {
  Result<ZonesAsked> asked = ask_zones(job);
  if (!asked) return asked.error();
  ZoneFlows& flows = asked->flows;
  const std::uint64_t draws = job.draws();
  if (job.spec.summary) {
    if (draws > 0) return Error{Failure::usage, "`draws` does not go with `summary`"};
    if (job.spec.at_least) return Error{Failure::usage, "`at_least` does not go with `summary`"};
    std::vector<std::size_t> all;
    for (std::size_t stop = 0; stop < flows.stops(); ++stop) all.push_back(stop);
    if (Status s = narrow(job, *asked, all); !s) return s;
    return write_summary(job, flows, path, form);
  }
  const Result<ExportJob::Leg> leg = job.leg();
  if (!leg) return leg.error();
  if (Status s = flows.check_pairs(draws > 0); !s) return s;
  if (Status s = narrow(job, *asked, {leg->from, leg->to}); !s) return s;
  job.card.settings.emplace_back("from", leg->from_name);
  job.card.settings.emplace_back("to", leg->to_name);
  if (draws > 0) {
    if (job.spec.at_least) return Error{Failure::usage, "`at_least` does not go with `draws`"};
    return write_drawn_pairs(job, flows, *leg, draws, path, form);
  }
  PairRows pairs(job, flows, *leg);
  if (Status s = pairs.adjust(); !s) return s;
  if (Status s = job.describe(); !s) return s;
  const auto next = [&]() -> Result<std::optional<LongTable>> {
    if (pairs.done() == flows.zones()) return std::optional<LongTable>();
    std::vector<std::string> from, to;
    AnswerColumns columns(flows, job.spec.integers);
    const Status answered = pairs.next([&](std::size_t a, std::size_t b, const Answer& answer) {
      from.push_back(flows.names()[a]);
      to.push_back(flows.names()[b]);
      columns.add(answer);
      if (job.spec.integers) columns.add_whole(pairs.whole(a, b));
    });
    if (!answered) return answered.error();
    LongTable table(from.size());
    table.add(leg->from_name, std::move(from));
    table.add(leg->to_name, std::move(to));
    std::move(columns).add_to(table);
    return std::optional<LongTable>(std::move(table));
  };
  if (Status s = LongTable::write_blocks(path, form, job.encoded, job.observer.threads, next); !s) return s;
  pairs.tell();
  return {};
}

namespace {

// A zone of a release that is no area.
std::string place_of(const ZoneSet* zones, std::size_t z) {
  if (zones == nullptr || !zones->has_places()) return "null";
  return fmt::format("{{\"type\":\"Point\",\"coordinates\":[{},{}]}}", (*zones)[z].place.x, (*zones)[z].place.y);
}

}  // namespace

Result<std::string> zones_layer(ExportJob& job) {
  Result<ZonesAsked> asked = ask_zones(job);
  if (!asked) return asked.error();
  if (job.spec.as == "geojson") job.card.settings.emplace_back("layer", "zones");
  if (Status s = job.describe(); !s) return s.error();
  FeatureWriter writer(job.encoded);
  for (std::size_t z = 0; z < asked->flows.zones(); ++z) {
    std::string polygons;
    for (const std::vector<Ring>& polygon : asked->zones.all()[z].shape.polygons) {
      std::string rings;
      for (const Ring& ring : polygon) {
        std::string points;
        for (const PlanePoint& p : ring) points += fmt::format("{}[{},{}]", points.empty() ? "" : ",", p.x, p.y);
        if (!ring.empty() && !(ring.front() == ring.back())) points += fmt::format(",[{},{}]", ring[0].x, ring[0].y);
        rings += (rings.empty() ? "[" : ",[") + points + "]";
      }
      polygons += (polygons.empty() ? "[" : ",[") + rings + "]";
    }
    FeatureWriter::Properties properties = {{"zone", json_text(asked->flows.names()[z])}};
    for (std::size_t s = 0; s < asked->flows.stops(); ++s) {
      if (!asked->flows.at_stop(s)) continue;
      const std::string& stop = job.release.domain.stops()[s].name;
      const Answer a = asked->flows.at(s, z);
      properties.emplace_back(stop, json_number(a.estimate));
      properties.emplace_back(stop + "_lower", json_number(a.lower));
      properties.emplace_back(stop + "_upper", json_number(a.upper));
    }
    writer.feature(polygons.empty() ? place_of(job.release.domain.zones(), z)
                                    : "{\"type\":\"MultiPolygon\",\"coordinates\":[" + polygons + "]}",
                   properties);
  }
  job.summary = fmt::format("{} zones", grouped(asked->flows.zones()));
  return std::move(writer).finish();
}

}  // namespace stopover
