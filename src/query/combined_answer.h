// A combined answer: answers of releases that were made by themselves, taken with coefficients and added up: a sum over
// months, the slope of a line through them.
//
//   const Answer months[] = {january, february, march};
//   Answer all = combined_answer(months, std::vector<double>{1, 1, 1}, options);
//
// Each release has noise of its own, so half widths are added as the sides of right angles are (contrast.h). But
// releases guess in like ways where trips lie inside partitions, so that a little of what is beyond noise is common
// to all of them (kCommonPlacement): a sum has it n times. In a difference of two it cancels (kCommonOfTwo), in a
// slope too, on which nobody counts. Releases that lean on each other (mechanism/history.h) have more in common, in
// sums noise included (kCommonHistory, kCommonOpenStop), and slopes count on it (kCommonOfSlope). How often such
// intervals hold was measured for up to twelve periods, and is claimed for as many where no stop is left open. The
// noise interval is never shorter than the exact one. It may be below 0.
#pragma once

#include <cstddef>
#include <span>

#include "query/answer.h"

namespace stopover {

// The correlation of errors of two periods, beyond noise; measured (docs/internals/intervals.md, "Over time").
inline constexpr double kCommonPlacement = 0.1;
// The same of releases that lean on each other, of all of the error; and where a stop is left open.
inline constexpr double kCommonHistory = 0.2, kCommonOpenStop = 0.35;

// The same in a difference (AnswerOptions::in_common), whether they lean or not, and in a slope over three and more
// that lean; measured too. Noise cancels in none of them.
inline constexpr double kCommonOfTwo = 0.6, kCommonOfSlope = 0.5;
// Periods whose combination is claimed where releases lean on each other.
inline constexpr std::size_t kMostLeaning = 12;

// Whether releases lean on each other, and whether what is asked of them leaves a stop open.
enum class Leaning { none, all_stops, open_stop };

// REQUIRES: as many coefficients as answers, at least one; the answers were made with these options.
Answer combined_answer(std::span<const Answer> answers, std::span<const double> coefficients,
                       const AnswerOptions& options, Leaning leaning = Leaning::none);

}  // namespace stopover
