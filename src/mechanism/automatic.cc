#include "mechanism/automatic.h"

#include <algorithm>

#include "mechanism/factors.h"

namespace stopover {
namespace {

bool is_zone(const Axis& axis) { return axis.kind == AxisKind::zone; }

// Three stops of more than a few zones: nearly all tuples are empty, and none can be known by itself.
bool has_many_tuples(const Domain& domain) {
  constexpr double kMany = 1 << 15;
  double tuples = 1;
  std::size_t stops = 0;
  for (const Axis& axis : domain.axes()) {
    if (!is_zone(axis) || axis.cells < 2) continue;
    tuples *= axis.cells;
    ++stops;
  }
  return stops > 2 && tuples > kMany;
}

}  // namespace

AutomaticChoice choose_mechanism(const Domain& domain) {
  const auto fits = [&](std::string_view name) {
    const Mechanism* mechanism = find_mechanism(name);
    return static_cast<bool>(check_mechanism(*mechanism, *read_params(*mechanism, {}), domain));
  };
  if (std::any_of(domain.axes().begin(), domain.axes().end(), is_zone) && !has_many_tuples(domain) && fits("zones")) {
    return {find_mechanism("zones"), "zones: their own totals and blocks of them first, then pairs as far as trips go"};
  }
  const std::size_t maps = factors_of(domain).size();
  if (maps == 1 && fits("multigrid")) {
    return {find_mechanism("multigrid"), "one stop: an adaptive grid refined level by level"};
  }
  if (maps > 1 && fits("anchor")) {
    return {find_mechanism("anchor"), std::to_string(maps) + " maps: each stop's own map first, then how stops depend"};
  }
  return {find_mechanism("privtree-rr"), "a stop's map would have more cells than anchor keeps: a tree without maps"};
}

}  // namespace stopover
