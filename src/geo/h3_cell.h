// H3Cell: a hexagon of H3, the hierarchical grid on an icosahedron (Uber 2018, h3geo.org), by its id.
//
//   std::optional<H3Cell> cell = H3Cell::parse("8928308280fffff");
//   Ring border = cell->boundary();
//
// Decoded here in some hundred lines, because Debian 12 has no package of H3's library. Agrees with it to about 1e-9
// degrees (h3_cell_test.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "geo/shape.h"

namespace stopover {

class H3Cell {
 public:
  // 15 hexadecimal digits, small or capital; nothing for any other text and for ids that no cell has.
  static std::optional<H3Cell> parse(std::string_view id);

  int resolution() const;
  // Longitude and latitude in degrees.
  PlanePoint centre() const;
  // Counterclockwise, closed, in whole billionths of a degree, so that neighbours have the same corners. Where an edge
  // bends, at an edge of the icosahedron, there is a corner too, as H3 has it.
  Ring boundary() const;
  // The same as an area. Fails (bad_input), naming `what`, when it reaches over the 180th meridian or a pole, where it
  // is no polygon in degrees.
  Result<Shape> shape(std::string_view what) const;

 private:
  explicit H3Cell(std::uint64_t bits) : bits_(bits) {}
  int base() const;
  int digit(int resolution) const;

  std::uint64_t bits_ = 0;
};

}  // namespace stopover
