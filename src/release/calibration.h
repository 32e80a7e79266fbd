// Calibration: how far a release's answers may be off, as a small table learned from the release itself.
//
// Published with the release, so that every reader gives the same interval. src/calibrate learns it,
// query/calibration.h reads it. An answer X with the features below is thought to be off by sd = sqrt(sum of weight x
// feature); its signal is X/sd. Row r of the table holds, for each tail probability p, how many sd from X the truth was
// found with no more than p beyond: below (not above 0) and above (not below 0). Between rows and between tails it is
// read by proportion.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"

namespace stopover {

struct Calibration {
  // 1; noise variance; sum of n f (1 - f) and of n^2 f (1 - f) over cut leaves; the square of the former; the estimate;
  // the squared distance between estimate and least squares.
  static constexpr std::size_t kFeatures = 7, kNoiseVariance = 1;

  std::uint32_t draws = 0;      // posterior draws it was learned from
  std::uint32_t questions = 0;  // and questions asked of them in all
  std::array<double, kFeatures> weights{};
  std::vector<double> tails;    // descending, above 0 and at most 1/2
  std::vector<double> signals;  // ascending, one per row
  std::vector<double> below;    // [row][tail], not above 0
  std::vector<double> above;    // [row][tail], not below 0

  bool operator==(const Calibration&) const = default;
};

// Whether the table is as said above. The error (check_failed) names what is not.
Status check_calibration(const Calibration& calibration);

}  // namespace stopover
