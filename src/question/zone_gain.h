// ZoneGain: what a release of zones would have been good for, when zones are laid over one that counts on a grid.
//
//   ZoneGain gain(engine, 0.95);
//   for every pair of zones: gain.add(answer);
//   if (const std::optional<std::string> note = gain.note()) ...
//
// A release of zones counts busy pairs one by one, with at least 0.7 of epsilon (docs/internals/zones.md), so that one
// of them is within ln(1/(1 - level)) / (0.7 eps) trips by its noise, and nothing is cut; times sqrt(c) where further
// axes (hours, purposes) have c cells that add up. Against that stands half the interval of a typical answer here: of
// the pair that the middle one of all trips is in, because most pairs of a large table are empty and tell nothing about
// it. Where there are no likely intervals, that of the noise stands for them: the least that an answer is off. Public
// numbers alone: the answers, and epsilon per trip. For two stops: with more, pairs are sums of too many leaves.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "query/answer.h"
#include "query/query_engine.h"

namespace stopover {

class ZoneGain {
 public:
  ZoneGain(const QueryEngine& engine, double level);

  void add(const Answer& answer);
  // Nothing where the release has zones itself or other than two stops, or where they would not make an interval a
  // fifth shorter.
  std::optional<std::string> note() const;

 private:
  static constexpr std::size_t kBins = 1000;  // of half-widths, each 3 % wider than the one before, from 0.001 on

  double there_ = 0;  // half-width in a release of zones; 0: not to be told
  bool likely_ = true;
  std::array<double, kBins> trips_{};  // by half-width
};

}  // namespace stopover
