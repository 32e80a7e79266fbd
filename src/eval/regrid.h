// Regrid: the same trips on a coarser grid, so that one fine matrix serves every grid and still knows where inside a
// cell trips lie.
//
//   const Regrid grid(fine, {500, 500});             // columns and rows of every stop's map
//   const Matrix coarse = grid.matrix();
//   grid.cell(axis, c);                              // the coarse cell of fine cell c
//   grid.place(axis, c);                             // where c's centre lies, in coarse cells: 12.37
//
// A fine cell is taken as a point at its centre; it need not fit a whole number of times into a coarse one. Axes that
// belong to no map (hours, categories, zones) stay as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"

namespace stopover {

// The axes of a stop's map: two of longitude and latitude or of numbers.
struct StopPlane {
  std::size_t x = 0, y = 0;
  bool operator==(const StopPlane&) const = default;
};

// Of every stop that has one, in order. A bare matrix whose axes are all stops of their own has a map per pair of them,
// as mechanisms see it.
std::vector<StopPlane> stop_planes(const Domain& domain);

class Regrid {
 public:
  // Unset: as it is. Fails (usage) where a map is coarser than what is asked for. REQUIRES: `fine` outlives it.
  static Result<Regrid> make(const Matrix& fine, std::optional<std::pair<std::uint32_t, std::uint32_t>> grid);

  const Matrix& fine() const { return *fine_; }
  // Of the coarse grid.
  const Domain& domain() const { return domain_; }
  // Whether cells are those of the input, so that nothing is known of where inside them trips lie.
  bool whole_cells() const { return domain_ == fine_->domain(); }
  Matrix matrix() const;

  std::uint32_t cell(std::size_t axis, std::uint32_t fine) const {
    return static_cast<std::uint32_t>((2 * std::uint64_t{fine} + 1) * width(axis) / (2 * fine_width(axis)));
  }
  double place(std::size_t axis, std::uint32_t fine) const {
    return (fine + 0.5) * static_cast<double>(width(axis)) / static_cast<double>(fine_width(axis));
  }
  // The fine cells whose centres lie from lo to hi, in coarse cells; perhaps one more at either end.
  Interval around(std::size_t axis, double lo, double hi) const;

 private:
  Regrid(const Matrix& fine, Domain domain) : fine_(&fine), domain_(std::move(domain)) {}
  std::uint64_t width(std::size_t axis) const { return domain_.axis(axis).cells; }
  std::uint64_t fine_width(std::size_t axis) const { return fine_->domain().axis(axis).cells; }

  const Matrix* fine_;
  Domain domain_;
};

}  // namespace stopover
