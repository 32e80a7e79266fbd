// ZoneLocator: which zone a place on the map lies in.
//
//   const Result<ZoneLocator> locator = ZoneLocator::make(zones);
//   std::int64_t zone = locator->locate(-122.42, 37.77);      // its number, or -1
//
// Exact, with the border rule of fixed_area.h: west and south borders belong to a zone, east and north ones to the
// neighbour, so a point on a shared border is in exactly one zone, on every machine. Where zones overlap, the one with
// the smallest number has the point. About 0.1 microseconds per point; any number of threads may ask at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "domain/zone_set.h"
#include "geo/fixed_area.h"

namespace stopover {

class ZoneLocator {
 public:
  // Fails (usage) when zones are points or names: a coordinate lies in none of them.
  static Result<ZoneLocator> make(const ZoneSet& zones);

  // -1: in no zone, not on the globe, or not a number.
  std::int64_t locate(double lng, double lat) const;

 private:
  // A square of the map, halved both ways until few zones' borders touch it.
  struct Node {
    std::int32_t children = -1;        // the first of four; -1: a leaf
    std::uint32_t first = 0, end = 0;  // a leaf's candidates
  };
  struct Candidate {
    std::uint32_t zone;
    bool whole;  // the zone covers all of the square
  };
  struct Builder;

  std::vector<FixedArea> areas_;
  std::vector<Node> nodes_;
  std::vector<Candidate> candidates_;
  FixedPoint corner_;  // of the root, south-west
  int bits_ = 0;       // the root's sides are 2^bits_
};

}  // namespace stopover
