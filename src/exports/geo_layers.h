// GeoJSON (RFC 7946) of what is in a release: one FeatureCollection a layer, the card as its member `stopover`.
//
//   partitions  a rectangle for each leaf of table 0 and each stop (they overlap where a partition is more than one
//   stop)
//   stops       a map for each stop that tiles it: the leaves of the stop's own map where the release has one, else
//   equal
//               rectangles; with what the release answers for each
//   flows       a line through the places where a leaf's trips are (trip_centres.h), first stop first (a point where
//               they are all the same); the largest first, none with estimate 0
//
// All fail (bad_input) where stops are not on a map. Polygons are closed, outer rings
// counterclockwise, longitude before latitude.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "release/release.h"

namespace stopover {

// `card`: JSON text.
Result<std::string> partitions_layer(const Release& release, const std::string& card);
// `tiles`: so many per side where there is no map.
Result<std::string> stops_layer(const Release& release, const std::string& card, std::size_t tiles);
// `most`: lines; 0 for all.
Result<std::string> flows_layer(const Release& release, const std::string& card, std::size_t most);

}  // namespace stopover
