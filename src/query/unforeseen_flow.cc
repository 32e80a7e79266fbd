#include "query/unforeseen_flow.h"

#include <algorithm>

#include "base/portable_math.h"

namespace stopover {
namespace {

constexpr double kLimits = 4, kLimitsOfOneStop = 3;

}  // namespace

double unforeseen_flow(const Domain& domain, std::size_t stops, double rate) {
  double cells = 1;
  for (const Axis& axis : domain.axes()) cells *= axis.cells;
  return (stops > 1 ? kLimits : kLimitsOfOneStop) * std::max(0.0, portable_log(cells / 2)) / rate;
}

}  // namespace stopover
