#include "mechanism/border_cuts.h"

#include <algorithm>
#include <cstdlib>

namespace stopover {
namespace {

constexpr double kReach = 0.4;       // of a part's width: below a half, so that cuts never meet
constexpr double kLeastPart = 0.25;  // of the neighbours across a line

// The share of neighbours across the line before cell `at` that lie in different areas.
double parted(const Borders& borders, std::uint32_t at, Interval across, int axis) {
  std::uint32_t different = 0;
  for (std::uint32_t j = across.lo; j < across.hi; ++j) {
    different += axis == 0 ? borders.at(at - 1, j) != borders.at(at, j) : borders.at(j, at - 1) != borders.at(j, at);
  }
  return static_cast<double>(different) / static_cast<double>(across.width());
}

}  // namespace

std::vector<std::uint32_t> border_cuts(const Borders& borders, Interval x, Interval y, int axis,
                                       std::vector<std::uint32_t> cuts) {
  const Interval along = axis == 0 ? x : y, across = axis == 0 ? y : x;
  const double part = static_cast<double>(along.width()) / static_cast<double>(cuts.size() + 1);
  const auto reach = static_cast<std::int64_t>(kReach * part);
  for (std::uint32_t& cut : cuts) {
    const std::int64_t middle = cut;
    double best = kLeastPart;
    // From the middle outwards, so that the nearer of equal lines stays.
    for (std::int64_t step = 0; step <= 2 * reach; ++step) {
      const std::int64_t at = middle + (step % 2 == 0 ? step / 2 : -(step + 1) / 2);
      if (at <= along.lo || at >= along.hi) continue;
      const double share = parted(borders, static_cast<std::uint32_t>(at), across, axis);
      if (share <= best) continue;
      best = share;
      cut = static_cast<std::uint32_t>(at);
    }
  }
  return cuts;
}

}  // namespace stopover
