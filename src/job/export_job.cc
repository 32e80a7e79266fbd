#include "job/export_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/grouped.h"
#include "base/nearest.h"
#include "base/usage_error.h"
#include "exports/dense_array.h"
#include "exports/flow_map_data.h"
#include "exports/geo_layers.h"
#include "exports/geo_package.h"
#include "exports/kepler_map.h"
#include "exports/matsim_plans.h"
#include "exports/partition_table.h"
#include "exports/plausible_trips.h"
#include "exports/trip_model.h"
#include "exports/trips_table.h"
#include "exports/whole_partitions.h"
#include "job/export_adjust.h"
#include "job/pairs_on_map.h"

namespace stopover {
namespace {

constexpr std::uint64_t kMostDrawnTrips = 100'000'000;

const std::string kDrawsNote =
    "Each draw is one matrix that may have been behind the release: its noise taken back at random, trips placed anew "
    "inside "
    "partitions, clumping as the release's finest counts do. Their spread is the uncertainty that the release leaves, "
    "as far as "
    "this model goes (docs/guide/exports.md says how far it did).";

Result<std::size_t> stop_number(const Domain& domain, std::string_view field, const std::string& name,
                                std::size_t otherwise) {
  if (name.empty()) return otherwise;
  const int found = domain.find_stop(name);
  if (found >= 0) return static_cast<std::size_t>(found);
  std::vector<std::string> names;
  for (const Stop& stop : domain.stops()) names.push_back(stop.name);
  const std::string near = nearest(name, names);
  return usage_error(fmt::format("`{} {}`: there is no such stop\n  {}There are {}.", field, name,
                                 near.empty() ? "" : fmt::format("Did you mean {}? ", near), fmt::join(names, ", ")));
}

Status export_drawn_partitions(ExportJob& job, const std::string& path, TableForm form, std::uint64_t draws) {
  const std::uint64_t seed = job.seed();
  const Result<PlausibleTrips> plausible = PlausibleTrips::make(job.release);
  if (!plausible) return plausible.error();
  const std::size_t leaves = plausible->model().leaves();
  if (leaves * draws > kMostDrawnTrips)
    return usage_error(fmt::format("{} draws of {} partitions are more than {} rows", draws, leaves, kMostDrawnTrips));
  job.card.settings = {{"seed", std::to_string(seed)}, {"draws", std::to_string(draws)}};
  job.card.notes = {
      "One row per draw and partition; column partition is the number in the table of partitions (the same export "
      "without draws).",
      kDrawsNote};
  if (Status s = job.describe(); !s) return s;
  std::vector<std::uint32_t> draw, partition;
  std::vector<double> value;
  for (std::uint32_t i = 1; i <= draws; ++i) {
    const std::vector<double> counts = plausible->draw_counts(seed, i);
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      draw.push_back(i);
      partition.push_back(leaf);
      value.push_back(counts[leaf]);
    }
  }
  LongTable table(value.size());
  table.add("draw", std::move(draw));
  table.add("partition", std::move(partition));
  table.add("value", std::move(value));
  job.facts["draws"] = draws;
  job.facts["rows"] = table.rows();
  job.summary = fmt::format("{} draws of {} partitions", grouped(draws), grouped(leaves));
  return table.write(path, form, job.encoded, job.observer.threads);
}

Status export_drawn_trips(ExportJob& job, const std::string& path, TableForm form, std::uint64_t draws) {
  if (job.spec.n)
    return usage_error("`n` does not go with `draws`\n  A draw has as many trips as the release leaves plausible.");
  const std::uint64_t seed = job.seed();
  const Result<PlausibleTrips> plausible = PlausibleTrips::make(job.release);
  if (!plausible) return plausible.error();
  if (plausible->model().total() * static_cast<double>(draws) > static_cast<double>(kMostDrawnTrips)) {
    return usage_error(
        fmt::format("{} draws of {:.0f} trips are more than {} rows\n  Use fewer draws, or `as zones` or omx.", draws,
                    plausible->model().total(), kMostDrawnTrips));
  }
  job.card.settings = {{"seed", std::to_string(seed)},
                       {"draws", std::to_string(draws)},
                       {"theta", fmt::format("{:.4g}", plausible->theta())}};
  job.card.notes = {"Synthetic trips, nobody's real ones; column `draw` says of which draw.", kDrawsNote};
  if (Status s = job.describe(); !s) return s;
  SyntheticTrips all{job.release.domain, std::vector<std::vector<std::uint32_t>>(job.release.domain.d()), {}};
  std::vector<std::uint32_t> number;
  for (std::uint32_t i = 1; i <= draws; ++i) {
    const SyntheticTrips one = plausible->draw(seed, i);
    for (std::size_t a = 0; a < one.cells.size(); ++a) {
      all.cells[a].insert(all.cells[a].end(), one.cells[a].begin(), one.cells[a].end());
    }
    number.resize(all.rows(), i);
  }
  job.facts["draws"] = draws;
  job.facts["trips"] = all.rows();
  job.summary = fmt::format("{} draws, {} synthetic trips in all", grouped(draws), grouped(all.rows()));
  return trips_table(all, seed, std::move(number)).write(path, form, job.encoded, job.observer.threads);
}

}  // namespace

Status ExportJob::describe() {
  if (spec.draws && release.answer_model == AnswerModel::uniform) {
    observer.note(
        "this release does not say how trips lie inside its partitions: its draws differ less than they should "
        "(docs/guide/exports.md)");
  }
  card.notes.emplace_back("Post-processing of a published release: it costs no privacy and can add none.");
  Result<std::string> text = encode_card(card, release);
  if (!text) return text.error();
  encoded = *std::move(text);
  return {};
}

namespace {

bool has_zones(const Domain& domain, std::size_t stop) {
  const std::vector<std::size_t>& axes = domain.stops()[stop].axes;
  return std::any_of(axes.begin(), axes.end(),
                     [&](std::size_t axis) { return domain.axis(axis).kind == AxisKind::zone; });
}

// The last stop that is somewhere; what a trip has of its own (an hour, a kind of member) comes after it.
std::size_t last_place(const Domain& domain) {
  for (std::size_t stop = domain.stops().size(); stop-- > 1;) {
    for (const std::size_t axis : domain.stops()[stop].axes) {
      const AxisKind kind = domain.axis(axis).kind;
      if (kind != AxisKind::category && kind != AxisKind::time) return stop;
    }
  }
  return domain.stops().size() - 1;
}

}  // namespace

Result<ExportJob::Leg> ExportJob::leg() const {
  const std::vector<Stop>& stops = release.domain.stops();
  if (stops.size() == 1) return Error{Failure::bad_input, "the release has one stop, and a flow needs two\n  Its counts by zone: `as zones` with `summary`."};
  const Result<std::size_t> first = stop_number(release.domain, "from", spec.from, 0);
  if (!first) return first.error();
  const Result<std::size_t> last = stop_number(release.domain, "to", spec.to, last_place(release.domain));
  if (!last) return last.error();
  if (*first == *last) return usage_error(fmt::format("`from` and `to` are the same stop, {}", stops[*first].name));
  for (const auto& [field, stop] : {std::pair{"from", *first}, {"to", *last}}) {
    if (release.domain.zones() == nullptr || has_zones(release.domain, stop)) continue;
    return usage_error(fmt::format("`{} {}`: {} is no place, and a flow runs between zones", field, stops[stop].name,
                                   stops[stop].name));
  }
  return Leg{*first, *last, stops[*first].name, stops[*last].name};
}

Status export_partitions(ExportJob& job, const std::string& path, TableForm form) {
  const std::uint64_t draws = job.draws();
  if (draws > 0) return export_drawn_partitions(job, path, form, draws);
  job.card.notes = {
      "A row per partition of the release: its box, the noisy count as measured, and the estimate that "
      "all counts "
      "together allow (not negative, adding up).",
      "noise_lower and noise_upper are what the noise alone leaves open at 95 %, about the value before "
      "estimates were made non-negative."};
  std::vector<std::int64_t> whole;
  if (job.spec.integers && !job.release.tables.empty()) {
    whole = whole_partitions(job.release.tables[0]);
    tell_whole(job, whole);
  }
  if (Status s = job.describe(); !s) return s;
  const Result<LongTable> table = partition_table(job.release, std::move(whole));
  if (!table) return table.error();
  job.facts["rows"] = table->rows();
  job.summary = fmt::format("{} partitions", grouped(table->rows()));
  return table->write(path, form, job.encoded, job.observer.threads);
}

namespace {

Status export_zone_lines(ExportJob& job, const std::string& path) {
  job.card.notes = {
      "A line for each pair of zones between their places, a point where a trip stays in its zone. Lower to upper is "
      "the likely interval of that pair at 95 %, noise_lower to noise_upper what the noise alone leaves open."};
  Result<PairsOnMap> pairs = PairsOnMap::of(job, {.most = job.spec.top});
  if (!pairs) return pairs.error();
  if (Status s = job.describe(); !s) return s;
  job.facts["layer"] = "flows";
  return job.files.write_file(path, pairs->geojson(job));
}

}  // namespace

Status export_geojson(ExportJob& job, const std::string& path) {
  const std::string layer = job.spec.layer.empty() ? "partitions" : job.spec.layer;
  if (layer == "zones") {
    if (job.spec.at_least) return usage_error("`at_least` goes with `layer flows`");
    const Result<std::string> text = zones_layer(job);
    if (!text) return text.error();
    job.facts["layer"] = layer;
    job.summary += " as GeoJSON";
    return job.files.write_file(path, *text);
  }
  job.card.settings = {{"layer", layer}};
  if (layer == "flows" && job.release.domain.zones() != nullptr) return export_zone_lines(job, path);
  if (job.spec.at_least) return usage_error("`at_least` goes with `layer flows` of a release of zones");
  job.card.notes = {
      layer == "partitions" ? "A rectangle for each partition and stop; a partition of several stops is one box in "
                              "all of them at once, so that rectangles of one stop overlap."
      : layer == "stops"    ? "Rectangles that tile the map of each stop, with what the release answers for each, "
                              "the other stops left free."
                            : "A line for each partition, through the middles of its rectangles; where inside them "
                              "trips lie is not said.",
      "noise_lower and noise_upper are what the noise alone leaves open at 95 %."};
  if (Status s = job.describe(); !s) return s;
  constexpr std::uint64_t kTiles = 32;
  const Result<std::string> text = layer == "partitions" ? partitions_layer(job.release, job.encoded)
                                   : layer == "stops"
                                       ? stops_layer(job.release, job.encoded, job.spec.tiles.value_or(kTiles))
                                       : flows_layer(job.release, job.encoded, job.spec.top.value_or(0));
  if (!text) return text.error();
  job.facts["layer"] = layer;
  job.summary = layer + " as GeoJSON";
  return job.files.write_file(path, *text);
}

namespace {

// Whether a map of everything has flows between the release's own zones.
bool draws_own_pairs(const ExportJob& job) {
  constexpr std::size_t kMostZones = 3000;
  const ZoneSet* zones = job.release.domain.zones();
  return zones != nullptr && zones->has_places() && zones->size() <= kMostZones && job.leg();
}

}  // namespace

Status export_gpkg(ExportJob& job, const std::string& path) {
  constexpr std::uint64_t kTiles = 32, kFlows = 2000;
  const Domain& domain = job.release.domain;
  const bool own_zones = domain.zones() != nullptr;
  std::vector<PackageLayer> layers;
  job.card.notes = {"noise_lower and noise_upper are what the noise alone leaves open at 95 %."};
  if (own_zones || !job.spec.zones.empty()) {
    const Result<std::string> zones = zones_layer(job);
    if (!zones) return zones.error();
    layers.push_back({"zones", "trips with each stop in the zone, with likely intervals", *zones, LayerStyle::areas,
                      domain.stops().front().name});
  } else if (Status s = job.describe(); !s) {
    return s;
  }
  if (draws_own_pairs(job)) {
    Result<PairsOnMap> pairs = PairsOnMap::of(job, {.most = job.spec.top.value_or(kFlows)});
    if (!pairs) return pairs.error();
    layers.push_back(
        {"flows", "the largest flows between zones", pairs->geojson(job), LayerStyle::lines, "estimate"});
  }
  if (!own_zones) {
    const Result<std::string> stops = stops_layer(job.release, job.encoded, job.spec.tiles.value_or(kTiles));
    if (!stops) return stops.error();
    layers.push_back({"stops", "rectangles that tile the map of each stop", *stops, LayerStyle::areas, "estimate"});
    if (domain.stops().size() > 1) {
      const Result<std::string> flows = flows_layer(job.release, job.encoded, job.spec.top.value_or(kFlows));
      if (!flows) return flows.error();
      layers.push_back(
          {"flows", "the largest flows, through the centres of their trips", *flows, LayerStyle::lines, "estimate"});
    }
  }
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const PackageLayer& layer : layers) names.push_back(layer.name);
  job.facts["layers"] = names;
  job.summary = "a GeoPackage with the layers ";
  for (const PackageLayer& layer : layers) job.summary += (&layer == layers.data() ? "" : ", ") + layer.name;
  const Result<std::string> bytes = geo_package(layers, job.encoded, job.release.date);
  if (!bytes) return bytes.error();
  return job.files.write_file(path, *bytes);
}

Status export_kepler(ExportJob& job, const std::string& path) {
  constexpr std::uint64_t kTiles = 32, kFlows = 2000;
  const Domain& domain = job.release.domain;
  const bool own_zones = domain.zones() != nullptr;
  std::vector<KeplerLayer> layers;
  job.card.notes = {"noise_lower and noise_upper are what the noise alone leaves open at 95 %."};
  std::string zones;
  if (own_zones || !job.spec.zones.empty()) {
    const Result<std::string> text = zones_layer(job);
    if (!text) return text.error();
    zones = *text;
  } else if (Status s = job.describe(); !s) {
    return s;
  }
  if (!own_zones && domain.stops().size() > 1) {
    const Result<std::string> flows = flows_layer(job.release, job.encoded, job.spec.top.value_or(kFlows));
    if (!flows) return flows.error();
    layers.push_back({"flows", KeplerLayer::Kind::flows, *flows, "estimate", true});
  }
  if (draws_own_pairs(job)) {
    Result<PairsOnMap> pairs = PairsOnMap::of(job, {.most = job.spec.top.value_or(kFlows), .stays = false});
    if (!pairs) return pairs.error();
    layers.push_back({"flows", KeplerLayer::Kind::flows, pairs->geojson(job), "estimate", true});
  }
  if (!zones.empty()) layers.push_back({"zones", KeplerLayer::Kind::areas, zones, domain.stops().front().name, true});
  if (!own_zones) {
    const Result<std::string> stops = stops_layer(job.release, job.encoded, job.spec.tiles.value_or(kTiles));
    if (!stops) return stops.error();
    for (const Stop& stop : domain.stops()) {
      nlohmann::ordered_json own = nlohmann::ordered_json::parse(*stops);
      auto& features = own["features"];
      features.erase(std::remove_if(features.begin(), features.end(),
                                    [&](const auto& feature) { return feature["properties"]["stop"] != stop.name; }),
                     features.end());
      const bool first = &stop == &domain.stops().front();
      layers.push_back({stop.name, KeplerLayer::Kind::areas, own.dump(), "estimate", first && zones.empty()});
    }
  }
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const KeplerLayer& layer : layers) names.push_back(layer.name);
  job.facts["layers"] = names;
  job.summary = "a map for kepler.gl with the layers ";
  for (const KeplerLayer& layer : layers) job.summary += (&layer == layers.data() ? "" : ", ") + layer.name;
  const std::string& title = job.release.description.title;
  const Result<std::string> text =
      kepler_map(layers, title.empty() ? "stopover" : title, job.release.date, job.encoded);
  if (!text) return text.error();
  return job.files.write_file(path, *text);
}

Status export_matsim(ExportJob& job, const std::string& path) {
  MatsimOptions options{job.seed(), {}, job.spec.mode.empty() ? "car" : job.spec.mode, ""};
  const bool told_hours = has_departures(job.release.domain);
  if (!job.spec.hours.empty()) {
    if (told_hours) {
      return usage_error("`hours` does not go with this release\n  It says itself when trips leave their first stop.");
    }
    const Result<DayHours> hours = DayHours::parse(job.spec.hours);
    if (!hours) return hours.error();
    options.hours = *hours;
  }
  const Result<TripModel> model = TripModel::make(job.release);
  if (!model) return model.error();
  const Result<SyntheticTrips> trips = model->draw(job.spec.n.value_or(model->whole_total()), options.seed);
  if (!trips) return trips.error();
  job.card.settings = {{"seed", std::to_string(options.seed)},
                       {"trips", std::to_string(trips->rows())},
                       {"mode", options.mode},
                       {"hours", told_hours ? "of the release" : options.hours.text()}};
  job.card.notes = {
      "One agent per synthetic trip, drawn from the published numbers with a public seed: nobody's real trips.",
      told_hours
          ? "Agents leave the first stop at an hour that the release has for it."
          : "The release does not say when trips leave: agents leave the first stop evenly within `hours`, which "
            "were declared for this export.",
      "Coordinates are longitude and latitude (EPSG:4326); the mode of all legs was declared for this export."};
  if (Status s = job.describe(); !s) return s;
  options.card = job.encoded;
  job.facts["agents"] = trips->rows();
  job.summary = fmt::format("{} agents with plans", grouped(trips->rows()));
  return write_matsim_plans(*trips, options, path);
}

namespace {

Status write_flow_map(ExportJob& job, const FlowMapData& data, const std::string& path, bool folder) {
  job.facts["locations"] = data.locations.size();
  job.facts["flows"] = data.flows.size();
  if (!folder) return job.files.write_file(path, data.json(job.encoded));
  if (Status s = job.files.write_file(path + "/locations.csv", data.locations_csv()); !s) return s;
  return job.files.write_file(path + "/flows.csv", data.flows_csv());
}

}  // namespace

Status export_flowmap(ExportJob& job, const std::string& path, bool folder) {
  const Result<ExportJob::Leg> leg = job.leg();
  if (!leg) return leg.error();
  job.card.settings = {{"from", leg->from_name}, {"to", leg->to_name}};
  if (job.release.domain.zones() != nullptr) {
    job.card.notes = {
        "locations are the release's zones, at their points or the centres of their areas; flows are what the release "
        "estimates between them."};
    const Result<PairsOnMap> pairs = PairsOnMap::of(job, {});
    if (!pairs) return pairs.error();
    if (Status s = job.describe(); !s) return s;
    return write_flow_map(job, pairs->flow_map(), path, folder);
  }
  if (job.spec.at_least) return usage_error("`at_least` goes with `as flowmap` of a release of zones");
  job.card.notes = {
      "locations are the rectangles that partitions have at the two stops, flows what the release estimates between "
      "them; flows of 0 are left out. Where inside a rectangle trips lie is not said."};
  if (Status s = job.describe(); !s) return s;
  const Result<FlowMapData> data = flow_map_data(job.release, leg->from, leg->to);
  if (!data) return data.error();
  job.summary = fmt::format("{} locations, {} flows", grouped(data->locations.size()), grouped(data->flows.size()));
  return write_flow_map(job, *data, path, folder);
}

Status export_trips(ExportJob& job, const std::string& path, TableForm form) {
  const std::uint64_t draws = job.draws();
  if (draws > 0) return export_drawn_trips(job, path, form, draws);
  const Result<TripModel> model = TripModel::make(job.release);
  if (!model) return model.error();
  const std::uint64_t n = job.spec.n.value_or(model->whole_total());
  const std::uint64_t seed = job.seed();
  const Result<SyntheticTrips> trips = model->draw(n, seed);
  if (!trips) return trips.error();
  if (trips->rows() < n) job.observer.warn("the release estimates no trips at all, so none were drawn");
  job.card.settings = {{"seed", std::to_string(seed)}, {"trips", std::to_string(trips->rows())}};
  job.card.notes = {
      "Synthetic trips, drawn from the published numbers with a public seed: nobody's real trips. Where the release "
      "does not say "
      "how trips lie inside a partition they are spread by its model.",
      fmt::format(
          "A sample: a count of n of these trips is within about 2 sqrt(n) of what the release estimates, beside the "
          "release's own error. The release estimates {:.0f} trips in all.",
          model->total())};
  if (Status s = job.describe(); !s) return s;
  job.facts["trips"] = trips->rows();
  job.summary = fmt::format("{} synthetic trips, a sample of the published numbers", grouped(trips->rows()));
  return trips_table(*trips, seed).write(path, form, job.encoded, job.observer.threads);
}

Status export_dense(ExportJob& job, const std::string& path) {
  const Estimates estimates = job.spec.estimates.value_or(Estimates::plain);
  job.card.settings = {{"estimates", std::string(to_string(estimates))}, {"shape", job.release.domain.shape_text()}};
  job.card.notes = {
      estimates == Estimates::plain
          ? "The sanitised matrix: in every cell the noisy count of its partition divided by the partition's cells."
          : "In every cell its share of its partition's estimate, by the release's answer model."};
  if (Status s = job.describe(); !s) return s;
  job.facts["shape"] = job.release.domain.shape_text();
  job.summary = fmt::format("{} cells as NumPy doubles", job.release.domain.shape_text());
  return write_dense(job.release, estimates, path);
}

}  // namespace stopover
