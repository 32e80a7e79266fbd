// TripColumns: imagined trips laid out for counting many boxes: sorted by the first axis, the others looked through in
// blocks that the compiler can compare many at a time. No tree: a few hundred boxes are asked, then the trips are gone.
#pragma once

#include <cstdint>
#include <vector>

#include "calibrate/imagination.h"
#include "domain/domain.h"

namespace stopover {

class TripColumns {
 public:
  // REQUIRES: the trips lie in the domain.
  TripColumns(const ImaginedTrips& trips, const Domain& domain);

  std::size_t size() const { return columns_.empty() ? 0 : columns_[0].size(); }
  std::uint32_t cell(std::size_t axis, std::size_t trip) const { return columns_[axis][trip]; }
  std::uint64_t count(const Box& box) const;

 private:
  std::vector<std::vector<std::uint32_t>> columns_;  // [axis][trip]
};

}  // namespace stopover
