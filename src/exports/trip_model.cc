#include "exports/trip_model.h"

#include <algorithm>
#include <string>

#include "synthetic/discrete_law.h"

namespace stopover {
namespace {

// The last cell of `side` whose lower edge has at most `wanted` of the mass below it; `below` is ascending.
template <typename Below>
std::uint32_t find_cell(Interval side, double wanted, const Below& below) {
  std::uint32_t lo = side.lo, hi = side.hi;
  // Halving; below(lo) <= wanted < below(hi) all the way. Sums of masses are ascending.
  while (hi - lo > 1) {
    const std::uint32_t middle = lo + (hi - lo) / 2;
    (below(middle) <= wanted ? lo : hi) = middle;
  }
  return lo;
}

std::uint32_t even_cell(Interval side, NumberSequence& numbers) {
  return side.lo + static_cast<std::uint32_t>(numbers.below(side.width()));
}

}  // namespace

Result<TripModel> TripModel::make(const Release& release) {
  if (release.tables.empty()) return Error{Failure::bad_input, "the release has no table to draw trips from"};
  const Table& table = release.tables[0];
  TripModel model;
  model.domain_ = release.domain;
  // Leaves tile the domain, and their estimates sum to the total.
  const std::vector<bool> leaves = table.leaves();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!leaves[row]) continue;
    model.rows_.push_back(row);
    model.boxes_.push_back(table.box(row));
    model.estimates_.push_back(table.estimate[row]);
    model.total_ += table.estimate[row];
  }
  std::vector<bool> mapped(release.domain.d(), false);
  if (release.answer_model == AnswerModel::maps) {
    // A release of one table is its own map.
    for (std::size_t t = release.tables.size() > 1 ? 1 : 0; t < release.tables.size(); ++t) {
      const std::vector<std::size_t>& axes = release.tables[t].axes;
      model.maps_.push_back(
          {StopMap(release.tables[t], release.domain), axes[0], axes.size() > 1 ? axes[1] : kMaxAxes});
      for (const std::size_t axis : axes) mapped[axis] = true;
    }
  }
  // Along axes without a map trips lie evenly.
  for (std::size_t axis = 0; axis < mapped.size(); ++axis) {
    if (!mapped[axis]) model.even_axes_.push_back(axis);
  }
  return model;
}

void TripModel::draw_cell(std::size_t leaf, NumberSequence& numbers, std::span<std::uint32_t> cell) const {
  const Box& box = boxes_[leaf];
  for (const std::size_t axis : even_axes_) cell[axis] = even_cell(box[axis], numbers);
  for (const Map& map : maps_) {
    const Interval x = box[map.x], y = side_y(map, box);
    const double mass = map.map.mass(x, y);
    // No mass by rounding: evenly, as share() has it, too.
    if (!(mass > 0)) {
      cell[map.x] = even_cell(x, numbers);
      if (map.y < kMaxAxes) cell[map.y] = even_cell(y, numbers);
      continue;
    }
    // Inversion: x by its marginal in the box, then y given x. Maps are independent of each other, so the cell is drawn
    // by the product.
    const std::uint32_t column =
        find_cell(x, numbers.uniform() * mass, [&](std::uint32_t to) { return map.map.mass({x.lo, to}, y); });
    cell[map.x] = column;
    if (map.y == kMaxAxes) continue;
    const Interval only{column, column + 1};
    const double wanted = numbers.uniform() * map.map.mass(only, y);
    cell[map.y] = find_cell(y, wanted, [&](std::uint32_t to) { return map.map.mass(only, {y.lo, to}); });
  }
}

double TripModel::share(std::size_t leaf, std::span<const std::uint32_t> cell) const {
  const Box& box = boxes_[leaf];
  double product = 1;
  // One over the width for an even axis, the map's share of the box for the others: the product of the laws that
  // draw_cell draws from.
  for (const std::size_t axis : even_axes_) product /= box[axis].width();
  for (const Map& map : maps_) {
    const Interval x = box[map.x], y = side_y(map, box);
    const double mass = map.map.mass(x, y);
    if (!(mass > 0)) {
      product /= static_cast<double>(x.width()) * y.width();
      continue;
    }
    const Interval cell_x{cell[map.x], cell[map.x] + 1};
    // A map of one axis has a second of one cell.
    const Interval cell_y = map.y < kMaxAxes ? Interval{cell[map.y], cell[map.y] + 1} : y;
    // Rounding may bring a share a little out of its range.
    product *= std::clamp(map.map.mass(cell_x, cell_y) / mass, 0.0, 1.0);
  }
  return product;
}

const StopMap* TripModel::map_of(std::size_t axis, std::size_t other) const {
  for (const Map& map : maps_) {
    if (map.x == std::min(axis, other) && map.y == std::max(axis, other)) return &map.map;
  }
  return nullptr;
}

double TripModel::weight(const Box& box) const {
  double product = 1;
  for (const std::size_t axis : even_axes_) product *= box[axis].width();
  // Not divided by the leaf's own: weights are compared with each other only.
  for (const Map& map : maps_) product *= std::max(0.0, map.map.mass(box[map.x], side_y(map, box)));
  return product;
}

Result<SyntheticTrips> TripModel::draw(std::uint64_t n, std::uint64_t seed) const {
  if (n > kMaxSyntheticTrips) {
    return Error{Failure::usage, std::to_string(n) + " trips are more than can be drawn at once (" +
                                     std::to_string(kMaxSyntheticTrips) + ")\n  Ask for fewer with `n`."};
  }
  SyntheticTrips trips{domain_, {}, {}};
  trips.cells.assign(domain_.d(), {});
  // Estimates are not negative: a total of 0 means that every leaf is empty.
  if (!(total_ > 0)) return trips;
  for (std::vector<std::uint32_t>& column : trips.cells) column.resize(n);
  // A leaf with probability estimate/total, each trip by itself: counts of leaves are multinomial.
  const DiscreteLaw law(estimates_);
  NumberSequence numbers(seed, 1);
  std::array<std::uint32_t, kMaxAxes> cell{};
  for (std::size_t trip = 0; trip < n; ++trip) {
    draw_cell(law.draw(numbers), numbers, std::span(cell.data(), domain_.d()));
    for (std::size_t axis = 0; axis < domain_.d(); ++axis) trips.cells[axis][trip] = cell[axis];
  }
  return trips;
}

}  // namespace stopover
