// Contrast: counts taken with coefficients, and the interval that their errors leave: a difference, a share, a ratio.
//
//   ContrastPart parts[] = {{1, a, 0.975}, {-1, b, 0.975}};   // a less b
//   Contrast d = contrast(parts);
//   ShareRange r = share_range(parts[0], parts[1]);           // a/(a + b)
//
// The counts are of trips that no two of them have in common, so their errors hang together little: half widths are
// added as the sides of right angles are, upwards and downwards by themselves. Bounds, which hold whatever the data,
// are added as they are.
//
// A ratio r = A/B is the r at which A - r B is 0, so its interval is every r whose contrast may be 0 (Fieller). With
// p = r/(1 + r) that is (1 - p) A - p B: p runs from 0 to 1, and a share is p itself. What both counts have in common,
// C, comes in with 1 - 2p.
//
// A part P and the rest R of one whole W are another matter: a trip that is taken for one of the part is missing in the
// rest. So P - p W is taken, with W's own interval at a right angle; or (1 - p) P - p R with half widths added up,
// where that is less.
#pragma once

#include <span>

#include "query/answer.h"

namespace stopover {

struct ContrastPart {
  double coefficient = 1;
  Answer answer;                              // at the level that is asked for
  double bounds_lower = 0, bounds_upper = 0;  // at a higher one, for all parts' bounds to hold together

  ContrastPart() = default;
  // `safe_level`: of its bounds. REQUIRES: not below the answer's.
  ContrastPart(double of, const Answer& counted, double safe_level);
  // Nobody can be there, at whatever level.
  bool empty() const { return answer.estimate == 0 && bounds_lower == 0 && bounds_upper == 0; }
};

struct Contrast {
  double estimate = 0, lower = 0, upper = 0;
  double bounds_lower = 0, bounds_upper = 0;
  bool calibrated = true;  // whether lower..upper comes from likely intervals; else these are the bounds
};

// Nothing is 0 for sure.
Contrast contrast(std::span<const ContrastPart> parts);

// Where p = (A + C)/(A + B + 2 C) may lie: 0 to 1, and lower <= upper. Coefficients of the parts are not read.
struct ShareRange {
  double lower = 0, upper = 1;
  double bounds_lower = 0, bounds_upper = 1;
};
ShareRange share_range(const ContrastPart& a, const ContrastPart& b, const ContrastPart& common = {});
// Where P/W may lie. REQUIRES: the trips of the whole are those of the part and of the rest.
ShareRange part_range(const ContrastPart& part, const ContrastPart& rest, const ContrastPart& whole);

}  // namespace stopover
