#include "query/edge_doubt.h"

#include <algorithm>
#include <cmath>

namespace stopover {
namespace {

struct Sum {
  double taken = 0, open = 0;
  void add(double mass, double weight) {
    taken += mass * weight;
    open += mass * mass * weight * (1 - weight);
  }
  double doubt() const { return taken > 0 ? open / (taken * taken) : 0; }
};

bool is_whole(double edge) { return edge == std::floor(edge); }

// The share of cell i that [lo, hi) takes.
double share_of(double lo, double hi, std::uint32_t i) {
  return std::max(0.0, std::min(hi, i + 1.0) - std::max<double>(lo, i));
}

// A box on one map. Only cells along edges that lie inside cells leave anything open; the mass taken is the map's.
double doubt_on(const StopMap& map, Span x, Span y) {
  Sum sum;
  sum.taken = map.mass(x, y);
  if (!(sum.taken > 0)) return 0;
  const auto x0 = static_cast<std::uint32_t>(x.lo), x1 = static_cast<std::uint32_t>(std::ceil(x.hi));
  const auto y0 = static_cast<std::uint32_t>(y.lo), y1 = static_cast<std::uint32_t>(std::ceil(y.hi));
  const auto look = [&](std::uint32_t i, std::uint32_t j) {
    const double mass = map.mass(Interval{i, i + 1}, Interval{j, j + 1});
    const double weight = share_of(x.lo, x.hi, i) * share_of(y.lo, y.hi, j);
    sum.open += mass * mass * weight * (1 - weight);
  };
  const bool cut_x0 = !is_whole(x.lo), cut_x1 = !is_whole(x.hi) && (x1 - 1 != x0 || !cut_x0);
  for (std::uint32_t j = y0; j < y1; ++j) {
    if (cut_x0) look(x0, j);
    if (cut_x1) look(x1 - 1, j);
  }
  const bool cut_y0 = !is_whole(y.lo), cut_y1 = !is_whole(y.hi) && (y1 - 1 != y0 || !cut_y0);
  for (std::uint32_t i = x0; i < x1; ++i) {
    if ((i == x0 && cut_x0) || (i == x1 - 1 && cut_x1)) continue;  // looked at above
    if (cut_y0) look(i, y0);
    if (cut_y1) look(i, y1 - 1);
  }
  return sum.doubt();
}

}  // namespace

double edge_doubt(const Coverage& coverage, const StopMap* map) {
  Sum sum;
  for (std::uint32_t i = coverage.x.lo; i < coverage.x.hi; ++i) {
    for (std::uint32_t j = coverage.y.lo; j < coverage.y.hi; ++j) {
      const double weight = coverage.weight(i, j);
      if (weight > 0) sum.add(map != nullptr ? map->mass(Interval{i, i + 1}, Interval{j, j + 1}) : 1, weight);
    }
  }
  return sum.doubt();
}

double edge_doubt(const BoxIndex& index, const BoxQuery& box) {
  if (index.maps() == nullptr || box.empty()) return 0;
  double doubt = 0;
  for (std::size_t m = 0; m < index.maps()->size(); ++m) {
    const auto [x, y] = index.maps()->axes(m);
    const Span along_x{box.lo[x], box.hi[x]};
    const Span along_y = y < kMaxAxes ? Span{box.lo[y], box.hi[y]} : Span{0, 1};
    if (is_whole(along_x.lo) && is_whole(along_x.hi) && is_whole(along_y.lo) && is_whole(along_y.hi)) continue;
    doubt += doubt_on(index.maps()->map(m), along_x, along_y);
  }
  return doubt;
}

}  // namespace stopover
