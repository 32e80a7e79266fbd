#include "page/basemap.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "query/coverage.h"

namespace stopover {
namespace {

constexpr double kUnit = 1e4;

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 35 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }
  std::optional<BasemapTown> town() {
    const std::optional<std::uint64_t> size = number();
    if (!size || *size > rest_.size()) return std::nullopt;
    BasemapTown town{std::string(rest_.substr(0, static_cast<std::size_t>(*size)))};
    rest_.remove_prefix(town.name.size());
    const std::optional<std::uint64_t> lon = number(), lat = number();
    if (!lon || !lat) return std::nullopt;
    town.lon = step(*lon) / kUnit;
    town.lat = step(*lat) / kUnit;
    return town;
  }
  std::optional<Ring> line() {
    const std::optional<std::uint64_t> points = number();
    if (!points || *points > rest_.size()) return std::nullopt;
    Ring ring(static_cast<std::size_t>(*points));
    double x = 0, y = 0;
    for (PlanePoint& point : ring) {
      const std::optional<std::uint64_t> dx = number(), dy = number();
      if (!dx || !dy) return std::nullopt;
      point = {x += step(*dx), y += step(*dy)};
    }
    return ring;
  }

 private:
  static double step(std::uint64_t zigzag) {
    const auto half = static_cast<double>(zigzag >> 1);
    return zigzag % 2 == 0 ? half : -half - 1;
  }
  std::string_view rest_;
};

BasemapLine steps_of(const Ring& ring, double fine) {
  BasemapLine line;
  std::int32_t x = 0, y = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const auto nx = static_cast<std::int32_t>(std::lround(ring[i].x)),
               ny = static_cast<std::int32_t>(std::lround(ring[i].y));
    const bool near = std::abs(nx - x) < fine && std::abs(ny - y) < fine;
    if (!line.empty() && near && i + 1 < ring.size()) continue;
    line.push_back(nx - x);
    line.push_back(ny - y);
    x = nx;
    y = ny;
  }
  return line;
}

bool meets(const Ring& ring, const PlaneSpan& box) {
  PlanePoint low = ring.front(), high = ring.front();
  for (const PlanePoint& p : ring) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  return low.x < box.x.hi && high.x > box.x.lo && low.y < box.y.hi && high.y > box.y.lo;
}

bool inside(const PlanePoint& p, const PlaneSpan& box) {
  return p.x >= box.x.lo && p.x <= box.x.hi && p.y >= box.y.lo && p.y <= box.y.hi;
}

}  // namespace

Basemap cut_basemap(std::string_view bytes, const DegreeBox& box) {
  const PlaneSpan to{{box.west * kUnit, box.east * kUnit}, {box.south * kUnit, box.north * kUnit}};
  const double fine = std::max(1.0, std::max(to.x.hi - to.x.lo, to.y.hi - to.y.lo) / 2000);
  Basemap map;
  Reader reader(bytes);
  const std::optional<std::uint64_t> rings = reader.number();
  for (std::uint64_t i = 0; rings && i < *rings; ++i) {
    const std::optional<Ring> ring = reader.line();
    if (!ring) return {};
    if (ring->empty() || !meets(*ring, to)) continue;
    const Ring part = clipped(*ring, to);
    // What only touches the box, or is smaller than a point, has no area.
    if (part.size() >= 3 && std::abs(doubled_area(part)) >= fine * fine) map.land.push_back(steps_of(part, fine));
  }
  const std::optional<std::uint64_t> lines = reader.number();
  for (std::uint64_t i = 0; lines && i < *lines; ++i) {
    const std::optional<Ring> line = reader.line();
    if (!line) return {};
    if (line->empty() || !meets(*line, to)) continue;
    Ring run;
    for (std::size_t k = 0; k < line->size(); ++k) {
      const bool kept = inside((*line)[k], to) || (k > 0 && inside((*line)[k - 1], to)) ||
                        (k + 1 < line->size() && inside((*line)[k + 1], to));
      if (kept) run.push_back((*line)[k]);
      if (!kept || k + 1 == line->size()) {
        if (run.size() >= 2) map.borders.push_back(steps_of(run, fine));
        run.clear();
      }
    }
  }
  const std::optional<std::uint64_t> towns = reader.number();
  for (std::uint64_t i = 0; towns && i < *towns && map.towns.size() < Basemap::kMostTowns; ++i) {
    std::optional<BasemapTown> town = reader.town();
    if (!town) return {};
    if (inside({town->lon * kUnit, town->lat * kUnit}, to)) map.towns.push_back(std::move(*town));
  }
  return map;
}

}  // namespace stopover
