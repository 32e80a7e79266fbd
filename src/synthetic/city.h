// City: the synthetic geography behind generate_city. Places are measured on the unit square, then laid on a grid.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "synthetic/discrete_law.h"
#include "synthetic/number_sequence.h"

namespace stopover {

struct MapPoint {
  double east = 0;   // [0, 1) from the left edge
  double north = 0;  // [0, 1) from the lower edge
};

// A part of the city: where it is, how far it spreads, and how much of the city lives, works and spends free time
// there.
struct Quarter {
  MapPoint centre;
  double spread = 0;  // standard deviation along its longer side and, times `flat`, across
  double homes = 0;
  double jobs = 0;
  double errands = 0;
  bool hub = false;  // a station or the airport: small, and worth a long way
  MapPoint along{1, 0};
  double flat = 1;
  std::vector<MapPoint> venues{};  // popular addresses, most popular first
};

class City {
 public:
  explicit City(std::uint64_t seed);

  const std::vector<Quarter>& quarters() const { return quarters_; }
  // Writes the points of one trip, first stop first; the same for the same state of `numbers`.
  void draw_trip(NumberSequence& numbers, std::vector<MapPoint>& stops) const;

 private:
  enum Kind { commute, way_home, errand, kKinds };

  void add_quarters(NumberSequence& numbers);
  void add_quarter(NumberSequence& numbers, Quarter quarter);
  void add_laws();
  MapPoint draw_point(std::size_t quarter, double venue_share, NumberSequence& numbers) const;

  std::vector<Quarter> quarters_;
  std::vector<DiscreteLaw> kind_;                             // one law
  std::array<std::vector<DiscreteLaw>, kKinds> origin_;       // one law each
  std::array<std::vector<DiscreteLaw>, kKinds> destination_;  // [origin]
  std::vector<DiscreteLaw> between_;                          // [from * quarters + to]
  std::vector<DiscreteLaw> venue_;                            // one law: rank of an address
};

}  // namespace stopover
