// PairAnswer: two counts against each other: how many more, how many times as many, what share.
//
//   PairAnswer p = answer_pair(index, {a, b, a_and_b}, {.level = 0.95});   // of one release
//   PairAnswer q = answer_pair(index, a, other_index, a_there, options);   // of two
//   p.difference.estimate;                                                 // first less second
//
// Of one release noise and placement of what both have in common are taken once: the noise interval is that of the
// signed sum of leaves, exactly, and the likely interval is made of the trips that only one of them has (contrast.h).
// So what is compared with itself differs by nothing, for sure. A share is the ratio of a part to the whole that it
// lies in, and never above 1.
#pragma once

#include <optional>

#include "query/answer.h"
#include "query/box_index.h"
#include "query/selection.h"

namespace stopover {

// `value` is unset where the second is 0; `upper` where there is no telling how many times at most, since it may be.
struct CountRatio {
  std::optional<double> value;
  double lower = 0;
  std::optional<double> upper;
  double level = 0;
  bool claimed = false;
};

struct PairAnswer {
  Answer first, second;
  Answer difference;  // first less second
  CountRatio ratio;   // first by second
};

// `both`: the trips that are in the first and in the second.
struct SelectionPair {
  Selection first, second, both;
};

PairAnswer answer_pair(const BoxIndex& index, const SelectionPair& pair, const AnswerOptions& options);
// Of releases that were made by themselves. REQUIRES: these are two.
PairAnswer answer_pair(const BoxIndex& index, const Selection& first, const BoxIndex& other, const Selection& second,
                       const AnswerOptions& options);

// First less second, of answers from two releases that were made with these options, for tables: its noise interval is
// never shorter than the exact one (AnswerOptions::quick).
Answer quick_difference(const Answer& first, const Answer& second, const AnswerOptions& options);

}  // namespace stopover
