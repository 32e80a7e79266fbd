#include "domain/locate.h"

#include <cstdint>

namespace stopover {
namespace {

double unsettled(const Axis& axis, double coordinate) {
  return (coordinate - axis.lower) / (axis.upper - axis.lower) * axis.cells;
}

double settled(double cell) {
  const double near = static_cast<double>(static_cast<std::int64_t>(cell < 0 ? cell - 0.5 : cell + 0.5));
  const double gap = cell - near;
  return gap < 1e-9 && gap > -1e-9 ? near : cell;
}

}  // namespace

double cell_of(const Axis& axis, double coordinate) { return settled(unsettled(axis, coordinate)); }

double cell_within(const Axis& axis, double coordinate) {
  const double cell = unsettled(axis, coordinate);
  if (cell <= 0) return 0;
  if (cell >= axis.cells) return axis.cells;
  return settled(cell);
}

}  // namespace stopover
