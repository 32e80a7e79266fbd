#include "peers/cover_answerer.h"

#include <algorithm>

namespace stopover {
namespace {

Error bad_input() { return {Failure::bad_input, "the result is not a stack of one grid an axis"}; }

}  // namespace

Result<CoverAnswerer> CoverAnswerer::make(const LabResult& made, const AnswerOptions& options) {
  const Domain& domain = made.release.domain;
  const std::size_t d = domain.d();
  if (made.differences || made.grids.empty() || made.grids.size() != d) return bad_input();
  CoverAnswerer result;
  result.options_ = options;
  std::vector<std::vector<std::vector<std::uint32_t>>> edges;  // of every grid, by axis
  for (std::size_t i = 0; i < d; ++i) {
    const Table& grid = made.grids[i];
    if (grid.axes.size() != d || grid.rows() == 0 || !(grid.box(0) == domain.whole())) return bad_input();
    auto& own = edges.emplace_back(d);
    for (std::size_t axis = 0; axis < d; ++axis) {
      own[axis] = grid.lo[axis];
      std::sort(own[axis].begin(), own[axis].end());
      own[axis].erase(std::unique(own[axis].begin(), own[axis].end()), own[axis].end());
    }
    Result<BoxIndex> index = BoxIndex::make(made.grid(i));
    if (!index) return index.error();
    result.grids_.push_back(*std::move(index));
  }
  for (std::size_t axis = 0; axis < d; ++axis) {
    const auto& coarse = edges[axis == 0 ? d - 1 : 0][axis];
    std::vector<double> lattice(coarse.begin(), coarse.end());
    lattice.push_back(domain.axis(axis).cells);
    result.lattice_.push_back(std::move(lattice));
  }
  return result;
}

std::size_t CoverAnswerer::partitions() const {
  std::size_t sum = 0;
  for (const BoxIndex& grid : grids_) sum += grid.partitions();
  return sum;
}

void CoverAnswerer::add(const BoxQuery& part, std::size_t grid, double weight, Answer& answer,
                        std::vector<NoiseTerm>& terms, NoiseRest& rest) const {
  if (part.empty()) return;
  AnswerOptions plain = options_;
  plain.intervals = false;
  Answerer ask(grids_[grid], plain);
  const Answer own = ask(part);
  answer.estimate += weight * own.estimate;
  answer.partitions_cut += own.partitions_cut;
  answer.aligned = answer.aligned && own.aligned;
  if (!options_.intervals) return;
  plain.intervals = true;
  const Answer with_noise = Answerer(grids_[grid], plain)(part);
  answer.unprojected += weight * with_noise.unprojected;
  answer.noise_variance += weight * weight * with_noise.noise_variance;
  NoiseList noise = ask.noise(part);
  for (NoiseTerm term : noise.terms) {
    term.weight *= weight;
    terms.push_back(term);
  }
  const double square = weight * weight;
  rest.noise.second += square * noise.rest.noise.second;
  rest.noise.fourth += square * square * noise.rest.noise.fourth;
  rest.step = std::max(rest.step, weight * noise.rest.step);
}

Answer CoverAnswerer::operator()(const BoxQuery& query) const {
  Answer answer;
  answer.level = options_.level;
  std::vector<NoiseTerm> terms;
  NoiseRest rest;
  BoxQuery left = query;
  bool core = !query.empty();
  for (std::size_t axis = 0; axis < query.axes && core && query.axes > 1; ++axis) {
    const std::vector<double>& lattice = lattice_[axis];
    const auto from = std::lower_bound(lattice.begin(), lattice.end(), left.lo[axis]);
    auto to = std::upper_bound(lattice.begin(), lattice.end(), left.hi[axis]);
    if (to != lattice.begin()) --to;
    core = from != lattice.end() && *from < *to;
    if (!core) {
      add(left, axis, 1, answer, terms, rest);
      break;
    }
    BoxQuery below = left, above = left;
    below.hi[axis] = *from;
    above.lo[axis] = *to;
    add(below, axis, 1, answer, terms, rest);
    add(above, axis, 1, answer, terms, rest);
    left.lo[axis] = *from;
    left.hi[axis] = *to;
  }
  if (core) {
    const double weight = 1 / static_cast<double>(grids_.size());
    for (std::size_t grid = 0; grid < grids_.size(); ++grid) add(left, grid, weight, answer, terms, rest);
  }
  if (options_.intervals) {
    const double half = NoiseInterval(options_.level).half_width(terms, rest);
    answer.noise_lower = answer.unprojected - half;
    answer.noise_upper = answer.unprojected + half;
  }
  return answer;
}

}  // namespace stopover
