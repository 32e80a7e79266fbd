#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "base/grouped.h"
#include "base/largest.h"
#include "exports/feature_writer.h"
#include "exports/omx_file.h"
#include "exports/period_table.h"
#include "exports/plausible_trips.h"
#include "exports/stop_places.h"
#include "exports/sumo_matrix.h"
#include "exports/zone_flows.h"
#include "geo/geojson.h"
#include "geo/h3_cover.h"
#include "geo/json.h"
#include "job/export_adjust.h"
#include "job/export_job.h"
#include "query/coverage_claim.h"
#include "question/question.h"
#include "question/region_json.h"
#include "question/region_text.h"
#include "question/zone_gain.h"
#include "question/zones.h"
#include "release_io/release_io.h"
#include "text/figure_text.h"

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

constexpr std::string_view kH3 = "h3:";

// Where stops lie, all together. Fails (bad_input) where one is on no map.
Result<DegreeBox> map_box(const Domain& domain) {
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
  job.card.notes = {kZonesNote};
  if (job.spec.zones.starts_with(kH3)) {  // at the edge of the map there is no other way
    job.card.notes.emplace_back("Cells of H3 at the edge of the map count what lies on it.");
  } else {
    for (const std::string& note : flows->notes()) job.observer.note(note);
  }
  if (const CoverageClaim claim = coverage_claim(job.release); job.release.has_likely_intervals() && !claim.made) {
    job.card.notes.push_back(
        fmt::format("Its likely intervals are not claimed to hold as often as they say: {}.", claim.why_not));
  }
  job.card.settings = {{"zones", std::to_string(flows->zones())}};
  job.facts["zones"] = flows->zones();
  return ZonesAsked{*std::move(zones), *std::move(flows)};
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

// Only trips that `stop` names count from now on. `stops`: those that the table runs over.
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

// The numbers of answers, as columns.
class AnswerColumns {
 public:
  explicit AnswerColumns(bool with_whole = false) : with_whole_(with_whole) {}

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
  void add_whole(std::int64_t whole) { whole_.push_back(whole); }
  void add_to(LongTable& table) && {
    table.add("estimate", std::move(estimate_));
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
  std::vector<double> estimate_, noise_lower_, noise_upper_, bounds_lower_, bounds_upper_, lower_, upper_;
  std::vector<std::uint32_t> calibrated_, claimed_;
  std::vector<std::int64_t> whole_;
  bool with_whole_;
};

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

// All pairs of zones of a leg, block by block: a table of 10,000 zones has 100 million answers.
class PairRows {
 public:
  PairRows(ExportJob& job, ZoneFlows& flows, const ExportJob::Leg& leg)
      : job_(job),
        flows_(flows),
        leg_(leg),
        least_(job.spec.at_least.value_or(0)),
        gain_(flows.engine(), AnswerOptions{}.level) {
    if (job.observer.threads > 0) {
      limit_.emplace(tbb::global_control::max_allowed_parallelism, job.observer.threads);
    }
    const double pairs = static_cast<double>(flows.zones()) * static_cast<double>(flows.zones());
    if (least_ <= 0 && pairs > kMany) {
      job_.observer.note(
          fmt::format("{:.0f} million pairs: about {:.1f} GB as CSV, far less as Parquet or OMX"
                      "\n  `at_least 1` leaves out pairs of less than one trip.",
                      pairs / 1e6, pairs * kBytes / 1e9));
    }
    if (least_ <= 0) return;
    job_.card.notes.push_back(job.spec.integers
                                  ? fmt::format("Pairs whose whole number is less than {} are left out.", least_)
                                  : fmt::format("Pairs of fewer than {} trips, as estimated, are left out.", least_));
    job_.card.settings.emplace_back("at_least", fmt::format("{}", least_));
  }

  // What is to be done to the table with public numbers, if anything: all estimates are asked for beforehand.
  Status adjust() {
    const Result<ExportAdjustment> adjustment = ExportAdjustment::make(job_, leg_, flows_.names());
    if (!adjustment) return adjustment.error();
    if (!adjustment->any()) return {};
    const std::size_t n = flows_.zones();
    std::vector<double> estimates;
    estimates.reserve(n * n);
    for (std::size_t first = 0; first < n;) {
      if (Status s = job_.observer.check(); !s) return s;
      const std::size_t last = std::min(n, first + rows_of_a_block());
      for (const Answer& answer : flows_.rows(leg_.from, first, last, leg_.to, HUGE_VAL)) {
        estimates.push_back(answer.estimate);
      }
      first = last;
    }
    Result<AdjustedPairs> adjusted = adjustment->apply(job_, std::move(estimates));
    if (!adjusted) return adjusted.error();
    adjusted_ = *std::move(adjusted);
    return {};
  }

  // A pair's whole number. REQUIRES: they were asked for.
  std::int64_t whole(std::size_t from, std::size_t to) const { return adjusted_->whole[from * flows_.zones() + to]; }

  // Rows of the table that were answered.
  std::size_t done() const { return done_; }

  // The next rows, at most `most` of them: calls take(from, to, answer) for each pair that is not left out.
  template <typename Take>
  Status next(Take take, std::size_t most = SIZE_MAX) {
    if (Status s = job_.observer.check(); !s) return s;
    const std::size_t n = flows_.zones(), first = done_;
    done_ = std::min(n, first + std::min(most, rows_of_a_block()));
    const std::vector<Answer> answers = flows_.rows(leg_.from, first, done_, leg_.to, least_asked(first));
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const std::size_t from = first + i / n, to = i % n;
      const double size = size_of(from, to, answers[i]);
      all_ += adjusted_ ? adjusted_->estimate[from * n + to] : answers[i].estimate;
      if (size < least_) {
        left_out_ += size;
        continue;
      }
      gain_.add(answers[i]);
      ++pairs_;
      take(from, to, adjusted_ ? adjusted_->of(from, to, answers[i]) : answers[i]);
    }
    return {};
  }

  // The facts, and a summary for people.
  void tell() const {
    if (const std::optional<std::string> note = gain_.note()) {
      job_.observer.note(*note);
      job_.facts["notes"].push_back(*note);
    }
    const double total = flows_.whole().estimate;
    job_.facts["rows"] = pairs_;
    job_.facts["sum"] = rounded(all_);
    job_.facts["total"] = rounded(total);
    const bool scaled = !job_.spec.expand.empty() || !job_.spec.fix_totals.empty();
    job_.summary = fmt::format("{} x {} zones, {:.0f} {}{:.0f}{}", grouped(flows_.zones()), grouped(flows_.zones()),
                               all_, scaled ? "trips (the release says " : "of ", total, scaled ? ")" : " trips");
    if (least_ <= 0) return;
    const std::uint64_t left_out = std::uint64_t{flows_.zones()} * flows_.zones() - pairs_;
    job_.facts["left_out"] = {{"pairs", left_out}, {"trips", rounded(left_out_)}};
    job_.summary += fmt::format("; {} pairs of {} trips or more listed, {} with {:.0f} trips together left out",
                                grouped(pairs_), least_, grouped(left_out), left_out_);
  }

 private:
  static constexpr std::size_t kBlock = 65'536;       // answers
  static constexpr double kMany = 4e6, kBytes = 120;  // pairs; of a row of CSV

  std::size_t rows_of_a_block() const { return std::max<std::size_t>(1, kBlock / flows_.zones()); }

  // What is compared with `at_least`: a whole number where there are such, so that those that are left out are known.
  double size_of(std::size_t from, std::size_t to, const Answer& answer) const {
    if (!adjusted_) return answer.estimate;
    return job_.spec.integers ? static_cast<double>(whole(from, to)) : adjusted_->estimate[from * flows_.zones() + to];
  }

  // The least estimate of the release's own that a pair of the block up to done_ must have to be asked for intervals.
  double least_asked(std::size_t first) const {
    if (!adjusted_ || least_ <= 0) return least_;
    const std::vector<Answer> bare = flows_.rows(leg_.from, first, done_, leg_.to, HUGE_VAL);
    double least = HUGE_VAL;
    for (std::size_t i = 0; i < bare.size(); ++i) {
      const std::size_t from = first + i / flows_.zones(), to = i % flows_.zones();
      if (size_of(from, to, bare[i]) >= least_) least = std::min(least, bare[i].estimate);
    }
    return least;
  }

  ExportJob& job_;
  ZoneFlows& flows_;
  const ExportJob::Leg& leg_;
  const double least_;
  std::optional<tbb::global_control> limit_;
  std::size_t done_ = 0;
  std::uint64_t pairs_ = 0;
  double all_ = 0, left_out_ = 0;
  std::optional<AdjustedPairs> adjusted_;
  ZoneGain gain_;
};

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
    AnswerColumns columns(job.spec.integers);
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

Result<std::string> zone_pairs_layer(ExportJob& job, std::size_t most) {
  const ZoneSet& zones = *job.release.domain.zones();
  const Result<ExportJob::Leg> leg = job.leg();
  if (!leg) return leg.error();
  Result<ZoneFlows> flows = ZoneFlows::of_own(job.release);
  if (!flows) return flows.error();
  const std::size_t n = flows->zones();
  std::vector<double> estimates;
  estimates.reserve(n * n);
  for (std::size_t from = 0; from < n; ++from) {
    if (Status s = job.observer.check(); !s) return s.error();
    for (const Answer& answer : flows->rows(leg->from, from, from + 1, leg->to, HUGE_VAL)) {
      estimates.push_back(estimates.size() % (n + 1) == 0 ? 0 : answer.estimate);  // those that stay have no line
    }
  }
  FeatureWriter writer(job.encoded);
  for (const std::size_t pair : largest(estimates, most)) {
    const std::size_t from = pair / n, to = pair % n;
    const Answer a = flows->between(leg->from, from, leg->to, to);
    writer.line({{zones[from].place.x, zones[from].place.y}, {zones[to].place.x, zones[to].place.y}},
                {{"from", json_text(flows->names()[from])},
                 {"to", json_text(flows->names()[to])},
                 {"estimate", json_number(a.estimate)},
                 {"noise_lower", json_number(a.noise_lower)},
                 {"noise_upper", json_number(a.noise_upper)},
                 {"lower", json_number(a.lower)},
                 {"upper", json_number(a.upper)}});
  }
  return std::move(writer).finish();
}

Status export_sumo(ExportJob& job, const std::string& path) {
  DayHours hours;
  if (!job.spec.hours.empty()) {
    const Result<DayHours> read = DayHours::parse(job.spec.hours);
    if (!read) return read.error();
    hours = *read;
  }
  Result<ZonesAsked> asked = ask_zones(job);
  if (!asked) return asked.error();
  ZoneFlows& flows = asked->flows;
  const Result<ExportJob::Leg> leg = job.leg();
  if (!leg) return leg.error();
  if (Status s = flows.check_pairs(false); !s) return s;
  if (Status s = narrow(job, *asked, {leg->from, leg->to}); !s) return s;
  job.card.settings.emplace_back("from", leg->from_name);
  job.card.settings.emplace_back("to", leg->to_name);
  job.card.settings.emplace_back("hours", hours.text());
  job.card.notes.emplace_back(
      "For SUMO's od2trips: ids are the zones' names with _ for blanks. That the trips begin within `hours` was "
      "declared "
      "for this export; a release with hours of its own is narrowed with `stop`. Pairs of no trips are left out.");
  PairRows pairs(job, flows, *leg);
  if (Status s = pairs.adjust(); !s) return s;
  if (Status s = job.describe(); !s) return s;
  const Result<std::string> content = content_sha256(job.release);
  if (!content) return content.error();
  SumoMatrix matrix(path.ends_with(".xml") ? SumoMatrix::Form::intervals : SumoMatrix::Form::o_format, flows.names(),
                    hours, *content);
  while (pairs.done() < flows.zones()) {
    const Status answered = pairs.next([&](std::size_t a, std::size_t b, const Answer& answer) {
      const double count = job.spec.integers ? static_cast<double>(pairs.whole(a, b)) : answer.estimate;
      matrix.add(a, b, count, answer.lower, answer.upper);
    });
    if (!answered) return answered;
  }
  pairs.tell();
  job.facts["rows"] = matrix.pairs();
  job.summary = fmt::format("{} pairs of {}", grouped(matrix.pairs()), job.summary);
  return job.files.write_file(path, std::move(matrix).finish());
}

namespace {

// What one release puts into an OMX file.
class OmxPart {
 public:
  // Everything that can be refused, and the job's card.
  static Result<std::unique_ptr<OmxPart>> make(ExportJob& job) {
    Result<ZonesAsked> asked = ask_zones(job);
    if (!asked) return asked.error();
    const Result<ExportJob::Leg> leg = job.leg();
    if (!leg) return leg.error();
    const std::uint64_t draws = job.draws(), n = asked->flows.zones();
    if (Status s = asked->flows.check_pairs(draws > 0); !s) return s.error();
    if (draws > 0 && job.spec.at_least) return Error{Failure::usage, "`at_least` does not go with `draws`"};
    if (Status s = narrow(job, *asked, {leg->from, leg->to}); !s) return s.error();
    if (draws > 0 && (3 + draws) * n * n > OmxFile::kMostValues) {
      return Error{Failure::usage,
                   fmt::format("{} draws of {} x {} zones are more than an OMX file of {} values\n  Use fewer draws, "
                               "or `as zones`.",
                               draws, n, n, OmxFile::kMostValues)};
    }
    job.card.settings.emplace_back("from", leg->from_name);
    job.card.settings.emplace_back("to", leg->to_name);
    if (draws > 0) {
      job.card.settings.emplace_back("draws", std::to_string(draws));
      job.card.settings.emplace_back("seed", std::to_string(job.seed()));
    }
    if (job.spec.sparse) job.card.settings.emplace_back("sparse", "yes");
    std::unique_ptr<OmxPart> part(new OmxPart(job, std::move(*asked), *leg));
    if (Status s = part->pairs_.adjust(); !s) return s.error();
    if (Status s = job.describe(); !s) return s.error();
    return part;
  }

  const std::vector<std::string>& zones() const { return asked_.flows.names(); }
  std::size_t matrices() const { return (job_.spec.integers ? 4 : 3) + job_.draws(); }

  // Matrices NAME, NAME_lower, NAME_upper and, of whole numbers, NAME_whole; draws have `before` before their names.
  Status put(OmxFile& file, const std::string& name, const std::string& before) {
    ZoneFlows& flows = asked_.flows;
    const std::size_t n = flows.zones();
    const std::string way = leg_.from_name + " to " + leg_.to_name;
    std::vector<std::string> names = {name, name + "_lower", name + "_upper"};
    Status done = file.begin(names[0], "estimated trips, " + way);
    if (done) done = file.begin(names[1], "lower end of the interval at 95 %, " + way);
    if (done) done = file.begin(names[2], "upper end of the interval at 95 %, " + way);
    if (done && job_.spec.integers) {
      names.emplace_back(name + "_whole");
      done = file.begin(names[3], "estimated trips as whole numbers that add up, " + way);
    }
    SparseRows sparse{names, {0}, {}, std::vector<std::vector<double>>(names.size())};
    for (std::size_t first = 0; done && first < n; first += OmxFile::kRows) {
      const std::size_t last = std::min(n, first + OmxFile::kRows);
      std::vector<std::vector<double>> rows(names.size(), std::vector<double>((last - first) * n, 0.0));
      const auto take = [&](std::size_t a, std::size_t b, const Answer& answer) {
        const std::size_t at = (a - first) * n + b;
        rows[0][at] = answer.estimate;
        rows[1][at] = answer.lower;
        rows[2][at] = answer.upper;
        if (job_.spec.integers) rows[3][at] = static_cast<double>(pairs_.whole(a, b));
        if (!job_.spec.sparse) return;
        sparse.starts.resize(a + 1, static_cast<std::int64_t>(sparse.columns.size()));
        sparse.columns.push_back(static_cast<std::int32_t>(b));
        for (std::size_t i = 0; i < rows.size(); ++i) sparse.values[i].push_back(rows[i][at]);
      };
      while (done && pairs_.done() < last) done = pairs_.next(take, last - pairs_.done());
      for (std::size_t i = 0; done && i < rows.size(); ++i) done = file.put(names[i], first, rows[i]);
    }
    if (done && job_.spec.sparse) {
      sparse.starts.resize(n + 1, static_cast<std::int64_t>(sparse.columns.size()));
      done = file.add_sparse(sparse);
      job_.facts["entries"] = sparse.columns.size();
    }
    if (done && job_.draws() > 0) {
      const Result<PlausibleTrips> plausible = PlausibleTrips::make(job_.release);
      if (!plausible) return plausible.error();
      for (std::uint64_t i = 1; i <= job_.draws() && done; ++i) {
        NumberSequence numbers(job_.seed(), 1'000'000 + i);
        const std::vector<double> counts = flows.count(plausible->draw(job_.seed(), i), leg_.from, leg_.to, numbers);
        done = file.add(fmt::format("{}draw_{:04d}", before, i),
                        "a matrix that may have been behind the release, " + way, counts);
      }
    }
    if (!done) return done;
    pairs_.tell();
    job_.facts.erase("rows");
    job_.facts["matrices"] = matrices();
    job_.summary = fmt::format("{} matrices of {}, {}", matrices(), job_.summary, way);
    return {};
  }

 private:
  OmxPart(ExportJob& job, ZonesAsked asked, ExportJob::Leg leg)
      : job_(job), asked_(std::move(asked)), leg_(std::move(leg)), pairs_(job_, asked_.flows, leg_) {}

  ExportJob& job_;
  ZonesAsked asked_;
  ExportJob::Leg leg_;
  PairRows pairs_;
};

}  // namespace

Status export_omx(ExportJob& job, const std::string& path) {
  const Result<std::unique_ptr<OmxPart>> part = OmxPart::make(job);
  if (!part) return part.error();
  Result<OmxFile> file = OmxFile::make((*part)->zones(), job.encoded);
  if (!file) return file.error();
  if (Status s = (*part)->put(*file, "trips", ""); !s) return s;
  const Result<std::string> bytes = file->finish();
  if (!bytes) return bytes.error();
  return job.files.write_file(path, *bytes);
}

Status export_omx_series(std::span<SeriesExport> parts, const std::string& path) {
  if (parts[0].job.spec.sparse) {
    return Error{Failure::usage,
                 "`sparse` is for one release, and this is a series\n  Export some periods each by itself."};
  }
  std::vector<std::unique_ptr<OmxPart>> made;
  std::vector<std::pair<std::string, std::string>> cards;
  std::uint64_t values = 0;
  for (SeriesExport& part : parts) {
    Result<std::unique_ptr<OmxPart>> one = OmxPart::make(part.job);
    if (!one) return in_period(part, one.error());
    made.push_back(std::move(*one));
    cards.emplace_back(part.period, part.job.encoded);
    const std::vector<std::string>& zones = made.back()->zones();
    if (zones != made.front()->zones()) {
      return Error{Failure::usage, fmt::format("{} and {} do not have the same zones\n  Give `zones`: the same areas "
                                               "are then asked of both.",
                                               parts[0].period, part.period)};
    }
    values += std::uint64_t{zones.size()} * zones.size() * made.back()->matrices();
  }
  if (values > OmxFile::kMostValues) {
    return Error{Failure::usage, fmt::format("{0} periods of {1} x {1} zones are more than an OMX file of {2} values\n"
                                             "  Export some periods each by itself, or `as zones`.",
                                             parts.size(), made[0]->zones().size(), OmxFile::kMostValues)};
  }
  Result<OmxFile> file = OmxFile::make(made[0]->zones(), series_card(cards));
  if (!file) return file.error();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& period = parts[i].period;
    if (Status s = made[i]->put(*file, period, period + "_"); !s) return in_period(parts[i], s.error());
  }
  const Result<std::string> bytes = file->finish();
  if (!bytes) return bytes.error();
  return parts[0].job.files.write_file(path, *bytes);
}

}  // namespace stopover
