#include "explore/stop_cells.h"

#include <algorithm>
#include <queue>

#include "query/answerer.h"
#include "release/children.h"

namespace stopover {
namespace {

const Table* own_map(const Release& release, std::size_t x, std::size_t y) {
  const std::vector<std::size_t> axes = {std::min(x, y), std::max(x, y)};
  for (const Table& table : release.tables) {
    if (table.kind == TableKind::partition && table.axes == axes && table.rows() > 0) return &table;
  }
  return nullptr;
}

struct Open {
  double weight;
  std::size_t number;  // ties: the earlier first
  bool operator<(const Open& other) const {
    return weight != other.weight ? weight < other.weight : number > other.number;
  }
};

std::vector<StopCells::Cell> opened_rows(const Table& table, bool swapped, std::size_t most) {
  const ChildIndex children(table);
  std::priority_queue<Open> open;
  std::vector<std::size_t> done;
  for (const std::uint32_t row : children.roots()) open.push({table.estimate[row], row});
  while (!open.empty()) {
    const std::size_t row = open.top().number;
    open.pop();
    const std::span<const std::uint32_t> parts = children.of(row);
    if (parts.empty() || done.size() + open.size() + parts.size() > most) {
      done.push_back(row);
      continue;
    }
    for (const std::uint32_t part : parts) open.push({table.estimate[part], part});
  }
  std::sort(done.begin(), done.end());
  std::vector<StopCells::Cell> cells;
  for (const std::size_t row : done) {
    const Box box = table.box(row);
    cells.push_back({box[swapped ? 1 : 0], box[swapped ? 0 : 1]});
  }
  return cells;
}

std::vector<Interval> halves(Interval side) {
  if (side.width() < 2) return {side};
  const std::uint32_t middle = side.lo + side.width() / 2;
  return {{side.lo, middle}, {middle, side.hi}};
}

std::vector<StopCells::Cell> halved(const Release& release, const BoxIndex& index, std::size_t x, std::size_t y,
                                    std::size_t most) {
  Answerer ask(index, {.intervals = false});
  std::vector<StopCells::Cell> cells, made;
  std::priority_queue<Open> open;
  const auto add = [&](Interval across, Interval up) {
    BoxQuery query = BoxQuery::whole(release.domain);
    query.lo[x] = across.lo;
    query.hi[x] = across.hi;
    query.lo[y] = up.lo;
    query.hi[y] = up.hi;
    open.push({ask(query).estimate, made.size()});
    made.push_back({across, up});
  };
  const Box whole = release.domain.whole();
  for (const Interval across : halves(whole[x])) {
    for (const Interval up : halves(whole[y])) add(across, up);
  }
  // No finer than a 256th of the map: an eye sees no more.
  const auto fine = [&](std::size_t axis, Interval side) {
    return side.width() < 2 || side.width() <= whole[axis].width() / 256;
  };
  while (!open.empty()) {
    const StopCells::Cell cell = made[open.top().number];
    const double weight = open.top().weight;
    open.pop();
    const bool fits = cells.size() + open.size() + 4 <= most;
    if (!fits || weight <= 0 || (fine(x, cell.x) && fine(y, cell.y))) {
      cells.push_back(cell);
      continue;
    }
    for (const Interval across : halves(cell.x)) {
      for (const Interval up : halves(cell.y)) add(across, up);
    }
  }
  return cells;
}

}  // namespace

StopCells stop_cells(const Release& release, const BoxIndex& index, std::size_t x, std::size_t y, std::size_t most) {
  most = std::max<std::size_t>(most, 4);
  if (const Table* table = own_map(release, x, y)) {
    std::vector<StopCells::Cell> cells = opened_rows(*table, x > y, most);
    // A family too large to open would leave its parent as one bare rectangle.
    if (cells.size() >= most / 8 || cells.size() >= table->rows() / 2) return {true, std::move(cells)};
  }
  return {false, halved(release, index, x, y, most)};
}

}  // namespace stopover
