#include "query/place_numbers.h"

#include <algorithm>
#include <utility>

namespace stopover {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

// Without a branch a side.
bool same(const PlaceNumbers::Rectangle& a, const PlaceNumbers::Rectangle& b) {
  return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) == 0;
}

}  // namespace

PlaceNumbers::PlaceNumbers(const Release& release) {
  for (std::size_t t = release.tables.size() > 1 ? 1 : 0; t < release.tables.size(); ++t) {
    const std::vector<std::size_t>& axes = release.tables[t].axes;
    maps_.push_back({axes[0], axes.size() > 1 ? axes[1] : kMaxAxes, {}, {}, 0});
  }
}

std::size_t PlaceNumbers::Map::slot_of(const Rectangle& rectangle) const {
  // Two sides at a time: a chain of four multiplications would be waited for.
  const std::uint64_t wide = rectangle[0] | std::uint64_t{rectangle[1]} << 32;
  const std::uint64_t high = rectangle[2] | std::uint64_t{rectangle[3]} << 32;
  std::uint64_t hash = wide * 0x9e3779b97f4a7c15 ^ high * 0xc2b2ae3d27d4eb4f;
  hash ^= hash >> 32;
  hash *= 0x9e3779b97f4a7c15;
  std::size_t slot = (hash >> 32) & (numbers.size() - 1);
  while (numbers[slot] != kNone && !same(rectangles[numbers[slot]], rectangle)) {
    slot = (slot + 1) & (numbers.size() - 1);
  }
  return slot;
}

std::uint32_t PlaceNumbers::Map::number_of(const Rectangle& rectangle) {
  if (last < rectangles.size() && same(rectangles[last], rectangle)) return last;
  if (2 * rectangles.size() >= numbers.size()) {
    numbers.assign(std::max<std::size_t>(64, 2 * numbers.size()), kNone);
    for (std::uint32_t i = 0; i < rectangles.size(); ++i) numbers[slot_of(rectangles[i])] = i;
  }
  std::uint32_t& number = numbers[slot_of(rectangle)];
  if (number == kNone) {
    number = static_cast<std::uint32_t>(rectangles.size());
    rectangles.push_back(rectangle);
  }
  return last = number;
}

void PlaceNumbers::add_node(const std::uint32_t* bounds) {
  for (Map& map : maps_) {
    const std::uint32_t* const x = bounds + 2 * map.x;
    const std::uint32_t* const y = map.y < kMaxAxes ? bounds + 2 * map.y : nullptr;
    of_.push_back(map.number_of({x[0], x[1], y == nullptr ? 0 : y[0], y == nullptr ? 1 : y[1]}));
  }
}

void PlaceNumbers::append(const PlaceNumbers& other) {
  std::vector<std::vector<std::uint32_t>> here(maps_.size());  // [map][its number there]
  for (std::size_t m = 0; m < maps_.size(); ++m) {
    for (const Rectangle& rectangle : other.maps_[m].rectangles) here[m].push_back(maps_[m].number_of(rectangle));
  }
  for (std::size_t i = 0; i < other.of_.size(); ++i) of_.push_back(here[i % maps_.size()][other.of_[i]]);
}

}  // namespace stopover
