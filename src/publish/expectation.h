// Expectation: the first look of a publication that was told how many trips there should be.
//
//   const Ticks first = first_share(epsilon);                           // a hundredth; reserved by itself
//   const std::int64_t total = draw_total(matrix, dice, first, k);       // once for each part, under a key of its own
//   if (Status s = judge_totals(expected, totals, {first, rest, k}); !s)  // refused: `first` stays spent
//   Release release = run_mechanism(...);                                // the rest of epsilon, reserved by now
//   add_total(release, expected, first, total);                          // the receipt has a view of its own for it
//
// What is decided here is decided by noisy totals that were paid for and by public numbers; so is the exit code. The
// proof that both draws together cost epsilon is in privacy/AUDIT.md, "A total first".
//
// The rules. Let X be discrete Laplace noise of rate first/(1e9 k), the noise of a total, and of m parts.
//   - Too few: sum of totals + m * reach < expected, where P(X <= -reach) <= 1/(1000 m). If there are as many trips as
//     expected or more, this happens with a probability of at most 1/1000. reach is about 620 k/epsilon for one part,
//     so an expectation below that can hardly ever be found wrong.
//   - Nothing but the total: no part's total * rest/(1e9 k) reaches kLeastWeight. Below it anchor, and the equal grids
//     for origin and destination, leave the map whole, one partition; and a half of the trips would be lost in its own
//     noise wherever it is cut. The weight of a total has noise of scale 100, so with a true weight of w this refuses
//     with a probability of about exp((40 - w)/100)/2: 0.5 % at 500, 1 in 30,000 at 1,000.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "base/ticks.h"
#include "matrix/count_source.h"
#include "release/release.h"

namespace stopover {

class Dice;

struct Expectation {
  std::uint64_t trips = 0;         // declared: public knowledge, not a count of the data
  bool accept_total_only = false;  // go on where nothing but the total can be learned
};

inline constexpr double kLeastWeight = 40;

// The share of epsilon for the total: a hundredth, at least a tick. REQUIRES: epsilon >= 2.
Ticks first_share(Ticks epsilon);

// What is paid, and for how many trips of one unit.
struct ExpectationPrice {
  Ticks first = 0, rest = 0;
  std::uint32_t k = 1;
};

// The number of trips with noise, all of it bought with `first`.
std::int64_t draw_total(const CountSource& source, Dice& dice, Ticks first, std::uint32_t k);

// See above. REQUIRES: parts >= 1.
std::uint64_t reach_of_total(const ExpectationPrice& price, std::size_t parts);

// Refuses (privacy), with what would help, by the two rules above. `totals`: one for each part.
Status judge_totals(const Expectation& expected, std::span<const std::int64_t> totals, const ExpectationPrice& price);

// Puts the total on a release that was made with the rest: its epsilon, what it spent, a line on its receipt (view
// "expected"), and both numbers among its parameters (expect_trips, expect_total).
void add_total(Release& release, const Expectation& expected, Ticks first, std::int64_t total);

}  // namespace stopover
