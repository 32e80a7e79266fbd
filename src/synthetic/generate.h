// Synthetic data sets from a seed: the paper's Gaussian and Zipf matrices, and a city.
//
//   Result<SyntheticTrips> g = generate_gaussian(4, 1'000'000, 32, 6, 7);
//   if (!g) return g.error();
//   Matrix m = to_matrix(*g);
//
// The same arguments give the same rows on every machine. Nothing here is private, and nothing here is an entropy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/domain.h"
#include "matrix/matrix.h"

namespace stopover {

struct SyntheticTrips {
  Domain domain;                                  // axes a0, a1, ...
  std::vector<std::vector<std::uint32_t>> cells;  // [axis][row]: one row per trip, in the order they were drawn
  std::string summary;                            // "gaussian, 4 axes of 32 cells, sd 6, 1000000 trips, seed 7"

  std::size_t rows() const { return cells.empty() ? 0 : cells[0].size(); }
};

inline constexpr std::uint64_t kMaxSyntheticTrips = 1'000'000'000;
inline constexpr std::uint64_t kMaxSyntheticWidth = 1 << 20;

// One cluster (section 6.1 of the paper): a centre cell is drawn uniformly on each axis, then every trip's index on an
// axis is N(centre, sd^2) rounded to the nearest cell; a trip outside the domain is drawn again. `sd` is in cells.
// Fails (usage) unless dims is 1..12, n at most kMaxSyntheticTrips, width 1..kMaxSyntheticWidth, sd 0.01..1e6.
Result<SyntheticTrips> generate_gaussian(std::uint64_t dims, std::uint64_t n, std::uint64_t width, double sd,
                                         std::uint64_t seed);

// Every axis by itself: cell x - 1 with probability proportional to x^-a; what lies outside the domain is drawn again.
// Fails (usage) as above and unless a is 0..50.
Result<SyntheticTrips> generate_zipf(std::uint64_t dims, std::uint64_t n, std::uint64_t width, double a,
                                     std::uint64_t seed);

// Trips through a synthetic city: two axes (east, north) per stop, all stops on the same map of grid x grid cells. A
// dense centre, an inner ring, subcentres, suburbs along corridors, outlying towns and a few hubs (stations, an
// airport); people commute out and back or run errands, the destination by attraction and distance decay, the stops on
// the way by the detour they cost; a share of all visits is at popular addresses of a few cells. Stops are named
// origin, destination; with one between them origin, stop, destination; with more stop1, stop2, ... Fails (usage)
// unless stops is 1..6, n at most kMaxSyntheticTrips, grid 8..kMaxSyntheticWidth.
Result<SyntheticTrips> generate_city(std::uint64_t stops, std::uint64_t n, std::uint64_t grid, std::uint64_t seed);

Matrix to_matrix(const SyntheticTrips& trips);

}  // namespace stopover
