// Domain: the public lattice on which trips are counted. Declared by the curator, never inferred from data.
//
// An axis is a line of equal cells with a meaning (longitude, hour, purpose, ...). Axes are grouped into stops: a trip
// with an origin and a destination on a map has two stops of two axes. A cell of the domain is one cell index per axis.
//
//   Result<Domain> d = Domain::make({lon, lat, lon, lat}, {{"origin", {0, 1}}, {"destination", {2, 3}}});
//   Result<Domain> g = Domain::of_shape({32, 32, 32, 32});        // a bare matrix: axes a0..a3 of kind number
//
// Longitude/latitude cells are equal in angle: cell i of an axis [lower, upper] with n cells spans
// lower + i*(upper-lower)/n to lower + (i+1)*(upper-lower)/n.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/wide.h"
#include "domain/axis.h"
#include "domain/box.h"
#include "domain/zone_set.h"

namespace stopover {

struct Stop {
  std::string name;
  std::vector<std::size_t> axes;  // ascending axis numbers; no axis belongs to two stops
  bool operator==(const Stop&) const = default;
};

class Domain {
 public:
  Domain() = default;

  // Fails (usage) on no axes or more than kMaxAxes, an axis without cells or with more than 2^31, repeated names,
  // bounds that are not finite or not increasing, labels that do not match, a stop without axes or sharing one, and a
  // cell of more than 168 bits (the sum over axes of the bits of cells - 1). Every axis must belong to exactly one
  // stop; with `stops` empty each axis becomes a stop of its own name.
  // `zones`: the geography of all zone axes; they then have one cell per zone, named by its id. Without it a zone axis
  // has names alone.
  static Result<Domain> make(std::vector<Axis> axes, std::vector<Stop> stops = {},
                             std::shared_ptr<const ZoneSet> zones = nullptr);

  // A bare matrix: axes a0.. of kind number over [0, cells].
  static Result<Domain> of_shape(const std::vector<std::uint64_t>& shape);

  // "1000x1000x24" as of_shape takes it; fails (usage) naming the text.
  static Result<std::vector<std::uint64_t>> parse_shape(std::string_view text);

  std::size_t d() const { return axes_.size(); }
  const std::vector<Axis>& axes() const { return axes_; }
  const Axis& axis(std::size_t i) const { return axes_[i]; }
  const std::vector<Stop>& stops() const { return stops_; }
  // nullptr where there is none.
  const ZoneSet* zones() const { return zones_.get(); }
  const std::shared_ptr<const ZoneSet>& shared_zones() const { return zones_; }
  // All cells.
  Box whole() const;
  u128 volume() const { return whole().volume(); }
  // Whether a cell has a key (matrix/cell_key.h), as all rows in memory do: at most 126 bits.
  static constexpr int kMaxKeyBits = 126;
  bool has_keys() const;
  // Fails (usage) where it has none.
  Status check_keys() const;
  // "32x32x32x32"
  std::string shape_text() const;
  // -1 when there is none of that name.
  int find_axis(std::string_view name) const;
  int find_stop(std::string_view name) const;

  bool operator==(const Domain& other) const;

 private:
  std::vector<Axis> axes_;
  std::vector<Stop> stops_;
  std::shared_ptr<const ZoneSet> zones_;
};

}  // namespace stopover
