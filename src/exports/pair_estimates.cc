#include "exports/pair_estimates.h"

#include <algorithm>

namespace stopover {

std::unique_ptr<PairEstimates> PairEstimates::make(const Release& release) {
  if (release.domain.d() != 2 || release.tables.empty()) return nullptr;
  const Table& table = release.tables[0];
  if (table.axes != std::vector<std::size_t>{0, 1}) return nullptr;
  std::unique_ptr<PairEstimates> pairs(new PairEstimates);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    pairs->cells_[axis] = release.domain.axis(axis).cells;
    if (release.answer_model != AnswerModel::maps) continue;
    const auto map = std::find_if(release.tables.begin(), release.tables.end(),
                                  [&](const Table& t) { return t.axes == std::vector<std::size_t>{axis}; });
    if (map == release.tables.end()) return nullptr;
    pairs->maps_.emplace_back(*map, release.domain);
  }
  const std::vector<bool> leaves = table.leaves();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!leaves[row]) continue;
    // What was not counted is shared out by the index in a way of its own.
    if (table.row_ticks[row] == 0) return nullptr;
    if (table.estimate[row] == 0) continue;
    const Box box = table.box(row);
    pairs->leaves_.push_back({{box[0], box[1]}, table.estimate[row]});
  }
  return pairs;
}

std::vector<double> PairEstimates::rows(std::size_t axis, Interval places) const {
  const std::size_t other = 1 - axis, width = cells_[other];
  std::vector<double> estimates(places.width() * width, 0.0);
  std::vector<double> across;
  // The share of its leaf that a place holds along one axis: of the map's mass, or of the places where there is none.
  const auto share = [&](std::size_t of, Interval side, std::uint32_t place) {
    if (side.width() == 1) return 1.0;
    const double mass = maps_.empty() ? 0 : maps_[of].mass(side, Interval{0, 1});
    if (!(mass > 0)) return 1.0 / side.width();
    return maps_[of].mass(Interval{place, place + 1}, Interval{0, 1}) / mass;
  };
  for (const Leaf& leaf : leaves_) {
    const Interval side = leaf.sides[axis], along = leaf.sides[other];
    const std::uint32_t first = std::max(side.lo, places.lo), last = std::min(side.hi, places.hi);
    if (first >= last) continue;
    across.resize(along.width());
    for (std::uint32_t b = along.lo; b < along.hi; ++b) across[b - along.lo] = share(other, along, b);
    for (std::uint32_t a = first; a < last; ++a) {
      const double part = leaf.estimate * share(axis, side, a);
      double* row = estimates.data() + std::size_t{a - places.lo} * width + along.lo;
      for (std::size_t b = 0; b < across.size(); ++b) row[b] += part * across[b];
    }
  }
  return estimates;
}

}  // namespace stopover
