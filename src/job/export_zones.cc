#include <fmt/format.h>

#include <numeric>

#include "base/grouped.h"
#include "exports/feature_writer.h"
#include "exports/omx_file.h"
#include "exports/plausible_trips.h"
#include "exports/zone_flows.h"
#include "job/export_adjust.h"
#include "job/export_job.h"
#include "job/figure_text.h"
#include "query/coverage_claim.h"
#include "question/zones.h"

namespace stopover {
namespace {

const std::string kZonesNote =
    "Zones are asked as any question with zones is: noise_lower to noise_upper is what the noise alone leaves open, "
    "bounds_lower to bounds_upper holds wherever trips lie inside partitions that a zone cuts, lower to upper is the "
    "release's "
    "likely interval where it has one (calibrated) and the bounds where not; all at 95 % for one answer at a time.";

struct ZonesAsked {
  Zones zones;
  ZoneFlows flows;
};

Result<Zones> asked_zones(const ExportJob& job) {
  const bool given = job.spec.zones.starts_with('{');
  const Result<std::string> text = given ? Result<std::string>(job.spec.zones) : job.files.read_file(job.spec.zones);
  if (!text) return text.error();
  return Zones::of_geojson(*text, given ? "the zones" : job.spec.zones, job.spec.zone_name);
}

// The zones that were asked for, or the release's own.
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
  for (const std::string& note : flows->notes()) job.observer.note(note);
  job.card.notes = {kZonesNote};
  if (const CoverageClaim claim = coverage_claim(job.release); job.release.calibration && !claim.made) {
    job.card.notes.push_back(
        fmt::format("Its likely intervals are not claimed to hold as often as they say: {}.", claim.why_not));
  }
  job.card.settings = {{"zones", std::to_string(flows->zones())}};
  job.facts["zones"] = flows->zones();
  return ZonesAsked{*std::move(zones), *std::move(flows)};
}

// The numbers of answers, as columns.
class AnswerColumns {
 public:
  void add(const Answer& a) {
    estimate_.push_back(a.estimate);
    noise_lower_.push_back(a.noise_lower);
    noise_upper_.push_back(a.noise_upper);
    bounds_lower_.push_back(a.bounds_lower);
    bounds_upper_.push_back(a.bounds_upper);
    lower_.push_back(a.lower);
    upper_.push_back(a.upper);
    calibrated_.push_back(a.calibrated ? 1 : 0);
    claimed_.push_back(a.claimed ? 1 : 0);
  }
  // What an adjustment changes.
  PairColumns pairs() {
    return {estimate_, {&noise_lower_, &noise_upper_}, {&bounds_lower_, &lower_}, {&bounds_upper_, &upper_}};
  }
  void adjusted(AdjustedPairs done) {
    if (done.fit) std::fill(claimed_.begin(), claimed_.end(), 0);
    whole_ = std::move(done.whole);
  }
  void add_to(LongTable& table) && {
    table.add("estimate", std::move(estimate_));
    if (!whole_.empty()) table.add("whole", std::move(whole_));
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
  std::vector<double> estimate_, noise_lower_, noise_upper_, bounds_lower_, bounds_upper_, lower_, upper_;
  std::vector<std::uint32_t> calibrated_, claimed_;
  std::vector<std::int64_t> whole_;  // empty: none were asked for
};

Answer scaled(Answer a, double factor) {
  for (double* figure :
       {&a.estimate, &a.noise_lower, &a.noise_upper, &a.bounds_lower, &a.bounds_upper, &a.lower, &a.upper}) {
    *figure *= factor;
  }
  return a;
}

Status write_summary(ExportJob& job, ZoneFlows& flows, const std::string& path, TableForm form) {
  const Result<double> factor = factor_without_pairs(job);
  if (!factor) return factor.error();
  if (Status s = job.describe(); !s) return s;
  std::vector<std::string> stop, zone;
  std::vector<double> share;
  AnswerColumns columns;
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
    return write_summary(job, flows, path, form);
  }
  const Result<ExportJob::Leg> leg = job.leg();
  if (!leg) return leg.error();
  if (Status s = flows.check_pairs(); !s) return s;
  job.card.settings.emplace_back("from", leg->from_name);
  job.card.settings.emplace_back("to", leg->to_name);
  if (draws > 0) return write_drawn_pairs(job, flows, *leg, draws, path, form);
  const Result<ExportAdjustment> adjust = ExportAdjustment::make(job, *leg, flows.names());
  if (!adjust) return adjust.error();
  std::vector<std::string> from, to;
  AnswerColumns columns;
  for (std::size_t a = 0; a < flows.zones(); ++a) {
    for (std::size_t b = 0; b < flows.zones(); ++b) {
      const Answer answer = flows.between(leg->from, a, leg->to, b);
      from.push_back(flows.names()[a]);
      to.push_back(flows.names()[b]);
      columns.add(answer);
    }
  }
  Result<AdjustedPairs> adjusted = adjust->apply(job, columns.pairs());
  if (!adjusted) return adjusted.error();
  const std::vector<double>& estimates = columns.pairs().estimate;
  const double sum = std::accumulate(estimates.begin(), estimates.end(), 0.0);
  columns.adjusted(*std::move(adjusted));
  if (Status s = job.describe(); !s) return s;
  LongTable table(from.size());
  table.add(leg->from_name, std::move(from));
  table.add(leg->to_name, std::move(to));
  std::move(columns).add_to(table);
  job.facts["rows"] = table.rows();
  job.facts["sum"] = rounded(sum);
  const double whole = flows.whole().estimate;
  job.facts["total"] = rounded(whole);
  const bool scaled = !job.spec.expand.empty() || !job.spec.fix_totals.empty();
  job.summary = fmt::format("{} x {} zones, {:.0f} {}{:.0f}{}", grouped(flows.zones()), grouped(flows.zones()), sum,
                            scaled ? "trips (the release says " : "of ", whole, scaled ? ")" : " trips");
  return table.write(path, form, job.encoded, job.observer.threads);
}

namespace {

// A zone of a release that is no area.
std::string place_of(const ZoneSet* zones, std::size_t z) {
  if (zones == nullptr || !zones->has_places()) return "null";
  return fmt::format("{{\"type\":\"Point\",\"coordinates\":[{},{}]}}", (*zones)[z].place.x, (*zones)[z].place.y);
}

}  // namespace

Status export_zones_layer(ExportJob& job, const std::string& path) {
  Result<ZonesAsked> asked = ask_zones(job);
  if (!asked) return asked.error();
  job.card.settings.emplace_back("layer", "zones");
  if (Status s = job.describe(); !s) return s;
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
  job.facts["layer"] = "zones";
  job.summary = fmt::format("{} zones as GeoJSON", grouped(asked->flows.zones()));
  return job.files.write_file(path, std::move(writer).finish());
}

Status export_omx(ExportJob& job, const std::string& path) {
  Result<ZonesAsked> asked = ask_zones(job);
  if (!asked) return asked.error();
  ZoneFlows& flows = asked->flows;
  const Result<ExportJob::Leg> leg = job.leg();
  if (!leg) return leg.error();
  const std::uint64_t draws = job.draws();
  const std::uint64_t seed = job.seed();
  if (Status s = flows.check_pairs(); !s) return s;
  if ((4 + draws) * flows.zones() * flows.zones() > OmxFile::kMostValues) {
    return Error{Failure::usage,
                 fmt::format("{} draws of {} x {} zones are more than an OMX file of {} values\n  Use fewer draws, "
                             "or `as zones`.",
                             draws, flows.zones(), flows.zones(), OmxFile::kMostValues)};
  }
  job.card.settings.emplace_back("from", leg->from_name);
  job.card.settings.emplace_back("to", leg->to_name);
  if (draws > 0) {
    job.card.settings.emplace_back("draws", std::to_string(draws));
    job.card.settings.emplace_back("seed", std::to_string(seed));
  }
  const Result<ExportAdjustment> adjust = ExportAdjustment::make(job, *leg, flows.names());
  if (!adjust) return adjust.error();
  const std::size_t n = flows.zones();
  std::vector<double> estimate(n * n), lower(n * n), upper(n * n);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      const Answer answer = flows.between(leg->from, a, leg->to, b);
      estimate[a * n + b] = answer.estimate;
      lower[a * n + b] = answer.lower;
      upper[a * n + b] = answer.upper;
    }
  }
  const Result<AdjustedPairs> adjusted = adjust->apply(job, {estimate, {}, {&lower}, {&upper}});
  if (!adjusted) return adjusted.error();
  if (Status s = job.describe(); !s) return s;
  Result<OmxFile> file = OmxFile::make(flows.names(), job.encoded);
  if (!file) return file.error();
  const std::string way = leg->from_name + " to " + leg->to_name;
  Status done = file->add("trips", "estimated trips, " + way, estimate);
  if (done) done = file->add("trips_lower", "lower end of the interval at 95 %, " + way, lower);
  if (done) done = file->add("trips_upper", "upper end of the interval at 95 %, " + way, upper);
  if (done && job.spec.integers) {
    const std::vector<double> whole(adjusted->whole.begin(), adjusted->whole.end());
    done = file->add("trips_whole", "estimated trips as whole numbers that add up, " + way, whole);
  }
  if (done && draws > 0) {
    const Result<PlausibleTrips> plausible = PlausibleTrips::make(job.release);
    if (!plausible) return plausible.error();
    for (std::uint64_t i = 1; i <= draws && done; ++i) {
      NumberSequence numbers(seed, 1'000'000 + i);
      const std::vector<double> counts = flows.count(plausible->draw(seed, i), leg->from, leg->to, numbers);
      done = file->add(fmt::format("draw_{:04d}", i), "a matrix that may have been behind the release, " + way, counts);
    }
  }
  if (!done) return done;
  const Result<std::string> bytes = file->finish();
  if (!bytes) return bytes.error();
  const std::uint64_t matrices = 3 + draws + (job.spec.integers ? 1 : 0);
  job.facts["matrices"] = matrices;
  job.summary = fmt::format("{} matrices of {} x {} zones, {}", matrices, grouped(n), grouped(n), way);
  return job.files.write_file(path, *bytes);
}

}  // namespace stopover
