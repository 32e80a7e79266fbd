#include "exports/trips_table.h"

#include "synthetic/number_sequence.h"

namespace stopover {
namespace {

bool is_bare(const Domain& domain) {
  for (const Axis& axis : domain.axes()) {
    if (axis.kind != AxisKind::number || axis.lower != 0 || axis.upper != axis.cells) return false;
  }
  return true;
}

}  // namespace

LongTable trips_table(const SyntheticTrips& trips, std::uint64_t seed, std::vector<std::uint32_t> draws) {
  const Domain& domain = trips.domain;
  const std::size_t n = trips.rows();
  LongTable table(n);
  if (!draws.empty()) table.add("draw", std::move(draws));
  const bool bare = is_bare(domain);
  for (const Stop& stop : domain.stops()) {
    for (const std::size_t a : stop.axes) {
      const Axis& axis = domain.axis(a);
      if (bare) {
        table.add(axis.name, trips.cells[a]);
      } else if (!axis.labels.empty()) {
        std::vector<std::string> labels(n);
        for (std::size_t i = 0; i < n; ++i) labels[i] = axis.labels[trips.cells[a][i]];
        table.add(stop.name + "_" + axis.name, std::move(labels));
      } else {
        NumberSequence numbers(seed, 1000 + a);
        std::vector<double> values(n);
        for (std::size_t i = 0; i < n; ++i) {
          const double lower = axis.edge(trips.cells[a][i]), upper = axis.edge(trips.cells[a][i] + 1);
          values[i] = numbers.uniform(lower, upper);
        }
        const std::string what = axis.kind == AxisKind::longitude  ? "lng"
                                 : axis.kind == AxisKind::latitude ? "lat"
                                                                   : axis.name;
        table.add(stop.name + "_" + what, std::move(values));
      }
    }
  }
  return table;
}

}  // namespace stopover
