// TripColumns: drawn trips laid out for counting many boxes.
//
// Trips are drawn leaf by leaf, so neighbours in the list are neighbours in space: a block of them has a small box of
// its own, so has a group of blocks, and most lie wholly inside or outside of what is asked. No tree: a few hundred
// boxes are asked, then the trips are gone.
#pragma once

#include <cstdint>
#include <vector>

#include "calibrate/posterior_draws.h"
#include "domain/box.h"

namespace stopover {

class TripColumns {
 public:
  explicit TripColumns(DrawnTrips trips);

  std::uint64_t trips() const { return trips_.times.empty() ? size() : before_.back(); }
  std::uint32_t cell(std::size_t axis, std::uint64_t trip) const { return trips_.cells[axis][row_of(trip)]; }
  // REQUIRES: as many axes as the trips have.
  std::uint64_t count(const Box& box) const;

 private:
  static constexpr std::size_t kBlock = 64, kBlocks = 16;

  std::size_t size() const { return trips_.size(); }  // rows
  std::size_t row_of(std::uint64_t trip) const;
  // Of rows from..to-1.
  std::uint64_t trips(std::size_t from, std::size_t to) const;
  std::uint64_t scan(const Box& box, const Box& block, std::size_t from, std::size_t to) const;

  DrawnTrips trips_;
  std::vector<std::uint64_t> before_;  // [row]: trips of the rows before it; empty where every row is one trip
  std::vector<Box> blocks_, groups_;
};

}  // namespace stopover
