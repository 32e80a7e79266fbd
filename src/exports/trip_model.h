// TripModel: a release as a law of trips: how many are in each leaf of table 0, and how they lie inside it. The same
// law that the query engine answers from: evenly over the cells, or as the product of the maps says
// (AnswerModel::maps).
//
//   Result<TripModel> model = TripModel::make(release);
//   SyntheticTrips trips = model->draw(model->whole_total(), seed);
//
// What is drawn is a sample of the published numbers, made with a public seed: post-processing, not anybody's trips.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "release/release.h"
#include "release/stop_map.h"
#include "synthetic/generate.h"
#include "synthetic/number_sequence.h"

namespace stopover {

class TripModel {
 public:
  // Fails (bad_input) for a release without tables. REQUIRES: check_release passes otherwise.
  static Result<TripModel> make(const Release& release);

  const Domain& domain() const { return domain_; }
  std::size_t leaves() const { return rows_.size(); }
  std::size_t row(std::size_t leaf) const { return rows_[leaf]; }
  const Box& box(std::size_t leaf) const { return boxes_[leaf]; }
  double estimate(std::size_t leaf) const { return estimates_[leaf]; }
  double total() const { return total_; }
  // The total to the nearest whole number.
  std::uint64_t whole_total() const { return static_cast<std::uint64_t>(total_ + 0.5); }

  // One trip of that leaf, a cell an axis. REQUIRES: `cell` has the domain's axes.
  void draw_cell(std::size_t leaf, NumberSequence& numbers, std::span<std::uint32_t> cell) const;
  // The share of the leaf's trips that lie in one of its cells.
  double share(std::size_t leaf, std::span<const std::uint32_t> cell) const;

  // The map of exactly these two axes, in whichever order; nullptr where there is none.
  const StopMap* map_of(std::size_t axis, std::size_t other) const;

  // The box's weight by the answer model: of two boxes of one leaf, trips divide between them as their weights say.
  double weight(const Box& box) const;

  // n trips, one after the other, each of a leaf drawn by its estimate. No trips where the total is 0. The same for the
  // same arguments on every machine. Fails (usage) for more than kMaxSyntheticTrips.
  Result<SyntheticTrips> draw(std::uint64_t n, std::uint64_t seed) const;

 private:
  struct Map {
    StopMap map;
    std::size_t x;
    std::size_t y;  // kMaxAxes for a map of one axis
  };
  TripModel() = default;
  Interval side_y(const Map& map, const Box& box) const { return map.y < kMaxAxes ? box[map.y] : Interval{0, 1}; }

  Domain domain_;
  std::vector<std::size_t> rows_;
  std::vector<Box> boxes_;
  std::vector<double> estimates_;
  double total_ = 0;
  std::vector<Map> maps_;
  std::vector<std::size_t> even_axes_;  // that no map is about
};

}  // namespace stopover
