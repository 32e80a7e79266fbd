#include "query/cover_answerer.h"

#include <algorithm>

namespace stopover {
namespace {

Error bad_input(const Table& table) {
  return {Failure::bad_input, "table " + table.name + " is not a cover of one grid an axis"};
}

// The rows below root `root` as a release of their own.
Release grid_of(const Release& release, std::size_t root) {
  const Table& table = release.tables[0];
  Release grid = release;
  Table part;
  part.name = table.name;
  part.axes = table.axes;
  part.ticks = table.ticks;
  part.lo.resize(table.axes.size());
  part.hi.resize(table.axes.size());
  std::vector<std::int32_t> number(table.rows(), -1);
  for (std::size_t row = root; row < table.rows(); ++row) {
    const std::int32_t parent = table.parent[row];
    if (row != root && (parent < 0 || number[static_cast<std::size_t>(parent)] < 0)) continue;
    const std::size_t at = part.append(table.box(row), row == root ? -1 : number[static_cast<std::size_t>(parent)],
                                       table.count[row], table.row_ticks[row], table.side_ticks[row]);
    part.estimate[at] = table.estimate[row];
    number[row] = static_cast<std::int32_t>(at);
  }
  grid.tables = {std::move(part)};
  return grid;
}

}  // namespace

Result<CoverAnswerer> CoverAnswerer::make(const Release& release, const AnswerOptions& options) {
  if (release.tables.empty()) return Error{Failure::bad_input, "the release has no table to ask"};
  const Table& table = release.tables[0];
  const std::size_t d = release.domain.d();
  std::vector<std::size_t> roots;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.parent[row] < 0) roots.push_back(row);
  }
  if (table.kind != TableKind::cover || roots.size() != d || table.axes.size() != d) return bad_input(table);
  CoverAnswerer result;
  result.options_ = options;
  std::vector<std::vector<std::vector<std::uint32_t>>> edges;  // of every grid, by axis
  for (std::size_t root : roots) {
    if (!(table.box(root) == release.domain.whole())) return bad_input(table);
    const Release grid = grid_of(release, root);
    auto& own = edges.emplace_back(d);
    for (std::size_t axis = 0; axis < d; ++axis) {
      own[axis] = grid.tables[0].lo[axis];
      std::sort(own[axis].begin(), own[axis].end());
      own[axis].erase(std::unique(own[axis].begin(), own[axis].end()), own[axis].end());
    }
    Result<BoxIndex> index = BoxIndex::make(grid);
    if (!index) return index.error();
    result.grids_.push_back(*std::move(index));
  }
  for (std::size_t axis = 0; axis < d; ++axis) {
    const auto& coarse = edges[axis == 0 ? d - 1 : 0][axis];
    std::vector<double> lattice(coarse.begin(), coarse.end());
    lattice.push_back(release.domain.axis(axis).cells);
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
