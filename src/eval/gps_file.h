// Matrices from files of positions: for the laboratory's own comparisons on public data sets.
//
// A file is CSV (gzip or plain) with columns lat and lon, and for trips trip_id (rows of a trip in order, one after the
// other). A position falls into a cell of a square map that is declared, not fitted. Rows that are not numbers, and
// positions off the map, are left out.
//
//   const MapSquare san_francisco{37.7749, -122.4194};
//   Result<Matrix> people = read_positions("sf_taxi_2008.csv.gz", san_francisco);           // 2 axes: every position
//   Result<Matrix> trips = read_trip_stops("sf_taxi_2008.csv.gz", san_francisco, 2);        // 4 axes: first and last
//   of a trip
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "matrix/matrix.h"

namespace stopover {

// A square around a centre, north up, cells equal in angle.
struct MapSquare {
  double lat = 0, lon = 0;  // of the centre, degrees
  double side_km = 70;
  std::uint32_t grid = 1000;  // cells per side

  // East and north cell; nothing off the map.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> cell(double at_lat, double at_lon) const;
};

// Axes a0 (east), a1 (north). Fails (bad_input) when the file or a column is missing.
Result<Matrix> read_positions(const std::string& path, const MapSquare& map);

// Two axes per stop: a trip's first position, its last, and between them those nearest to equal steps along its rows.
// Trips of fewer rows than stops, or with a stop off the map, are left out. REQUIRES: stops 2..6.
Result<Matrix> read_trip_stops(const std::string& path, const MapSquare& map, std::size_t stops);

}  // namespace stopover
