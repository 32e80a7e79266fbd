#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/grouped.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "ingest/cell_table.h"
#include "job/clock.h"
#include "job/domain_spec.h"
#include "job/figure_text.h"
#include "mechanism/automatic.h"
#include "page/flow_map.h"
#include "page/html_page.h"
#include "publish/publish.h"
#include "release_io/release_io.h"
#include "synthetic/generate.h"

namespace stopover {
namespace {

constexpr std::uint64_t kStops = 3, kTrips = 300'000, kGrid = 1000, kSeed = 7;
constexpr std::size_t kZones = 8, kRaster = 64, kFlows = 12;
// The synthetic city lies where no real one can be: on the equator, south of Ghana, in the sea.
constexpr DegreeBox kBox{-0.1, -0.1, 0.1, 0.1};

struct Options {
  std::string output, epsilon = "1";
  bool overwrite = false;
};

struct Places {
  explicit Places(const std::string& name)
      : folder(name),
        trips(folder + "/city.parquet"),
        ledger(folder + "/city.ledger"),
        release(folder + "/city.odr"),
        picture(folder + "/flows.svg"),
        page(folder + "/city.html") {}
  std::string folder, trips, ledger, release, picture, page;
};

// Only what a demo makes is ever replaced.
Status prepare(FileSystem& files, const Places& places, bool overwrite) {
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

Result<PublishOutcome> publish_city(FileSystem& files, const Places& places, const SyntheticTrips& trips, Ticks epsilon,
                                    const Session& session, Progress& progress) {
  PublishRequest request;
  const Mechanism* mechanism = choose_mechanism(trips.domain).mechanism;
  Result<Params> params = read_params(*mechanism, {});
  if (!params) return params.error();
  request.parts = {{"", mechanism, std::move(*params), {}}};
  request.epsilon = epsilon;
  request.output = places.release;
  request.ledger = places.ledger;
  request.budget = 2 * epsilon;
  request.state_dir = "";  // nobody's budget: the trips are synthetic
  request.time = utc_now();
  request.threads = session.threads;
  const std::unique_ptr<ReleaseStore> store = release_store(session.threads);
  PublishDoors doors{files, *store, KeySource::system()};
  doors.phase = [&](std::string_view name) { progress.phase(name); };
  doors.interrupted = Interrupt::asked;
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

std::string way_of(const Flow& flow) {
  std::string text;
  for (const std::size_t zone : flow.zones) text += (text.empty() ? "" : " > ") + zone_name(zone, kZones);
  return text;
}

// Whether the release has likely intervals.
bool is_calibrated(const FlowMap& map) {
  return std::all_of(map.flows.begin(), map.flows.end(), [](const Flow& flow) { return flow.answer.calibrated; });
}

bool is_claimed(const FlowMap& map) {
  return std::all_of(map.flows.begin(), map.flows.end(), [](const Flow& flow) { return flow.answer.claimed; });
}

std::string table_of(const FlowMap& map, const SyntheticTrips& trips, const Terminal& terminal) {
  const bool learned = is_calibrated(map);
  std::string text = fmt::format("  {:<16}{:>9}{:>22}{:>10}\n", "by way of", "estimate",
                                 !learned          ? "noise alone, 95 %"
                                 : is_claimed(map) ? "likely, 95 %"
                                                   : "likely, not claimed",
                                 "truth");
  for (const Flow& flow : map.flows) {
    const Answer& a = flow.answer;
    text += fmt::format("  {:<16}{}{:>22}{:>10}\n", way_of(flow),
                        terminal.paint(Tone::strong, fmt::format("{:>9}", figure_text(a.estimate))),
                        fmt::format("{} to {}", figure_text(learned ? a.lower : a.noise_lower),
                                    figure_text(learned ? a.upper : a.noise_upper)),
                        grouped(true_trips(flow, trips)));
  }
  return text;
}

nlohmann::ordered_json json_of(const Places& places, const FlowMap& map, const PublishOutcome& outcome) {
  nlohmann::ordered_json flows = nlohmann::ordered_json::array();
  for (const Flow& flow : map.flows) {
    flows.push_back({{"zones", way_of(flow)},
                     {"estimate", rounded(flow.answer.estimate)},
                     {"noise_lower", rounded(flow.answer.noise_lower)},
                     {"noise_upper", rounded(flow.answer.noise_upper)},
                     {"lower", rounded(flow.answer.lower)},
                     {"upper", rounded(flow.answer.upper)},
                     {"calibrated", flow.answer.calibrated},
                     {"claimed", flow.answer.claimed}});
  }
  return {{"release", places.release},
          {"matrix", places.trips},
          {"ledger", places.ledger},
          {"picture", places.picture},
          {"content_sha256", outcome.content_sha256},
          {"partitions", outcome.partitions},
          {"flows", flows}};
}

Status run(const Options& o, const Session& session) {
  const Terminal& terminal = session.terminal;
  const Result<Ticks> epsilon = parse_epsilon(o.epsilon);
  if (!epsilon) return epsilon.error();
  if (*epsilon > kMaxTicks / 2) return Error{Failure::usage, "--epsilon of the demo must be at most 500"};
  std::string folder = o.output;
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  const Places places(folder);
  const std::unique_ptr<FileSystem> files = posix_file_system();
  if (Status s = prepare(*files, places, o.overwrite); !s) return s;

  const Interrupt interrupt;
  Progress progress(terminal);
  progress.phase("making a city up");
  Result<SyntheticTrips> trips = generate_city(kStops, kTrips, kGrid, kSeed);
  if (!trips) return trips.error();
  DomainSpec place{{}, {}, kBox};
  for (const Axis& axis : trips->domain.axes()) place.shape.push_back(axis.cells);
  for (const Stop& stop : trips->domain.stops()) place.stops.push_back(stop.name);
  const Result<Domain> placed = declared_domain(place);
  if (!placed) return placed.error();
  trips->domain = *placed;
  std::vector<std::string> names;
  for (const Axis& axis : trips->domain.axes()) names.push_back(axis.name);
  if (Status s = write_cell_table(places.trips, TableFormat::parquet, names, trips->cells, session.threads); !s)
    return s;
  const Result<PublishOutcome> outcome = publish_city(*files, places, *trips, *epsilon, session, progress);
  if (!outcome) return outcome.error();
  progress.phase("asking for flows");
  const Result<Release> release = read_release(places.release, session.threads);
  if (!release) return release.error();
  const Result<FlowMap> map = ask_flows(*release, kZones, kRaster, kFlows);
  if (!map) return map.error();
  const std::string picture = flow_svg(*map, *release);
  if (Status s = files->write_file(places.picture, picture); !s) return s;
  const PageRelease shown{release_title(places.release), &*release};
  const Result<std::string> page = explorer_page({&shown, 1}, picture);
  if (page) {
    if (Status s = files->write_file(places.page, *page); !s) return s;
  }
  progress.pause();
  if (terminal.json()) {
    nlohmann::ordered_json json = json_of(places, *map, *outcome);
    if (page) json["page"] = places.page;
    terminal.print(json.dump(2));
    return {};
  }
  const std::string shape = trips->domain.shape_text();
  const std::string box = flow_box(map->flows.front(), kZones, trips->domain);
  terminal.print(
      fmt::format("{}\n  {} synthetic trips, {} stops each, a map of {} x {} cells per stop\n"
                  "  published as {} boxes with epsilon {} ({})\n",
                  terminal.paint(Tone::strong, places.release), grouped(kTrips), kStops, grouped(kGrid), grouped(kGrid),
                  grouped(outcome->partitions), format_epsilon(*epsilon), release->mechanism));
  terminal.print(fmt::format("The {} largest flows between quarters that do not touch (A1: south-west)\n\n{}",
                             map->flows.size(), table_of(*map, *trips, terminal)));
  const std::string placed_as =
      release->answer_model == AnswerModel::maps ? "as the stops' own published maps say" : "evenly";
  terminal.print(wrapped(
      is_calibrated(*map)
          ? fmt::format("The truth can be shown because the trips are synthetic. The likely interval is learned from "
                        "the release: it holds the "
                        "noise, and that the quarters cut published boxes, inside which trips are taken to lie {}.{}",
                        placed_as,
                        is_claimed(*map) ? ""
                                         : " It is meant to hold 95 times in 100, but not claimed to with three stops "
                                           "(docs/internals/intervals.md).")
          : fmt::format("The truth can be shown because the trips are synthetic. Where it lies outside the interval, "
                        "the difference is not "
                        "noise: the quarters cut published boxes, and trips inside a box are taken to lie {}.",
                        placed_as),
      80, 0));
  terminal.print(fmt::format("\nThe picture is {}", terminal.paint(Tone::strong, places.picture)));
  if (page) {
    terminal.print(fmt::format("The page is    {}: open it in a browser\n  (or: stopover serve {} --open)",
                               terminal.paint(Tone::strong, places.page), places.release));
  } else {
    terminal.note("no page was made: " + page.error().message);
  }
  terminal.print(
      fmt::format("\nTry next\n"
                  "  stopover info {}\n"
                  "  stopover query {} \\\n      --box {}\n"
                  "  stopover publish --matrix {} \\\n      --shape {} --stops {} \\\n"
                  "      --bbox={} --epsilon {} --mechanism daf-entropy \\\n      --ledger {} -o {}/again.odr",
                  places.release, places.release, box, places.trips, shape, fmt::join(place.stops, ","),
                  fmt::format("{},{},{},{}", kBox.west, kBox.south, kBox.east, kBox.north), format_epsilon(*epsilon),
                  places.ledger, places.folder));
  return {};
}

}  // namespace

void add_demo(Cli& cli) {
  const auto o = std::make_shared<Options>();
  CLI::App& app = cli.command({"demo",
                               "from nothing to a release, a picture and a page",
                               {"stopover demo -o demo", "stopover demo -o demo --overwrite --epsilon 0.1"},
                               "Makes a synthetic city of 300,000 trips with three stops each, publishes it, asks for "
                               "the largest "
                               "flows, draws them and makes a page to explore them. Needs no data and reads none."},
                              [o](const Session& session) { return run(*o, session); });
  option(app, "-o,--output", o->output, "FOLDER", "where it all goes")->required();
  option(app, "--epsilon", o->epsilon, "E", "of the release (1)");
  flag(app, "--overwrite", o->overwrite, "replace what an earlier demo left there");
}

}  // namespace stopover
