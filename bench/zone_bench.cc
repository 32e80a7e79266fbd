// Runs a mechanism on a table between zones and writes what it says of every pair. For scripts/bench-zones.
//
//   zone_bench ZONES.csv PAIRS.csv MECHANISM EPSILON KEY [OUT [BOXES INTERVALS LEVEL]]
//   zone_bench ZONES.csv PAIRS.csv MECHANISM EPSILON KEY OUT MEDIANS COUNTED
//
// ZONES.csv: lines "longitude,latitude" or "longitude,latitude,district" in the order of the axis. PAIRS.csv: lines
// "origin,destination,trips" with numbers of zones. OUT: estimates of all pairs, origins first, as doubles. BOXES: four
// doubles per box, from and to of origins and destinations; INTERVALS gets lower and upper end at LEVEL for each, as
// doubles. MEDIANS gets what answers have as the median of every pair, as OUT, and COUNTED its count as it is; the
// estimate where a pair was not counted. Prints seconds, rows of the joint table and peak memory. KEY names a
// repeatable key: what is written is not private.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "eval/experiment.h"
#include "matrix/matrix.h"
#include "peers/lab_run.h"
#include "privacy/stream_dice.h"
#include "query/answerer.h"
#include "release/stop_map.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

std::shared_ptr<const ZoneSet> read_zones(const char* path) {
  std::vector<ZoneRecord> zones;
  std::ifstream in(path);
  ZoneRecord zone;
  char comma = 0;
  std::string district;
  while (in >> zone.place.x >> comma >> zone.place.y) {
    zone.id = std::to_string(zones.size());
    zone.groups.clear();
    if (in.peek() == ',' && in.get() && std::getline(in, district)) zone.groups = {district};
    zones.push_back(zone);
  }
  std::vector<std::string> levels(zones[0].groups.size(), "district");
  return std::make_shared<const ZoneSet>(*ZoneSet::make(std::move(zones), std::move(levels), ZoneForm::points));
}

Matrix read_pairs(const char* path, const Domain& domain) {
  MatrixBuilder builder(domain);
  std::ifstream in(path);
  std::array<std::uint32_t, 2> cell{};
  std::uint64_t trips = 0;
  char comma = 0;
  while (in >> cell[0] >> comma >> cell[1] >> comma >> trips) {
    STOPOVER_CHECK(builder.add(cell, trips), "a zone that is not there");
  }
  return std::move(builder).build();
}

// What the release says of every pair of zones: a leaf's estimate, shared out as its answer model says; a count of a
// pair as it is.
std::vector<double> pairs_of(const LabResult& made) {
  const Release& release = made.release;
  if (made.kept_from) {
    std::vector<double> pairs;
    for (std::size_t row = 1; row < made.grids[0].rows(); ++row) pairs.push_back(static_cast<double>(made.kept(row)));
    return pairs;
  }
  const Table& table = release.tables[0];
  const std::size_t columns = release.domain.axis(1).cells;
  std::vector<double> pairs(release.domain.axis(0).cells * columns, 0.0);
  std::vector<StopMap> maps;
  const bool uses_maps = release.answer_model == AnswerModel::maps && release.tables.size() == 3;
  if (uses_maps) {
    for (std::size_t t = 1; t < 3; ++t) maps.emplace_back(release.tables[t], release.domain);
  }
  const std::vector<bool> leaves = table.leaves();
  const auto mass = [&](std::size_t a, std::uint32_t zone) {
    return maps[a].mass(Interval{zone, zone + 1}, Interval{0, 1});
  };
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!leaves[row]) continue;
    const Box box = table.box(row);
    double all = static_cast<double>(box.volume());
    if (uses_maps) all = maps[0].mass(box[0], Interval{0, 1}) * maps[1].mass(box[1], Interval{0, 1});
    for (std::uint32_t i = box[0].lo; i < box[0].hi; ++i) {
      for (std::uint32_t j = box[1].lo; j < box[1].hi; ++j) {
        const double part = uses_maps ? mass(0, i) * mass(1, j) : 1;
        pairs[i * columns + j] += table.estimate[row] * (box.volume() == 1 ? 1 : part / all);
      }
    }
  }
  return pairs;
}

void write_doubles(const char* path, const std::vector<double>& values) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(double)));
}

// Lower and upper end of the answer to every box of the file.
std::vector<double> intervals_of(const Release& release, const char* path, double level) {
  const Result<BoxIndex> index = BoxIndex::make(release);
  STOPOVER_CHECK(index, "a release that can be asked");
  Answerer ask(*index, {.level = level});
  std::vector<double> ends;
  std::ifstream in(path, std::ios::binary);
  std::array<double, 4> box{};
  while (in.read(reinterpret_cast<char*>(box.data()), sizeof box)) {
    BoxQuery query = BoxQuery::whole(release.domain);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      query.lo[axis] = box[2 * axis];
      query.hi[axis] = box[2 * axis + 1];
    }
    const Answer answer = ask(query);
    ends.push_back(answer.lower);
    ends.push_back(answer.upper);
  }
  return ends;
}

// REQUIRES: a release whose mechanism tells of its leaves.
struct PairViews {
  std::vector<double> medians, counted;
};

PairViews views_of(const Release& release) {
  const Result<BoxIndex> index = BoxIndex::make(release);
  STOPOVER_CHECK(index, "a release that can be asked");
  Answerer ask(*index, {.quick = true});
  const std::uint32_t columns = release.domain.axis(1).cells;
  PairViews views;
  BoxQuery query = BoxQuery::whole(release.domain);
  for (std::uint32_t i = 0; i < release.domain.axis(0).cells; ++i) {
    query.lo[0] = i;
    query.hi[0] = i + 1;
    for (std::uint32_t j = 0; j < columns; ++j) {
      query.lo[1] = j;
      query.hi[1] = j + 1;
      const Answer answer = ask(query);
      views.medians.push_back(answer.median.value());
      views.counted.push_back(answer.aligned ? answer.unprojected : answer.estimate);
    }
  }
  return views;
}

int run(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr, "zone_bench ZONES.csv PAIRS.csv MECHANISM EPSILON KEY [OUT [BOXES INTERVALS LEVEL]]\n");
    return 2;
  }
  const auto zones = read_zones(argv[1]);
  std::vector<Axis> axes;
  for (const char* name : {"origin", "destination"}) {
    axes.push_back({name, static_cast<std::uint32_t>(zones->size()), AxisKind::zone, 0,
                    static_cast<double>(zones->size()), zones->ids()});
  }
  const Result<Domain> domain = Domain::make(axes, {}, zones);
  const Result<MechanismChoice> choice = parse_mechanism_choice(argv[3]);
  const Result<Ticks> epsilon = parse_epsilon(argv[4]);
  STOPOVER_CHECK(domain && choice && epsilon, "a domain, a mechanism and an epsilon");
  const Matrix matrix = read_pairs(argv[2], *domain);
  const auto start = std::chrono::steady_clock::now();
  StreamDice dice(test_key(argv[5]));
  Kernel kernel(matrix, dice, *epsilon, 1);
  const LabResult made = run_in_lab(*choice->mechanism, choice->params, kernel, Unit::trip);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%.2f s, %zu rows, %ld MB\n", seconds.count(), made.tables()[0].rows(), usage.ru_maxrss / 1024);
  if (argc > 6) write_doubles(argv[6], pairs_of(made));
  if (argc == 9) {
    const PairViews views = views_of(made.release);
    write_doubles(argv[7], views.medians);
    write_doubles(argv[8], views.counted);
  }
  if (argc > 9) write_doubles(argv[8], intervals_of(made.release, argv[7], std::strtod(argv[9], nullptr)));
  return 0;
}

}  // namespace
}  // namespace stopover

int main(int argc, char** argv) { return stopover::run(argc, argv); }
