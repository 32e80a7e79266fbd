// Trips: small synthetic data sets and their neighbours, for proofs and audits.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "domain/domain.h"
#include "matrix/matrix.h"

namespace stopover {

// A data set as a list, one cell a trip.
struct Trips {
  std::vector<std::uint64_t> shape;
  std::vector<std::vector<std::uint32_t>> cells;
  std::size_t axes_a_stop = 0;  // 0: a bare matrix; 2: stops of longitude and latitude; 3: with an hour each

  Domain domain() const;
  // In any order: a matrix does not know it.
  Matrix matrix() const;
  std::string text() const;
};

// Two data sets that differ by one unit of at most k trips, and what they are to be tried with.
struct NeighbourPair {
  Trips first, second;
  std::uint32_t k = 1;
};

// A pair drawn by the seed: d axes of random widths (of at most `most_cells` cells together; some of width 1), no trip
// to some hundreds, scattered or in clusters; one unit of 1 to k trips more or less, together or apart. The second list
// is shuffled.
NeighbourPair random_pair(std::mt19937_64& random, std::size_t d, std::uint32_t k, std::uint64_t most_cells);

// Stops that share a geography, which is what `anchor` counts together: 1 to 3 stops of one random map (of at most
// `map_cells` cells; half that with an hour), as a bare matrix or declared as stops, several also with an hour. No trip
// to some hundreds; the unit has k trips, now and then fewer, together or apart; every other trip has all its stops in
// one cell of the map, so that it moves one count of all stops together by their number.
NeighbourPair shared_pair(std::mt19937_64& random, std::size_t stops, std::uint32_t k, std::uint64_t map_cells);

// Every data set of at most `most` trips on a shape, each once.
std::vector<Trips> all_trips(const std::vector<std::uint64_t>& shape, std::size_t most);
// The same with trips at these places alone.
std::vector<Trips> all_trips(const std::vector<std::uint64_t>& shape, std::size_t most,
                             const std::vector<std::vector<std::uint32_t>>& places);

// counts[i] trips in cell i of a shape (the last axis fastest); cells beyond the list are empty.
Trips filled(const std::vector<std::uint64_t>& shape, const std::vector<std::size_t>& counts);

}  // namespace stopover
