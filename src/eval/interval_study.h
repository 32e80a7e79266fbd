// IntervalStudy: do intervals hold the truth as often as they say? SECRET wherever the data is real.
//
// For each key a release is made and calibrated from itself, then asked questions of several kinds whose true answers
// are known: what share of noise intervals, likely intervals and placement bounds holds the truth, and how wide they
// are.
//
//   StudySpec spec{find_mechanism("anchor"), params, epsilon, 3, 300, 1};
//   Result<IntervalStudy> study = study_intervals("sf4", matrix, spec);
//
// Kinds: random, dcov1, dcov5, dcov10 (workload.h), and circle1, circle5, circle10: a circle around each stop of a trip
// drawn at random, of that diameter in per cent of the axis, in whole cells (those whose centre is inside).
// Boxes of kind random that hold no trip are asked too, but counted apart.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "mechanism/mechanism.h"

namespace stopover {

struct StudySpec {
  const Mechanism* mechanism = nullptr;
  Params params;
  Ticks epsilon = 0;
  std::uint32_t reps = 3;
  std::size_t queries = 300;  // a kind, with truth above 0
  std::uint64_t seed = 1;
  double level = 0.95;
};

// One of the three intervals, over some questions.
struct IntervalFigures {
  double coverage = 0;  // in per cent
  double width = 0;     // mean, in trips
  double score = 0;     // mean interval score: width, and 2/(1 - level) times the distance of a truth outside
};

struct StudyRow {
  std::string kind;  // "all kinds" last
  std::size_t questions = 0;
  IntervalFigures noise, calibrated, bounds;
  double coverage_all = 0;           // of likely intervals, questions without a trip included
  std::array<double, 10> deciles{};  // how often likely intervals hold, by tenths of the estimate
};

struct IntervalStudy {
  std::string data;
  std::vector<StudyRow> rows;
  std::size_t calibrated_releases = 0;                  // of `reps`; the rest fell back to the bounds
  double mechanism_seconds = 0, calibrate_seconds = 0;  // mean a release
};

// Keys: test_key("intervals SEED DATA MECHANISM EPSILON REP"). Fails where the mechanism cannot run or its releases
// cannot be asked.
Result<IntervalStudy> study_intervals(const std::string& data, const Matrix& matrix, const StudySpec& spec);

}  // namespace stopover
