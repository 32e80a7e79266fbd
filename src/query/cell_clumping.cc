#include "query/cell_clumping.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "release/consistency.h"

namespace stopover {
namespace {

constexpr double kBelief = 2;  // squares
constexpr double kClear = 10;  // deviations

// A counted cell among the others of its family.
struct CountedCell {
  std::int32_t parent;
  std::uint32_t x, y;  // of its square in the parent
  double count, variance;
  auto square() const { return std::tie(parent, x, y); }
};

std::vector<CountedCell> counted_cells(const Release& release) {
  const Table& table = release.tables[0];
  const std::vector<bool> leaves = table.leaves();
  std::vector<CountedCell> cells;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::int32_t parent = table.parent[row];
    const std::uint32_t x = table.lo[0][row], y = table.lo[1][row];
    const bool one = table.hi[0][row] - x == 1 && table.hi[1][row] - y == 1;
    if (!one || !leaves[row] || parent < 0 || table.row_ticks[row] == 0) continue;
    cells.push_back({parent, (x - table.lo[0][parent]) / 2, (y - table.lo[1][parent]) / 2,
                     static_cast<double>(table.count[row]), noise_variance(release.rate(table.row_ticks[row]))});
  }
  // Stable: cells of a square are added up in the order of the table.
  std::stable_sort(cells.begin(), cells.end(),
                   [](const CountedCell& a, const CountedCell& b) { return a.square() < b.square(); });
  return cells;
}

}  // namespace

double cell_clumping(const Release& release) {
  if (release.tables.size() != 1 || release.tables[0].axes.size() != 2) return 1;
  const std::vector<CountedCell> cells = counted_cells(release);
  double trips = 0, clumped = 0, squared = 0;
  for (std::size_t first = 0, last = 0; first < cells.size(); first = last) {
    double sum = 0, squares = 0, variance = 0;
    for (; last < cells.size() && cells[last].square() == cells[first].square(); ++last) {
      sum += cells[last].count;
      squares += cells[last].count * cells[last].count;
      variance += cells[last].variance;
    }
    if (last - first != 4 || sum < kClear * std::sqrt(variance) || sum < 1) continue;
    const double p = (squares - variance) / (sum * sum - variance);
    trips += sum;
    squared += sum * sum;
    clumped += sum * (p - 0.25) / 0.75;
  }
  if (!(trips > 0)) return 1;
  // As many squares of equal numbers of trips as these are worth.
  const double worth = trips * trips / squared;
  return std::clamp((worth * clumped / trips + kBelief) / (worth + kBelief), 0.0, 1.0);
}

}  // namespace stopover
