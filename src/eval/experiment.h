// Experiment: mechanisms x epsilons x repetitions on one data set, each release asked every workload.
//
// SECRET wherever the data is real; and a release made here is not private at all: its key can be repeated.
//
//   ExperimentData data{"g4", &matrix, &truth, {draw_workload(...), ...}};
//   ExperimentSpec spec{{*parse_mechanism_choice("daf-entropy")}, {kTicksPerEpsilon / 10}, 5, 7};
//   run_experiment(data, spec, {}, [](std::span<const ResultRow> rows, const ExperimentProgress&) { ...; return
//   Status(); });
//
// The rows of one run:
//   per workload  queries, redrawn_share; for the consistent estimates mre, mre_error (standard error over the
//   queries),
//                 median_re, re_p10, re_p90, bounded_re, mean_absolute, coverage, interval_width, interval_score; for
//                 the plain ones mre_plain, median_re_plain, bounded_re_plain; for the same partition without noise
//                 mre_exact, median_re_exact, bounded_re_exact; max_absolute; over_p99 = by how much one answer in a
//                 hundred exceeds the truth; mre_floor = what mre would be if every box were the only count ever asked
//                 for; query_us
//   per kind of needles  limit in trips, needle_size in trips, needle_limits = their ratio, found_16 = the share found
//                 at 16 limits (eval/needle.h); needle_limits 128: not found at 64 limits. Of kinds of a given size
//                 (needle@4): limit, places = how many were asked for, found = the share found
//   workload "-"  trips, cells, entropy_cells = H(F), entropy_partition = H(F|P), partitions, publish_seconds,
//   peak_memory_mb
//                 (of the process; absent where the system does not tell or runs overlap), total_error = how far the
//                 answer for all trips is off, floor_count, floor_ranges (eval/limits.h), queries_wanted, seed
// The key of a run is test_key("evaluate SEED DATA MECHANISM EPSILON REP"); releases with needles have the same one.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/ticks.h"
#include "eval/range_counter.h"
#include "eval/result_table.h"
#include "eval/workload.h"
#include "matrix/matrix.h"
#include "mechanism/mechanism.h"

namespace stopover {

struct MechanismChoice {
  const Mechanism* mechanism = nullptr;
  Params params;
  std::string label;  // as typed
};

// "ebp", or with parameters "daf-entropy:stop=2:min_side=4". Fails (usage) on unknown names and bad values.
Result<MechanismChoice> parse_mechanism_choice(std::string_view text);

struct ExperimentData {
  std::string name;
  const Matrix* matrix = nullptr;
  const RangeCounter* truth = nullptr;
  std::vector<Workload> workloads;
  std::vector<NeedleKind> needles = {};
};

struct ExperimentSpec {
  std::vector<MechanismChoice> mechanisms;
  std::vector<Ticks> epsilons;
  std::uint32_t reps = 1;
  std::uint64_t seed = 1;
  std::size_t queries_wanted = 0;  // told in the rows
  std::uint32_t k = 1;             // most trips of one unit
  double level = 0.95;             // of the intervals
  // Also count the truth in every leaf, up to ReleaseMeter::kMostLeaves of them: the rows of *_exact and
  // entropy_partition.
  bool count_leaves = true;
  unsigned jobs = 1;  // runs at a time; DEFAULT 1, so that times and memory mean something
  // Needles of a given size (needle@4) that are asked for with one key, or up to one release of them more.
  std::size_t places = 6;
};

// What is already there, so that only the rest is run. A workload's rows count when the last of them is there.
class FinishedRuns {
 public:
  FinishedRuns() = default;
  // Also drops from `table` the rows of workloads that are there in part.
  explicit FinishedRuns(ResultTable& table);

  bool has(const std::string& data, const std::string& mechanism, const std::string& epsilon, std::uint32_t rep,
           const std::string& workload) const;
  // Fails (usage) when rows of this data set were made with another seed or number of queries.
  Status check(const std::string& data, const ExperimentSpec& spec) const;

 private:
  std::set<std::string> groups_;
  std::vector<ResultRow> settings_;  // the rows of metric seed and queries_wanted
};

struct ExperimentProgress {
  std::size_t done = 0, runs = 0;  // `runs` leaves out what was finished before
  double seconds = 0;              // since the start
  double seconds_left = 0;         // if the rest takes as long on average
};

struct SkippedMechanism {
  std::string mechanism;
  std::string why;  // first line of the error
};

// Called after each run, one call at a time; a failure (an interrupt, a full disk) stops the experiment with it.
using RunFinished = std::function<Status(std::span<const ResultRow>, const ExperimentProgress&)>;

// Needles lie in other places in every repetition, in the same ones for all mechanisms and epsilons.
// REQUIRES: with needles, check_needles passed.
// Mechanisms that cannot run on this domain, or whose releases cannot answer boxes, are skipped and told.
Result<std::vector<SkippedMechanism>> run_experiment(const ExperimentData& data, const ExperimentSpec& spec,
                                                     const FinishedRuns& finished, const RunFinished& run_finished);

}  // namespace stopover
