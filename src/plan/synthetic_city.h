// SyntheticCity: a city of the planned size, and questions whose answers are known. Nothing private is in it or near
// it.
//
//   SyntheticCity city(2, 200'000, {1000, 1000, 70, 70}, {1.4, 3.5, 7}, 1);
//   Result<Trial> trial = run_trial(city, *mechanism, params, epsilon, 1, *key);
//
// Trips are those of synthetic/city.h, laid on any grid. A question is a square of a given side around the stop of a
// trip drawn at random: at one stop, the others left free, or at every stop of that trip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "domain/box.h"
#include "domain/domain.h"
#include "matrix/matrix.h"

namespace stopover {

// A stop's map: cells, and its sides in kilometres (or any other unit of length).
struct MapSize {
  std::uint32_t columns = 1000, rows = 1000;
  double width = 100, height = 100;
  bool operator==(const MapSize&) const = default;
};

// A question and its true answer.
struct KnownCount {
  Box box;
  std::uint64_t truth = 0;
};

struct KnownCounts {
  double side = 0;                    // of the squares, as asked for; at least one cell
  std::vector<KnownCount> one_stop;   // a square at one stop, the others free
  std::vector<KnownCount> all_stops;  // a square at each
};

class SyntheticCity {
 public:
  static constexpr std::size_t kQuestions = 300;  // of each kind and side

  // The same for the same arguments. REQUIRES: 1..6 stops, at least one trip, a domain that Domain::make takes.
  SyntheticCity(std::size_t stops, std::uint64_t trips, const MapSize& map, std::span<const double> sides,
                std::uint64_t seed);

  const Domain& domain() const { return matrix_.domain(); }
  const MapSize& map() const { return map_; }
  const Matrix& matrix() const { return matrix_; }
  std::uint64_t trips() const { return cells_[0].size(); }
  const std::vector<KnownCounts>& questions() const { return questions_; }

 private:
  std::uint64_t count(const Box& box) const;

  MapSize map_;
  std::vector<std::vector<std::uint32_t>> cells_;  // [axis][trip], ascending on axis 0
  Matrix matrix_;
  std::vector<KnownCounts> questions_;
};

// Two axes (longitude, latitude) per stop, all on one map; named origin, via1, ..., destination.
Result<Domain> planned_domain(std::size_t stops, const MapSize& map);

}  // namespace stopover
