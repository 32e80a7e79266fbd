#include "mechanism/factors.h"

#include <algorithm>

namespace stopover {
namespace {

bool is_bare(const Domain& domain) {
  return std::all_of(domain.stops().begin(), domain.stops().end(), [&](const Stop& stop) {
    return stop.axes.size() == 1 && domain.axis(stop.axes[0]).kind == AxisKind::number;
  });
}

// The axes of a stop that say where: longitude and latitude, or else the first two.
Factor place_of(const Domain& domain, const Stop& stop) {
  Factor place;
  for (std::size_t axis : stop.axes) {
    if (domain.axis(axis).on_map()) place.push_back(axis);
  }
  if (place.size() == 2) return place;
  return {stop.axes[0], stop.axes[1]};
}

bool share_geography(const Domain& domain, const Factor& a, const Factor& b) {
  if (a.size() != 2 || b.size() != 2) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    const Axis& x = domain.axis(a[i]);
    const Axis& y = domain.axis(b[i]);
    if (x.cells != y.cells || x.kind != y.kind || x.lower != y.lower || x.upper != y.upper) return false;
  }
  return true;
}

}  // namespace

std::vector<Factor> factors_of(const Domain& domain) {
  std::vector<Factor> factors;
  if (is_bare(domain)) {
    for (std::size_t axis = 0; axis < domain.d(); axis += 2) {
      if (axis + 1 < domain.d()) {
        factors.push_back({axis, axis + 1});
      } else {
        factors.push_back({axis});
      }
    }
    return factors;
  }
  for (const Stop& stop : domain.stops()) {
    if (stop.axes.size() <= 2) {
      factors.push_back(stop.axes);
      continue;
    }
    const Factor place = place_of(domain, stop);
    factors.push_back(place);
    for (std::size_t axis : stop.axes) {
      if (axis != place[0] && axis != place[1]) factors.push_back({axis});
    }
  }
  return factors;
}

std::vector<std::vector<std::size_t>> shared_maps(const Domain& domain, const std::vector<Factor>& factors) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const std::vector<std::size_t>& members) {
      return share_geography(domain, factors[members[0]], factors[f]);
    });
    if (group == groups.end()) {
      groups.push_back({f});
    } else {
      group->push_back(f);
    }
  }
  return groups;
}

}  // namespace stopover
