// CalibratedInterval: reads a release's calibration table at one level.
//
//   CalibratedInterval interval(*release.calibration, 0.95);
//   PlacementBounds reach = interval(answer);       // before guards: Answerer keeps it within the bounds
//
// A level beyond the table's smallest tail is reached by going on as the last two tails do, in the logarithm of the
// probability (as an exponential tail does).
//
// An edge that cuts cells adds what it leaves open (edge_doubt.h), as far as trips are thought to clump inside cells
// (cell_clumping.h). Cells that are leaves count in `clump` as if they did so wholly, so as much is taken off there.
//
// The chance to miss is shared by both ends. Nothing is below 0, so an interval that starts there may spend all of it
// at its upper end: of the two, the shorter is given.
#pragma once

#include <array>
#include <vector>

#include "query/answer.h"
#include "query/placement.h"
#include "release/calibration.h"

namespace stopover {

using Features = std::array<double, Calibration::kFeatures>;

// Of an answer by consistent estimates, with intervals.
Features features_of(const Answer& answer);

// What errors are taken from: midway between the estimate and the value before projection. Of small answers the
// estimate is the better one, of large ones the other: what projection gives to empty land it takes from where trips
// are.
double centre_of(const Answer& answer);

// sqrt(sum of weight x feature), at least a millionth.
double error_scale(const Calibration& calibration, const Features& features);

class CalibratedInterval {
 public:
  // REQUIRES: check_calibration passes; 0 < level < 1; 0 <= clumping <= 1.
  CalibratedInterval(const Calibration& calibration, double level, double clumping = 1);

  PlacementBounds operator()(const Answer& answer) const;

 private:
  Calibration calibration_;
  double clumping_;                    // inside cells
  std::vector<double> below_, above_;  // [row], at the level
  std::vector<double> above_zero_;     // [row], the upper end of an interval from 0 on
};

}  // namespace stopover
