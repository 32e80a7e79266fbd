#include "peers/haar_answerer.h"

#include <algorithm>

#include "peers/haar.h"
#include "query/noise_interval.h"
#include "release/consistency.h"

namespace stopover {
namespace {

constexpr double kListed = 1.0 / 64;  // of the variance; what is less goes into NoiseRest

// One value along one axis: of which level, which of its blocks, and how much of it.
struct AxisWeight {
  std::uint32_t level;
  std::uint64_t index;
  double weight;
};

double overlap(double lo, double hi, double from, double to) {
  return std::max(0.0, std::min(hi, to) - std::max(lo, from));
}

std::vector<AxisWeight> weights_of(std::uint32_t cells, double lo, double hi) {
  const auto end = static_cast<double>(HaarGrid::block(cells, 0));
  if (hi >= cells) hi = end;
  std::vector<AxisWeight> weights = {{0, 0, (hi - lo) / end}};
  for (std::uint32_t level = 1; level < HaarGrid::levels(cells); ++level) {
    const auto block = static_cast<double>(HaarGrid::block(cells, level));
    std::uint64_t last = UINT64_MAX;
    for (double edge : {lo, hi}) {
      const auto index = static_cast<std::uint64_t>(edge / block);
      const double at = static_cast<double>(index) * block;
      if (index == last || at >= cells) continue;
      last = index;
      const double weight = (overlap(lo, hi, at, at + block / 2) - overlap(lo, hi, at + block / 2, at + block)) / block;
      if (weight != 0) weights.push_back({level, index, weight});
    }
  }
  return weights;
}

}  // namespace

Result<HaarAnswerer> HaarAnswerer::make(const LabResult& made, const AnswerOptions& options) {
  const Error bad{Failure::bad_input, "the grids are not those of Haar's wavelets"};
  const Release& head = made.release;
  if (!made.differences || made.grids.size() != HaarGrid::grids(head.domain)) return bad;
  HaarAnswerer result;
  result.options_ = options;
  for (const Axis& axis : head.domain.axes()) result.cells_.push_back(axis.cells);
  Ticks last_ticks = 0;
  double variance = 0;
  for (std::uint64_t number = 0; number < made.grids.size(); ++number) {
    const HaarGrid grid(head.domain, number);
    const Table& table = made.grids[number];
    if (table.axes.size() != head.domain.d() || table.rows() != 1 + grid.boxes()) return bad;
    result.first_.push_back(result.count_.size());
    for (std::size_t i = 0, row = 1; i < grid.boxes(); ++i, ++row) {
      if (table.parent[row] != 0 || !(table.box(row) == grid.box(i))) return bad;
      if (table.row_ticks[row] != last_ticks) {
        last_ticks = table.row_ticks[row];
        variance = last_ticks > 0 ? noise_variance(head.rate(last_ticks)) : 0;
      }
      result.count_.push_back(static_cast<double>(table.count[row]));
      result.variance_.push_back(variance);
    }
  }
  return result;
}

Answer HaarAnswerer::operator()(const BoxQuery& query) const {
  Answer answer;
  answer.level = options_.level;
  if (query.empty()) return answer;
  struct Partial {
    std::uint64_t grid, index;
    double weight;
  };
  std::vector<Partial> values = {{0, 0, 1}};
  for (std::size_t axis = 0; axis < cells_.size(); ++axis) {
    const std::vector<AxisWeight> own = weights_of(cells_[axis], query.lo[axis], query.hi[axis]);
    std::vector<Partial> next;
    next.reserve(values.size() * own.size());
    for (const Partial& value : values) {
      for (const AxisWeight& w : own) {
        const std::uint64_t block = HaarGrid::block(cells_[axis], w.level);
        next.push_back({value.grid * HaarGrid::levels(cells_[axis]) + w.level,
                        value.index * ((cells_[axis] + block - 1) / block) + w.index, value.weight * w.weight});
      }
    }
    values = std::move(next);
    answer.aligned = answer.aligned &&
                     query.lo[axis] == static_cast<double>(static_cast<std::uint64_t>(query.lo[axis])) &&
                     query.hi[axis] == static_cast<double>(static_cast<std::uint64_t>(query.hi[axis]));
  }
  for (Partial& value : values) {
    value.index += first_[static_cast<std::size_t>(value.grid)];
    const auto at = static_cast<std::size_t>(value.index);
    answer.estimate += value.weight * count_[at];
    answer.noise_variance += value.weight * value.weight * variance_[at];
  }
  answer.unprojected = answer.estimate;
  if (!options_.intervals) return answer;
  std::vector<NoiseTerm> terms;
  NoiseRest rest;
  for (const Partial& value : values) {
    const double weight = value.weight < 0 ? -value.weight : value.weight,
                 variance = variance_[static_cast<std::size_t>(value.index)];
    const double square = weight * weight;
    if (square * variance >= kListed * answer.noise_variance) {
      terms.push_back({weight, variance});
    } else if (variance > 0) {
      rest.noise.second += square * variance;
      rest.noise.fourth += square * square * laplace_fourth(variance);
      rest.step = std::max(rest.step, weight);
    }
  }
  const double half = answer.noise_variance > 0 ? NoiseInterval(options_.level).half_width(terms, rest) : 0;
  answer.noise_lower = answer.unprojected - half;
  answer.noise_upper = answer.unprojected + half;
  return answer;
}

}  // namespace stopover
