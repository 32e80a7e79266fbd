// StopMap: how the trips lie at one stop, as a density over its one or two axes that can be integrated over any box in
// constant time. Public: built from a released table.
//
// Under AnswerModel::maps the trips of a joint leaf are spread as the product of the stops' maps. Both the mechanism
// (where to cut) and the query engine (how much of a leaf a query takes) read the same StopMap, so they agree to the
// last bit.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/domain.h"
#include "release/release.h"

namespace stopover {

// Edges in cells, fractions allowed: [lo, hi).
struct Span {
  double lo = 0;
  double hi = 0;
};

class StopMap {
 public:
  // What every cell holds besides its share of the leaves, so that no box is wholly empty.
  static constexpr double kFloor = 1e-9;
  // The largest raster that is kept: 4096 x 4096.
  static constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 24;
  // A map of more cells is kept in squares of step x step of them, and is even within each: the least power of two with
  // which the raster is not too large. Public: it follows from the domain. 1 for all maps of at most kMaxCells.
  static std::uint32_t step_of(std::uint32_t width, std::uint32_t height);

  struct Leaf {
    Interval x, y;
    double mass = 0;  // not negative
  };

  // Leaves that tile width x height cells, each of whole steps (or up to the end). Even: the mass of a leaf is spread
  // evenly over its cells. Smooth: a cell of a leaf of a x b cells first gets the even map's mean over the a x b window
  // around it (as far as the map goes), then the leaf's cells are scaled to its mass: the surroundings say where in a
  // leaf trips lie, and no leaf gains or loses any (the pycnophylactic idea of Tobler 1979).
  StopMap(std::uint32_t width, std::uint32_t height, const std::vector<Leaf>& leaves, bool smooth);
  // Even up to leaf `first`, smooth from there on: for who asks about the last leaves only.
  struct SmoothFrom {
    std::size_t first = 0;
  };
  StopMap(std::uint32_t width, std::uint32_t height, const std::vector<Leaf>& leaves, SmoothFrom from);

  // The leaves of a table with their estimates, smooth if the table says so.
  // REQUIRES: one or two axes.
  StopMap(const Table& table, const Domain& domain);
  // What a square of step x step cells holds, for all squares; summed up where it lies. A map of one axis has height 1.
  class Density {
   public:
    // In cells.
    Density(std::uint32_t width, std::uint32_t height);
    std::uint32_t step() const { return step_; }
    // The squares of one place of the first axis, along the second.
    double* row(std::size_t x) { return values_.data() + (x + 1) * stride_ + 1; }

   private:
    friend class StopMap;
    std::uint32_t width_, height_, step_;
    std::size_t stride_;
    std::vector<double> values_;  // with a row and a column of zeros before the squares
  };
  explicit StopMap(Density density);

  std::uint32_t step() const { return step_; }
  std::uint32_t width() const { return width_; }
  std::uint32_t height() const { return height_; }

  // Mass of whole cells. For a map of one axis y is {0, 1}.
  double mass(Interval x, Interval y) const {
    return at(x.hi, y.hi) - at(x.lo, y.hi) - at(x.hi, y.lo) + at(x.lo, y.lo);
  }
  // A cell of a box, drawn by mass: along the first axis by u, then along the second by v. REQUIRES: 0 <= u, v < 1.
  struct Cell {
    std::uint32_t x = 0, y = 0;
  };
  Cell cell_at(Interval x, Interval y, double u, double v) const;
  // Mass of a box with fractional edges; cells are even inside.
  double mass(Span x, Span y) const;
  // Mass of [0, x) x [0, y): a box's mass is four of these.
  double below(double x, double y) const {
    const auto i = static_cast<std::uint32_t>(x);
    const auto j = static_cast<std::uint32_t>(y);
    return i == x && j == y ? at(i, j) : at(x, y);
  }

 private:
  void draw(const std::vector<Leaf>& leaves, std::size_t first_smooth);
  void smooth(const Leaf& leaf, Density& density) const;
  void sum_up();
  double at(std::uint32_t x, std::uint32_t y) const {
    return step_ == 1 ? raw(x, y) : at(static_cast<double>(x), static_cast<double>(y));
  }
  double at(double x, double y) const;
  double raw(std::uint32_t x, std::uint32_t y) const { return sums_[std::size_t{x} * (rows_ + 1) + y]; }
  void set_size(std::uint32_t width, std::uint32_t height);
  // Sums along the second axis at one place of the first, both in squares of the raster.
  struct Line {
    const double *row, *next;
    double part;
    double at(std::uint32_t y) const { return row[y] + part * (next[y] - row[y]); }
  };
  Line line(double x) const;

  std::uint32_t width_ = 0;   // cells of the first axis
  std::uint32_t height_ = 1;  // cells of the second, if any
  std::uint32_t step_ = 1;
  std::uint32_t columns_ = 0, rows_ = 1;  // of the raster
  std::vector<double> sums_;              // summed-area table, (columns + 1) x (rows + 1)
};

}  // namespace stopover
