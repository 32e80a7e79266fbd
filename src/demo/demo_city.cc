#include "demo/demo_city.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/grouped.h"
#include "domain/degree_box.h"
#include "duck/cell_table.h"
#include "ledger/file_system.h"
#include "mechanism/automatic.h"
#include "page/html_page.h"
#include "release_io/release_io.h"
#include "text/clock.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

constexpr std::uint64_t kStops = 3, kTrips = 300'000, kGrid = 1000, kSeed = 7;
constexpr std::size_t kZones = 8, kRaster = 64, kFlows = 12;
// The synthetic city lies where no real one can be: on the equator, south of Ghana, in the sea.
constexpr DegreeBox kBox{-0.1, -0.1, 0.1, 0.1};

// The city's trips, with axes that say where they lie.
Result<SyntheticTrips> trips_of_the_city() {
  Result<SyntheticTrips> trips = generate_city(kStops, kTrips, kGrid, kSeed);
  if (!trips) return trips.error();
  std::vector<Axis> axes = trips->domain.axes();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool east = i % 2 == 0;
    axes[i].kind = east ? AxisKind::longitude : AxisKind::latitude;
    axes[i].lower = east ? kBox.west : kBox.south;
    axes[i].upper = east ? kBox.east : kBox.north;
  }
  const Result<Domain> placed = Domain::make(std::move(axes), trips->domain.stops());
  if (!placed) return placed.error();
  trips->domain = *placed;
  return trips;
}

// Only what a demo makes is ever replaced.
Status prepare(FileSystem& files, const DemoPlaces& places, bool overwrite) {
  const bool there = files.exists(places.folder);
  for (const std::string& path : {places.trips, places.ledger, places.release, places.picture, places.page}) {
    if (!there || !files.exists(path)) continue;
    if (!overwrite) {
      return Error{Failure::output_exists,
                   fmt::format("{} is there already\n  Choose another folder, or add --overwrite.", path)};
    }
    if (Status s = files.remove_tree(path); !s) return s;
  }
  return files.make_directory(places.folder);
}

Result<PublishOutcome> publish_city(FileSystem& files, const DemoPlaces& places, const SyntheticTrips& trips,
                                    const DemoSpec& spec, const DemoDoors& demo) {
  PublishRequest request;
  const Mechanism* mechanism = choose_mechanism(trips.domain).mechanism;
  Result<Params> params = read_params(*mechanism, {});
  if (!params) return params.error();
  request.parts = {{"", mechanism, std::move(*params), {}}};
  request.epsilon = spec.epsilon;
  request.output = places.release;
  request.ledger = places.ledger;
  request.budget = 2 * spec.epsilon;
  request.state_dir = "";  // nobody's budget: the trips are synthetic
  request.time = utc_now();
  request.threads = spec.threads;
  const std::unique_ptr<ReleaseStore> store = release_store(spec.threads);
  PublishDoors doors{files, *store, KeySource::system()};
  doors.phase = demo.phase;
  doors.interrupted = demo.interrupted;
  const Matrix matrix = to_matrix(trips);
  return publish(request, {&matrix, 1}, doors);
}

std::uint64_t true_trips(const Flow& flow, const SyntheticTrips& trips) {
  std::uint64_t n = 0;
  for (std::size_t row = 0; row < trips.rows(); ++row) {
    bool inside = true;
    for (std::size_t s = 0; s < flow.zones.size() && inside; ++s) {
      const std::vector<std::size_t>& axes = trips.domain.stops()[s].axes;
      const auto part = [&](std::size_t axis) {
        const std::uint64_t cells = trips.domain.axis(axis).cells;
        return ((trips.cells[axis][row] + 1) * kZones - 1) / cells;
      };
      inside = part(axes[0]) == flow.zones[s] % kZones && part(axes[1]) == flow.zones[s] / kZones;
    }
    n += inside ? 1 : 0;
  }
  return n;
}

// Whether the release has likely intervals.
bool is_calibrated(const FlowMap& map) {
  return std::all_of(map.flows.begin(), map.flows.end(), [](const Flow& flow) { return flow.answer.calibrated; });
}

bool is_claimed(const FlowMap& map) {
  return std::all_of(map.flows.begin(), map.flows.end(), [](const Flow& flow) { return flow.answer.claimed; });
}

std::string table_of(const FlowMap& map, const SyntheticTrips& trips, const Paper& paper) {
  const bool learned = is_calibrated(map);
  std::string text = fmt::format("  {:<16}{:>9}{:>22}{:>10}\n", "by way of", "estimate",
                                 !learned          ? "noise alone, 95 %"
                                 : is_claimed(map) ? "likely, 95 %"
                                                   : "likely, not claimed",
                                 "truth");
  for (const Flow& flow : map.flows) {
    const Answer& a = flow.answer;
    text += fmt::format("  {:<16}{}{:>22}{:>10}\n", way_of(flow),
                        paper.paint(Tone::strong, fmt::format("{:>9}", figure_text(a.estimate))),
                        fmt::format("{} to {}", figure_text(learned ? a.lower : a.noise_lower),
                                    figure_text(learned ? a.upper : a.noise_upper)),
                        grouped(true_trips(flow, trips)));
  }
  return text;
}

std::string next_steps(const DemoCity& city) {
  const DemoPlaces& places = city.places;
  const Domain& domain = city.trips.domain;
  std::vector<std::string> stops;
  for (const Stop& stop : domain.stops()) stops.push_back(stop.name);
  return fmt::format(
      "\nTry next\n"
      "  stopover info {}\n"
      "  stopover query {} \\\n      --box {}\n"
      "  stopover publish --matrix {} \\\n      --shape {} --stops {} \\\n"
      "      --bbox={} --epsilon {} --mechanism daf-entropy \\\n      --ledger {} -o {}/again.odr",
      places.release, places.release, flow_box(city.map.flows.front(), kZones, domain), places.trips,
      domain.shape_text(), fmt::join(stops, ","),
      fmt::format("{},{},{},{}", kBox.west, kBox.south, kBox.east, kBox.north), format_epsilon(city.release.epsilon),
      places.ledger, places.folder);
}

}  // namespace

DemoPlaces::DemoPlaces(std::string name) : folder(std::move(name)) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  trips = folder + "/city.parquet";
  ledger = folder + "/city.ledger";
  release = folder + "/city.odr";
  picture = folder + "/flows.svg";
  page = folder + "/city.html";
}

Result<DemoCity> make_demo(const DemoSpec& spec, const DemoDoors& doors) {
  DemoCity city{DemoPlaces(spec.output), {}, {}, {}, {}, {}};
  const DemoPlaces& places = city.places;
  const std::unique_ptr<FileSystem> files = posix_file_system();
  if (Status s = prepare(*files, places, spec.overwrite); !s) return s.error();

  doors.phase("making a city up");
  Result<SyntheticTrips> trips = trips_of_the_city();
  if (!trips) return trips.error();
  city.trips = *std::move(trips);
  std::vector<std::string> names;
  for (const Axis& axis : city.trips.domain.axes()) names.push_back(axis.name);
  if (Status s = write_cell_table(places.trips, TableFormat::parquet, names, city.trips.cells, spec.threads); !s)
    return s.error();
  Result<PublishOutcome> outcome = publish_city(*files, places, city.trips, spec, doors);
  if (!outcome) return outcome.error();
  city.outcome = *std::move(outcome);

  doors.phase("asking for flows");
  Result<Release> release = read_release(places.release, spec.threads);
  if (!release) return release.error();
  city.release = *std::move(release);
  Result<FlowMap> map = ask_flows(city.release, kZones, kRaster, kFlows);
  if (!map) return map.error();
  city.map = *std::move(map);
  const std::string picture = flow_svg(city.map, city.release);
  if (Status s = files->write_file(places.picture, picture); !s) return s.error();
  const PageRelease shown{release_title(places.release), &city.release};
  const Result<std::string> page = explorer_page({&shown, 1}, picture);
  if (!page) {
    city.no_page = page.error().message;
  } else if (Status s = files->write_file(places.page, *page); !s) {
    return s.error();
  }
  return city;
}

std::string way_of(const Flow& flow) {
  std::string text;
  for (const std::size_t zone : flow.zones) text += (text.empty() ? "" : " > ") + zone_name(zone, kZones);
  return text;
}

std::string text_of(const DemoCity& city, const Paper& paper) {
  const DemoPlaces& places = city.places;
  std::string text = fmt::format(
      "{}\n  {} synthetic trips, {} stops each, a map of {} x {} cells per stop\n"
      "  published as {} boxes with epsilon {} ({})\n\n",
      paper.paint(Tone::strong, places.release), grouped(kTrips), kStops, grouped(kGrid), grouped(kGrid),
      grouped(city.outcome.partitions), format_epsilon(city.release.epsilon), city.release.mechanism);
  text += fmt::format("The {} largest flows between quarters that do not touch (A1: south-west)\n\n{}\n",
                      city.map.flows.size(), table_of(city.map, city.trips, paper));
  const std::string placed_as =
      city.release.answer_model == AnswerModel::maps ? "as the stops' own published maps say" : "evenly";
  text += wrapped(
      is_calibrated(city.map)
          ? fmt::format(
                "The truth can be shown because the trips are synthetic. The likely interval is learned from "
                "the release: it holds the noise, and that the quarters cut published boxes, inside which trips "
                "are taken to lie {}.{}",
                placed_as,
                is_claimed(city.map) ? ""
                                     : " It is meant to hold 95 times in 100, but not claimed to with three "
                                       "stops (docs/internals/intervals.md).")
          : fmt::format("The truth can be shown because the trips are synthetic. Where it lies outside the interval, "
                        "the difference is not noise: the quarters cut published boxes, and trips inside a box are "
                        "taken to lie {}.",
                        placed_as),
      80, 0);
  text += fmt::format("\n\nThe picture is {}", paper.paint(Tone::strong, places.picture));
  if (city.no_page.empty()) {
    text += fmt::format("\nThe page is    {}: open it in a browser\n  (or: stopover serve {} --open)",
                        paper.paint(Tone::strong, places.page), places.release);
  }
  return text + "\n" + next_steps(city);
}

}  // namespace stopover
