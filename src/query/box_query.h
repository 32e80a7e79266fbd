// BoxQuery: the region a box question is about, as one real interval an axis, in cell units.
//
// Whole cells come from --box (cell indices), real edges from --range (coordinates): an edge inside a cell takes the
// covered share of that cell. An axis that is not named is taken whole.
//
//   Result<BoxQuery> q = parse_box(domain, "a0=0:16,a2=4:20");            // half-open cells 0..15 and 4..19
//   Result<BoxQuery> r = parse_range(domain, "lng=-122.5:-122.3");        // coordinates of the axis (degrees)
//   BoxQuery both = intersect(*q, *r);
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/domain.h"

namespace stopover {

struct BoxQuery {
  // Per axis of the domain: from lo to hi, 0 <= lo, hi <= cells. hi <= lo on any axis: the empty region.
  std::array<double, kMaxAxes> lo{};
  std::array<double, kMaxAxes> hi{};
  std::size_t axes = 0;

  static BoxQuery whole(const Domain& domain);
  static BoxQuery of(const Box& box);

  bool empty() const;
  bool operator==(const BoxQuery&) const = default;
};

// REQUIRES: the same number of axes.
BoxQuery intersect(const BoxQuery& a, const BoxQuery& b);

// `axis=lo:hi` pieces joined by commas, in half-open cell indices. Fails (usage) naming the piece: not of that form, an
// unknown axis (with the nearest name), an axis named twice, not whole numbers, lo >= hi, hi beyond the axis.
Result<BoxQuery> parse_box(const Domain& domain, std::string_view text);

// The same form in coordinates of the axes (plain decimals). Edges beyond the axis are clipped to it; an edge within
// 1e-9 of a cell's is that cell's, so coordinates of the lattice give aligned boxes. An axis with labels takes
// `axis=label` instead. Fails (usage) as parse_box does, and where an interval lies wholly outside its axis.
Result<BoxQuery> parse_range(const Domain& domain, std::string_view text);

// A cell index pair as an interval of the axis, for texts that come in other shapes (batches). `what` names the piece
// in the error. Whole numbers may be written with zeros after a point ("16.0").
Status set_cells(const Domain& domain, std::size_t axis, std::string_view lo, std::string_view hi,
                 std::string_view what, Failure failure, BoxQuery& query);

// The error for an axis that does not exist: names it, the nearest one, and all of them.
Error unknown_axis(const Domain& domain, std::string_view name, std::string_view what, Failure failure);

}  // namespace stopover
