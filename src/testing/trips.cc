#include "testing/trips.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/check.h"

namespace stopover {
namespace {

using Coordinates = std::vector<std::uint32_t>;

Coordinates cell_at(std::uint64_t index, const std::vector<std::uint64_t>& shape) {
  Coordinates cell(shape.size());
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

Domain Trips::domain() const {
  if (axes_a_stop == 0) return *Domain::of_shape(shape);
  constexpr AxisKind kKinds[] = {AxisKind::longitude, AxisKind::latitude, AxisKind::time};
  constexpr const char* kNames[] = {"lon", "lat", "hour"};
  std::vector<Axis> axes;
  std::vector<Stop> stops;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::size_t kind = axis % axes_a_stop, stop = axis / axes_a_stop;
    if (kind == 0) stops.push_back({"s" + std::to_string(stop), {}});
    stops.back().axes.push_back(axis);
    axes.push_back(
        {kNames[kind] + std::to_string(stop), static_cast<std::uint32_t>(shape[axis]), kKinds[kind], 0, 24, {}});
  }
  return *Domain::make(std::move(axes), std::move(stops));
}

Matrix Trips::matrix() const {
  MatrixBuilder builder(domain());
  for (const Coordinates& cell : cells) STOPOVER_CHECK(builder.add(cell, 1), "a trip outside its shape");
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
    Coordinates cell;
    for (std::uint64_t width : first.shape) cell.push_back(static_cast<std::uint32_t>(random() % width));
    return cell;
  };
  const std::size_t sizes[] = {0, 1, 2, 3, 10, 50, 200, 800};
  const std::size_t n = sizes[random() % 8];
  std::vector<Coordinates> centres(1 + random() % 4);
  std::generate(centres.begin(), centres.end(), anywhere);
  const bool clustered = random() % 3 != 0;
  for (std::size_t i = 0; i < n; ++i) {
    first.cells.push_back(clustered && random() % 8 != 0 ? centres[random() % centres.size()] : anywhere());
  }
  pair.second = first;
  auto& cells = pair.second.cells;
  const std::size_t trips = 1 + random() % k;
  const bool together = random() % 2 == 0;
  const Coordinates one = random() % 2 == 0 || cells.empty() ? anywhere() : cells[random() % cells.size()];
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

NeighbourPair shared_pair(std::mt19937_64& random, std::size_t stops, std::uint32_t k, std::uint64_t map_cells) {
  NeighbourPair pair;
  pair.k = k;
  Trips& first = pair.first;
  first.axes_a_stop = std::array<std::size_t, 4>{0, 2, 2, 3}[random() % (stops > 1 ? 4 : 3)];
  const std::uint64_t hours = first.axes_a_stop == 3 ? 2 : 1, area = std::max<std::uint64_t>(1, map_cells / hours);
  const auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(area)));
  const std::uint64_t width = random() % 4 == 0 ? 1 + random() % area : side;
  const std::uint64_t height = random() % 2 == 0 ? area / width : 1 + random() % (area / width);
  for (std::size_t stop = 0; stop < stops; ++stop) {
    first.shape.insert(first.shape.end(), {width, height});
    if (first.axes_a_stop == 3) first.shape.push_back(hours);
  }
  const auto anywhere = [&] {
    Coordinates cell;
    for (std::uint64_t cells : first.shape) cell.push_back(static_cast<std::uint32_t>(random() % cells));
    if (random() % 2 == 0) {
      for (std::size_t axis = cell.size() / stops; axis < cell.size(); ++axis)
        cell[axis] = cell[axis - cell.size() / stops];
    }
    return cell;
  };
  const std::size_t sizes[] = {0, 1, 5, 30, 100, 300};
  std::vector<Coordinates> centres(1 + random() % 4);
  std::generate(centres.begin(), centres.end(), anywhere);
  const bool clustered = random() % 3 != 0;
  for (std::size_t n = sizes[random() % 6]; n > 0; --n) {
    first.cells.push_back(clustered && random() % 8 != 0 ? centres[random() % centres.size()] : anywhere());
  }
  pair.second = first;
  const bool together = random() % 2 == 0;
  const Coordinates one = random() % 2 == 0 ? anywhere() : centres[0];
  for (std::size_t n = random() % 4 == 0 ? 1 + random() % k : k; n > 0; --n) {
    pair.second.cells.push_back(together ? one : anywhere());
  }
  std::shuffle(pair.second.cells.begin(), pair.second.cells.end(), random);
  if (random() % 2 == 0) std::swap(pair.first, pair.second);
  return pair;
}

std::vector<Trips> all_trips(const std::vector<std::uint64_t>& shape, std::size_t most) {
  std::uint64_t volume = 1;
  for (std::uint64_t width : shape) volume *= width;
  std::vector<Coordinates> places;
  for (std::uint64_t index = 0; index < volume; ++index) places.push_back(cell_at(index, shape));
  return all_trips(shape, most, places);
}

std::vector<Trips> all_trips(const std::vector<std::uint64_t>& shape, std::size_t most,
                             const std::vector<std::vector<std::uint32_t>>& places) {
  std::vector<Trips> all;
  Trips current{shape, {}, 0};
  const std::function<void(std::size_t)> visit = [&](std::size_t from) {
    all.push_back(current);
    if (current.cells.size() == most) return;
    for (std::size_t index = from; index < places.size(); ++index) {
      current.cells.push_back(places[index]);
      visit(index);
      current.cells.pop_back();
    }
  };
  visit(0);
  return all;
}

Trips filled(const std::vector<std::uint64_t>& shape, const std::vector<std::size_t>& counts) {
  const std::vector<Trips> places = all_trips(shape, 1);
  Trips trips{shape, {}, 0};
  for (std::size_t cell = 0; cell < counts.size(); ++cell) {
    trips.cells.insert(trips.cells.end(), counts[cell], places[cell + 1].cells[0]);
  }
  return trips;
}

}  // namespace stopover
