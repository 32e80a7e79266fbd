#include "mechanism/zone_model.h"

#include <algorithm>
#include <cmath>

namespace stopover {

KnownValue join(KnownValue a, KnownValue b) {
  if (!std::isfinite(a.variance)) return b;
  if (!std::isfinite(b.variance)) return a;
  const double sum = a.variance + b.variance;
  return {(a.value * b.variance + b.value * a.variance) / sum, a.variance * b.variance / sum};
}

double ZoneModel::planned_trips() const { return total_rate > 0 ? std::max(total, 1 / total_rate) : total; }

std::size_t ZoneModel::block_count() const {
  std::size_t count = 1;
  for (const ZoneAxis& axis : axes) count *= axis.nodes();
  return count;
}

std::vector<Interval> ZoneModel::block_ranges(std::size_t block) const {
  std::vector<Interval> ranges(axes.size());
  for (std::size_t a = axes.size(); a-- > 0; block /= axes[a].nodes()) {
    const std::size_t node = block % axes[a].nodes();
    ranges[a] = {axes[a].edges[node], axes[a].edges[node + 1]};
  }
  return ranges;
}

}  // namespace stopover
