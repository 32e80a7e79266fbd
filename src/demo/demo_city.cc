#include "demo/demo_city.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "duck/cell_table.h"
#include "ledger/file_system.h"
#include "mechanism/automatic.h"
#include "page/html_page.h"
#include "release_io/release_io.h"
#include "text/clock.h"

namespace stopover {
namespace {

constexpr std::size_t kRaster = 64, kFlows = 12;

// The city's trips, with axes that say where they lie.
Result<SyntheticTrips> trips_of_the_city() {
  Result<SyntheticTrips> trips = generate_city(DemoCity::kStops, DemoCity::kTrips, DemoCity::kGrid, DemoCity::kSeed);
  if (!trips) return trips.error();
  std::vector<Axis> axes = trips->domain.axes();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool east = i % 2 == 0;
    axes[i].kind = east ? AxisKind::longitude : AxisKind::latitude;
    axes[i].lower = east ? DemoCity::kBox.west : DemoCity::kBox.south;
    axes[i].upper = east ? DemoCity::kBox.east : DemoCity::kBox.north;
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
                   fmt::format("{} is there already\n  Choose another folder, or give `overwrite`.", path)};
    }
    if (Status s = files.remove_tree(path); !s) return s;
  }
  Status made = files.make_directory(places.folder);
  if (made) return made;
  return Error{made.error().failure, made.error().message + "\n  Name a folder that you can write to: `output FOLDER`"};
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
  request.description.title = "A synthetic city";
  request.description.about = "Trips that a program made up, to show what a release looks like.";
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
  Result<FlowMap> map = ask_flows(city.release, DemoCity::kZones, kRaster, kFlows);
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
  for (const std::size_t zone : flow.zones) text += (text.empty() ? "" : " > ") + zone_name(zone, DemoCity::kZones);
  return text;
}

}  // namespace stopover
