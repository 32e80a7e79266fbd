#include "eval/reproduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "eval/gps_file.h"
#include "synthetic/generate.h"

namespace stopover {
namespace {

const std::vector<std::string> kEpsilons = {"0.1", "0.3", "0.5"};
// Placed uniformly as well where such boxes are not nearly always empty.
const std::vector<std::string> kWorkloads2d = {"random", "cov1", "cov5", "cov10", "dcov1", "dcov5", "dcov10"};
const std::vector<std::string> kWorkloads4d = {"random", "dcov1", "dcov5", "dcov10"};
const std::vector<std::string> kLimitWorkloads = {"needle", "blob", "busy"};

struct RealCity {
  const char* name;
  const char* file;
  MapSquare map;
};
const std::vector<RealCity> kCities = {{"san-francisco", "sf_taxi_2008.csv.gz", {37.7749, -122.4194}},
                                       {"los-angeles", "la_bikeshare_2019.csv.gz", {34.0522, -118.2437}},
                                       {"new-york", "nyc_checkins_weekly.csv.gz", {40.7128, -74.0060}}};

Result<Matrix> matrix_of(const Result<SyntheticTrips>& trips) {
  if (!trips) return trips.error();
  return to_matrix(*trips);
}

class SceneList {
 public:
  explicit SceneList(const ReproductionOptions& options)
      : options_(options),
        trips_(options.quick ? 100'000 : 1'000'000),
        data_sets_(options.quick ? 3 : 5),
        queries_(options.quick ? 300 : 1000) {}

  std::vector<Scene> all() {
    for (int d : {2, 4, 6}) {
      for (double share : {0.02, 0.05, 0.1, 0.2, 0.4}) add_gaussian(Figure::gaussian, d, share, kEpsilons);
      for (double a : {1.1, 1.5, 2.0, 2.5}) add_zipf(d, a);
    }
    for (int d : {3, 5}) add_gaussian(Figure::odd, d, 0.1, {"0.1"});
    for (std::size_t city = 0; city < kCities.size(); ++city) {
      if (options_.data_folder.empty()) {
        add_synthetic_city(city);
      } else {
        add_real_city(kCities[city]);
      }
    }
    add_limits();
    return std::move(scenes_);
  }

 private:
  std::uint64_t width(int d) const {
    return static_cast<std::uint64_t>(std::lround(std::pow(static_cast<double>(trips_), 1.0 / d)));
  }

  Scene& add(Figure figure, std::string group, std::uint64_t number, int d, double knob,
             std::function<Result<Matrix>()> make) {
    Scene scene{figure,
                fmt::format("{}-{}", group, number),
                group,
                d,
                knob,
                std::move(make),
                paper_mechanisms(),
                {"random"},
                {},
                queries_,
                1};
    scene.mechanisms.insert(scene.mechanisms.end(), options_.also.begin(), options_.also.end());
    return scenes_.emplace_back(std::move(scene));
  }

  void add_gaussian(Figure figure, int d, double share, std::vector<std::string> epsilons) {
    for (std::uint64_t number = 1; number <= data_sets_; ++number) {
      const auto make = [n = trips_, w = width(d), d, share, seed = options_.seed * 1000 + number] {
        return matrix_of(generate_gaussian(static_cast<std::uint64_t>(d), n, w,
                                           std::max(0.01, share * static_cast<double>(w)), seed));
      };
      add(figure, fmt::format("gaussian-{}d-sd{}", d, share), number, d, share, make).epsilons = epsilons;
    }
  }

  void add_zipf(int d, double a) {
    for (std::uint64_t number = 1; number <= data_sets_; ++number) {
      const auto make = [n = trips_, w = width(d), d, a, seed = options_.seed * 1000 + number] {
        return matrix_of(generate_zipf(static_cast<std::uint64_t>(d), n, w, a, seed));
      };
      add(Figure::zipf, fmt::format("zipf-{}d-a{}", d, a), number, d, a, make).epsilons = {"0.1"};
    }
  }

  void city(std::string name, std::function<Result<Matrix>(std::size_t stops)> make) {
    for (std::size_t stops : {1, 2}) {
      const Figure figure = stops == 1 ? Figure::population : Figure::trips;
      Scene& scene = add(figure, name + (stops == 1 ? "-2d" : "-4d"), 1, static_cast<int>(2 * stops), 0,
                         [=] { return make(stops); });
      scene.workloads = stops == 1 ? kWorkloads2d : kWorkloads4d;
      scene.epsilons = kEpsilons;
      // As the paper, which leaves the dense ones out from here on: 1000^4 cells.
      if (stops == 2)
        std::erase_if(scene.mechanisms, [](const std::string& m) { return m == "identity" || m == "mkm"; });
    }
  }

  // The first city again, as people and as trips: flows that nobody foresaw, with our own mechanisms beside the
  // paper's. Needles take releases by the dozen, so dense mechanisms are left out.
  void add_limits() {
    std::vector<Scene> first;
    for (const Scene& scene : scenes_) {
      const bool is_city = scene.figure == Figure::population || scene.figure == Figure::trips;
      if (is_city && first.size() < 2) first.push_back(scene);
    }
    for (Scene& scene : first) {
      scene.figure = Figure::limits;
      scene.group += "-limits";
      scene.data = scene.group + "-1";
      scene.workloads = kLimitWorkloads;
      scene.epsilons = {"0.1", "0.5"};
      scene.reps = options_.quick ? 3 : 9;
      std::erase_if(scene.mechanisms, [](const std::string& m) { return m == "identity" || m == "mkm"; });
      const std::string ours = scene.d == 2 ? "multigrid" : "anchor";
      if (std::find(scene.mechanisms.begin(), scene.mechanisms.end(), ours) == scene.mechanisms.end()) {
        scene.mechanisms.push_back(ours);
      }
      scenes_.push_back(std::move(scene));
    }
  }

  void add_synthetic_city(std::size_t number) {
    const std::uint64_t n = options_.quick ? 100'000 : 300'000;
    city(fmt::format("city-{}", static_cast<char>('a' + number)),
         [n, seed = options_.seed * 1000 + 500 + number](std::size_t stops) {
           return matrix_of(generate_city(stops, stops == 1 ? 3 * n : n, 1000, seed));
         });
  }

  void add_real_city(const RealCity& real) {
    const std::string path = (std::filesystem::path(options_.data_folder) / real.file).string();
    city(real.name, [path, map = real.map](std::size_t stops) {
      return stops == 1 ? read_positions(path, map) : read_trip_stops(path, map, stops);
    });
  }

  const ReproductionOptions& options_;
  std::uint64_t trips_;
  std::uint64_t data_sets_;
  std::size_t queries_;
  std::vector<Scene> scenes_;
};

}  // namespace

const std::vector<std::string>& paper_mechanisms() {
  static const std::vector<std::string> kAll = {"identity", "eug", "ebp", "mkm", "daf-entropy", "daf-homogeneity"};
  return kAll;
}

std::vector<Scene> reproduction_scenes(const ReproductionOptions& options) { return SceneList(options).all(); }

std::size_t runs_left(const Scene& scene, const FinishedRuns& finished) {
  std::size_t left = 0;
  for (const std::string& mechanism : scene.mechanisms) {
    for (const std::string& epsilon : scene.epsilons) {
      for (std::uint32_t rep = 0; rep < scene.reps; ++rep) {
        left += !finished.has(scene.data, mechanism, epsilon, rep, kNoWorkload);
      }
    }
  }
  return left;
}

Result<std::vector<SkippedMechanism>> run_scene(const Scene& scene, const ReproductionOptions& options, unsigned jobs,
                                                const FinishedRuns& finished, const RunFinished& run_finished) {
  ExperimentSpec spec;
  spec.seed = options.seed;
  spec.queries_wanted = scene.queries;
  spec.jobs = jobs;
  spec.count_leaves = false;
  spec.reps = scene.reps;
  for (const std::string& name : scene.mechanisms) {
    Result<MechanismChoice> choice = parse_mechanism_choice(name);
    if (!choice) return choice.error();
    spec.mechanisms.push_back(*std::move(choice));
  }
  for (const std::string& text : scene.epsilons) spec.epsilons.push_back(*parse_epsilon(text));
  if (Status ok = finished.check(scene.data, spec); !ok) return ok.error();
  const Result<Matrix> matrix = scene.make();
  if (!matrix) return matrix.error();
  const RangeCounter truth(*matrix);
  ExperimentData data{scene.data, &*matrix, &truth, {}};
  for (const std::string& name : scene.workloads) {
    const WorkloadKind kind = *parse_workload(name);
    if (kind.needle) {
      if (Status ok = check_needles(*kind.needle, matrix->domain()); !ok) return ok.error();
      data.needles.push_back(*kind.needle);
    } else {
      data.workloads.push_back(draw_workload(kind, *matrix, truth, scene.queries, options.seed));
    }
  }
  return run_experiment(data, spec, finished, run_finished);
}

}  // namespace stopover
