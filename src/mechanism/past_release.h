// PastRelease: an earlier release, or a public table in the form of one, as a density that can be asked about any box.
//
// Public: built from released tables alone. What an earlier release says of a box is a forecast of what a later one
// will find there (history.h).
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "domain/box.h"
#include "mechanism/factors.h"
#include "release/release.h"
#include "release/stop_map.h"

namespace stopover {

class PastRelease {
 public:
  // REQUIRES: check_release passes; its answers use maps (AnswerModel::maps), one for each of the domain's factors.
  explicit PastRelease(const Release& release);
  // The same of a public table (prior.h).
  static PastRelease of_table(const Release& table);

  // Whether it tells where trips lie at one stop. A table tells which stops go together, between places that stand for
  // what is around them.
  bool tells_places() const { return tells_places_; }

  const Domain& domain() const { return domain_; }
  // Trips that it has in all, at least 1.
  double total() const { return total_; }
  // Of all its trips, the share that lies in a box over all axes: leaves by their estimates, inside leaves as the maps
  // say.
  double share(const Box& box) const;
  // Of a factor's map.
  double map_share(std::size_t factor, Interval x, Interval y) const {
    return maps_[factor].mass(x, y) / map_totals_[factor];
  }
  const StopMap& map(std::size_t factor) const { return maps_[factor]; }
  // How its trips lie at one stop, by all that it knows, times a weight: added to every square of the density. Half of
  // it is the factor's map, half the map raked to the leaves (place_forecast.h). Sums to the weight.
  void add_places(std::size_t factor, double weight, StopMap::Density& density) const;
  // The product of all maps in a box: what the share would be if stops did not hang together.
  double product(const Box& box) const;

 private:
  double within(std::size_t row, const Box& box) const;
  std::pair<Interval, Interval> sides(std::size_t factor, const Box& box) const;

  Domain domain_;
  std::vector<Factor> factors_;
  std::vector<StopMap> maps_;
  std::vector<double> map_totals_;
  std::vector<Box> boxes_;  // of the rows of table 0
  std::vector<double> estimates_;
  std::vector<std::pair<std::size_t, std::size_t>> children_;
  double total_ = 1;
  bool tells_places_ = true;
};

}  // namespace stopover
