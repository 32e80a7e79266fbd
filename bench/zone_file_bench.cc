// Zones: 5,000 areas with about a hundred corners each and shared borders, one core (seconds of the processor).
//
// The check for overlaps, the index, a million places, and the areas with fewer corners for drawing.
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "geo/simplify.h"
#include "geo/zone_locator.h"
#include "zones/zone_overlap.h"

namespace {

using namespace stopover;

constexpr int kSide = 71, kSteps = 24;

// Of the processor: what others do on the machine does not count.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <typename Work>
void timed(const char* what, Work work) {
  const double start = seconds();
  const std::size_t result = work();
  std::printf("%-44s %6.3f s  (%zu)\n", what, seconds() - start, result);
}

// Squares of a hundredth of a degree whose borders wiggle; both neighbours have the same corners.
std::vector<Shape> areas() {
  std::mt19937_64 random(1);
  std::vector<Ring> along, up;
  for (int i = 0; i <= kSide; ++i) {
    for (int j = 0; j <= kSide; ++j) {
      Ring& east = along.emplace_back();
      Ring& north = up.emplace_back();
      for (int k = 0; k <= kSteps; ++k) {
        const double t = static_cast<double>(k) / kSteps, room = 0.4 * t * (1 - t);
        const auto off = [&] { return room * static_cast<double>(random() % 1000) / 1000; };
        east.push_back({(i + t) / 100, (j + off()) / 100});
        north.push_back({(i + off()) / 100, (j + t) / 100});
      }
    }
  }
  const auto at = [](int i, int j) { return static_cast<std::size_t>(i * (kSide + 1) + j); };
  std::vector<Shape> shapes;
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      Ring ring = along[at(i, j)];
      ring.insert(ring.end(), up[at(i + 1, j)].begin() + 1, up[at(i + 1, j)].end());
      ring.insert(ring.end(), along[at(i, j + 1)].rbegin() + 1, along[at(i, j + 1)].rend());
      ring.insert(ring.end(), up[at(i, j)].rbegin() + 1, up[at(i, j)].rend());
      shapes.push_back({{{ring}}});
    }
  }
  return shapes;
}

}  // namespace

int main() {
  const std::vector<Shape> raw = areas();
  std::vector<Shape> shapes;
  timed("checked for crossings: zones", [&] {
    for (const Shape& shape : raw) shapes.push_back(*checked(shape, "zone"));
    return shapes.size();
  });
  timed("checked for overlaps: pairs found", [&] {
    std::vector<const Shape*> all;
    for (const Shape& shape : shapes) all.push_back(&shape);
    return find_overlaps(all).size();
  });
  std::vector<ZoneRecord> records;
  for (const Shape& shape : shapes) {
    records.push_back({std::to_string(records.size()), centroid(shape), shape.polygons, {}});
  }
  const ZoneSet zones = *ZoneSet::make(std::move(records), {}, ZoneForm::polygons);
  Result<ZoneLocator> locator = ZoneLocator::make(zones);
  timed("the index: zones", [&] {
    locator = ZoneLocator::make(zones);
    return zones.size();
  });
  std::mt19937_64 random(2);
  std::vector<PlanePoint> places(1'000'000);
  for (PlanePoint& p : places) {
    p = {static_cast<double>(random() % 710'000) / 1e6, static_cast<double>(random() % 710'000) / 1e6};
  }
  timed("a million places: in a zone", [&] {
    std::size_t found = 0;
    for (const PlanePoint& p : places) found += locator->locate(p.x, p.y) >= 0;
    return found;
  });
  timed("drawn with 100000 corners: corners left", [&] {
    std::size_t corners = 0;
    for (const Shape& shape : simplified(shapes, 100'000)) corners += corners_of(shape);
    return corners;
  });
  return 0;
}
