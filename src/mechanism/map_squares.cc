#include "mechanism/map_squares.h"

#include <algorithm>
#include <string>

#include "release/stop_map.h"

namespace stopover {
namespace {

constexpr std::uint32_t kMostCells = std::uint32_t{1} << 16;

}  // namespace

std::uint32_t map_step(const Domain& domain, const Factor& factor) {
  return StopMap::step_of(domain.axis(factor[0]).cells, factor.size() > 1 ? domain.axis(factor[1]).cells : 1);
}

void to_cells(Table& tree, const Domain& domain, const Factor& factor, std::uint32_t step) {
  for (std::size_t i = 0; i < factor.size(); ++i) {
    for (std::uint32_t& lo : tree.lo[i]) lo *= step;
    // The last square of an axis may be cut short.
    for (std::uint32_t& hi : tree.hi[i]) hi = std::min(hi * step, domain.axis(factor[i]).cells);
  }
}

Status check_map_squares(std::string_view mechanism, const Domain& domain, const Factor& factor) {
  if (map_step(domain, factor) == 1) return {};
  for (std::size_t axis : factor) {
    if (domain.axis(axis).cells <= kMostCells) continue;
    return Error{Failure::usage,
                 std::string(mechanism) + " looks at every line of cells, and axis " + domain.axis(axis).name +
                     " has " + std::to_string(domain.axis(axis).cells) + "; at most " + std::to_string(kMostCells) +
                     " are allowed\n  Use a coarser grid (16384x16384 works) or `mechanism daf-entropy`."};
  }
  return {};
}

}  // namespace stopover
