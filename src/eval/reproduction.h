// Reproduction: the paper's experiments as a list of scenes, each one data set with what is to be run on it.
//
//   std::vector<Scene> scenes = reproduction_scenes({.quick = true});
//   for (const Scene& scene : scenes) run_scene(scene, spec, finished, on_rows);
//
// The paper's synthetic matrices (section 6.1) are drawn anew; its cities are proprietary, so public data sets or
// synthetic cities stand in for them. Names of data sets say what they are: gaussian-4d-sd0.1-1.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/ticks.h"
#include "eval/experiment.h"
#include "matrix/matrix.h"

namespace stopover {

struct ReproductionOptions {
  // A tenth of the trips, fewer data sets and queries: minutes instead of an hour.
  bool quick = true;
  // Where sf_taxi_2008.csv.gz, la_bikeshare_2019.csv.gz and nyc_checkins_weekly.csv.gz are; "": synthetic cities.
  std::string data_folder;
  std::uint64_t seed = 1;
  // Mechanisms besides the paper's six, on every scene.
  std::vector<std::string> also;
};

enum class Figure {
  gaussian,    // error over the spread, one plot per d and epsilon
  zipf,        // error over the exponent, epsilon 0.1
  odd,         // one spread, d = 3 and 5
  population,  // cities in 2D over epsilon, by query size
  trips,       // the same in 4D
  limits,      // not the paper's: needles, blobs and busy pairs in the first city, with what theory allows
};

struct Scene {
  Figure figure;
  std::string data;   // name in the table
  std::string group;  // without the number of the repetition: what is averaged over
  int d = 2;
  double knob = 0;  // sd as a share of the width, or the exponent
  std::function<Result<Matrix>()> make;
  std::vector<std::string> mechanisms;
  std::vector<std::string> workloads;
  std::vector<std::string> epsilons;
  std::size_t queries = 0;
  std::uint32_t reps = 1;
};

// The mechanisms of the paper's figures.
const std::vector<std::string>& paper_mechanisms();

std::vector<Scene> reproduction_scenes(const ReproductionOptions& options);

// Makes the data, draws the queries and runs what is not finished.
Result<std::vector<SkippedMechanism>> run_scene(const Scene& scene, const ReproductionOptions& options, unsigned jobs,
                                                const FinishedRuns& finished, const RunFinished& run_finished);
// Runs that are left of a scene.
std::size_t runs_left(const Scene& scene, const FinishedRuns& finished);

}  // namespace stopover
