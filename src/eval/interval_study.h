// IntervalStudy: do intervals hold the truth as often as they say? SECRET wherever the data is real.
//
// For each key a release is made and calibrated from itself, as `publish` does it, then asked questions of several
// kinds whose true answers are known (coverage_questions.h): what share of noise intervals, likely intervals and
// placement bounds holds the truth, and how wide they are.
//
//   StudySpec spec{find_mechanism("anchor"), params, "anchor", epsilon};
//   Result<IntervalStudy> study = study_intervals({"sf4", 2, "500x500"}, questions, asked, spec);
//
// Differences, ratios and shares are answered as everywhere (query/pair_answer.h). Errors and widths of ratios and
// shares are in their own unit, not in trips.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "eval/coverage_questions.h"
#include "eval/coverage_table.h"
#include "mechanism/mechanism.h"
#include "publish/probed.h"

namespace stopover {

struct StudySpec {
  const Mechanism* mechanism = nullptr;
  Params params;
  std::string label;  // the mechanism in the table
  Ticks epsilon = 0;
  std::uint32_t reps = 3;
  std::uint32_t k = 1;        // trips per user
  std::size_t queries = 300;  // wanted per kind
  std::uint64_t seed = 1;
  std::vector<double> levels = {0.95};
  std::uint64_t probe_share =
      kProbeShare;  // of epsilon, in billionths, where the mechanism is probed (publish/probed.h)
  std::function<Status()> check = [] { return Status(); };  // asked now and then; a failure ends the study
};

struct StudyData {
  std::string name;
  std::string grid;  // in the table
};

// Questions of one kind.
struct AskedKind {
  std::string name;
  std::vector<CoverageQuestion> questions;
};

struct IntervalStudy {
  std::vector<CoverageRow> rows;        // kind by kind and then "all", of each the levels
  std::size_t calibrated_releases = 0;  // of `reps`; the rest fell back to the bounds
  double mechanism_seconds = 0, calibrate_seconds = 0, ask_seconds = 0;  // mean a release
};

// Keys: test_key("intervals SEED DATA MECHANISM EPSILON REP"). Fails where the mechanism cannot run or its releases
// cannot be asked.
Result<IntervalStudy> study_intervals(const StudyData& data, const CoverageQuestions& questions,
                                      std::span<const AskedKind> kinds, const StudySpec& spec);

}  // namespace stopover
