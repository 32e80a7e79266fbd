// How many trips of one person to count, from public numbers: a small K loses trips, a large one needs more noise.
//
// How trips are spread over people is assumed, not looked up: everybody who is in the data has at least one trip, and
// after every trip there is another with the same chance (a geometric law), so that people have `mean` trips on
// average. Real people are more uneven than that as often as less.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ticks.h"

namespace stopover {

struct PlannedPeople {
  std::uint64_t people = 0;
  double trips_per_person = 1;  // on average, at least 1
};

// The share of all trips that are among the first k of their person: 1 - (1 - 1/mean)^k. REQUIRES: mean >= 1.
double kept_share(double mean, std::uint32_t k);

// 1, 2, 4, ... up to the first that keeps 99 % of the trips, at most 4096.
std::vector<std::uint32_t> bounds_to_try(double mean);

struct BoundRow {
  Ticks epsilon = 0;
  std::uint32_t k = 1;
  double kept = 1;           // share of the trips
  double noise_scale = 0;    // k/epsilon: of a count bought with all of epsilon
  double answer_error = 0;   // of an answer about the trips that are kept, relative
  double error = 0;          // about all trips: what is lost, and the answer's error on the rest
  bool recommended = false;  // the least error for this epsilon
};

// 1 - kept + kept * answer_error.
double whole_error(double kept, double answer_error);

// The error of a count of one in a hundred of `trips`, bought with all of epsilon: what is used where nothing is
// simulated.
double hundredth_error(double trips, double noise_scale);

// Marks the row of each epsilon with the least error; of equal ones the smaller k. REQUIRES: epsilon by epsilon, k
// ascending.
void recommend(std::vector<BoundRow>& rows);

}  // namespace stopover
