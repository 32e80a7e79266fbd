#include "testing/trips.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/check.h"

namespace stopover {
namespace {

using Cell = std::vector<std::uint32_t>;

Cell cell_at(std::uint64_t index, const std::vector<std::uint64_t>& shape) {
  Cell cell(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; index /= shape[axis]) {
    cell[axis] = static_cast<std::uint32_t>(index % shape[axis]);
  }
  return cell;
}

std::vector<std::uint64_t> random_shape(std::mt19937_64& random, std::size_t d, std::uint64_t most_cells) {
  std::vector<std::uint64_t> shape(d, 1);
  std::uint64_t room = most_cells;
  for (std::size_t axis = 0; axis < d; ++axis) {
    // Leaves the axes to come about the same share each; now and then a width of 1.
    const double root = std::pow(static_cast<double>(room), 1 / static_cast<double>(d - axis));
    const std::uint64_t widest = axis + 1 < d ? 1 + static_cast<std::uint64_t>(2 * root) : room;
    shape[axis] = random() % 8 == 0 ? 1 : 1 + random() % std::min(widest, room);
    room /= shape[axis];
  }
  std::shuffle(shape.begin(), shape.end(), random);
  return shape;
}

}  // namespace

Matrix Trips::matrix() const {
  MatrixBuilder builder(*Domain::of_shape(shape));
  for (const Cell& cell : cells) STOPOVER_CHECK(builder.add(cell, 1), "a trip outside its shape");
  return std::move(builder).build();
}

std::string Trips::text() const {
  std::string all;
  for (std::uint64_t width : shape) all += (all.empty() ? "" : "x") + std::to_string(width);
  all += ", " + std::to_string(cells.size()) + " trips";
  for (std::size_t i = 0; i < cells.size() && i < 8; ++i) {
    all += i == 0 ? ":" : ",";
    for (std::uint32_t place : cells[i]) all += " " + std::to_string(place);
  }
  return all;
}

NeighbourPair random_pair(std::mt19937_64& random, std::size_t d, std::uint32_t k, std::uint64_t most_cells) {
  NeighbourPair pair;
  pair.k = k;
  Trips& first = pair.first;
  first.shape = random_shape(random, d, most_cells);
  const auto anywhere = [&] {
    Cell cell;
    for (std::uint64_t width : first.shape) cell.push_back(static_cast<std::uint32_t>(random() % width));
    return cell;
  };
  const std::size_t sizes[] = {0, 1, 2, 3, 10, 50, 200, 800};
  const std::size_t n = sizes[random() % 8];
  std::vector<Cell> centres(1 + random() % 4);
  std::generate(centres.begin(), centres.end(), anywhere);
  const bool clustered = random() % 3 != 0;
  for (std::size_t i = 0; i < n; ++i) {
    first.cells.push_back(clustered && random() % 8 != 0 ? centres[random() % centres.size()] : anywhere());
  }
  pair.second = first;
  auto& cells = pair.second.cells;
  const std::size_t trips = 1 + random() % k;
  const bool together = random() % 2 == 0;
  const Cell one = random() % 2 == 0 || cells.empty() ? anywhere() : cells[random() % cells.size()];
  if (random() % 2 == 0 || cells.size() < trips) {
    for (std::size_t i = 0; i < trips; ++i) cells.push_back(together ? one : anywhere());
  } else {
    for (std::size_t i = 0; i < trips; ++i) {
      const auto same = std::find(cells.begin(), cells.end(), one);
      cells.erase(together && same != cells.end()
                      ? same
                      : cells.begin() + static_cast<std::ptrdiff_t>(random() % cells.size()));
    }
  }
  std::shuffle(cells.begin(), cells.end(), random);
  return pair;
}

std::vector<Trips> all_trips(const std::vector<std::uint64_t>& shape, std::size_t most) {
  std::uint64_t volume = 1;
  for (std::uint64_t width : shape) volume *= width;
  std::vector<Trips> all;
  Trips current{shape, {}};
  const std::function<void(std::uint64_t)> visit = [&](std::uint64_t from) {
    all.push_back(current);
    if (current.cells.size() == most) return;
    for (std::uint64_t index = from; index < volume; ++index) {
      current.cells.push_back(cell_at(index, shape));
      visit(index);
      current.cells.pop_back();
    }
  };
  visit(0);
  return all;
}

Trips filled(const std::vector<std::uint64_t>& shape, const std::vector<std::size_t>& counts) {
  const std::vector<Trips> places = all_trips(shape, 1);
  Trips trips{shape, {}};
  for (std::size_t cell = 0; cell < counts.size(); ++cell) {
    trips.cells.insert(trips.cells.end(), counts[cell], places[cell + 1].cells[0]);
  }
  return trips;
}

}  // namespace stopover
