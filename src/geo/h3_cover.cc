#include "geo/h3_cover.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/portable_math.h"
#include "geo/h3_cell.h"
#include "geo/json.h"

namespace stopover {
namespace {

constexpr double kRadians = 0.017453292519943295769;

std::string id_text(std::uint64_t bits) {
  std::string text(15, '0');
  for (std::size_t i = 15; i-- > 0; bits >>= 4) text[i] = "0123456789abcdef"[bits & 15];
  return text;
}

// Mode and resolution, the base cell, and digits, of which those beyond the resolution are 7.
std::uint64_t base_bits(std::uint64_t base) {
  return std::uint64_t{8} << 56 | base << 45 | ((std::uint64_t{1} << 45) - 1);
}
std::uint64_t child_bits(std::uint64_t bits, std::uint64_t digit) {
  const std::uint64_t resolution = (bits >> 52 & 15) + 1, shift = 45 - 3 * resolution;
  return (bits & ~(std::uint64_t{7} << shift) & ~(std::uint64_t{15} << 52)) | resolution << 52 | digit << shift;
}

using Arrow = std::array<double, 3>;

Arrow arrow_of(PlanePoint p) {
  const double lat = p.y * kRadians, lng = p.x * kRadians, c = portable_cos(lat);
  return {c * portable_cos(lng), c * portable_sin(lng), portable_sin(lat)};
}

double chord(const Arrow& a, const Arrow& b) {
  return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// Whether the cell or one within it may reach the box: children stick out a little.
bool may_reach(const H3Cell& cell, const DegreeBox& box) {
  const PlanePoint middle = cell.centre();
  const Arrow at = arrow_of(middle);
  double reach = 0;
  for (const PlanePoint& corner : cell.boundary()) reach = std::max(reach, chord(at, arrow_of(corner)));
  const PlanePoint nearest{std::clamp(middle.x, box.west, box.east), std::clamp(middle.y, box.south, box.north)};
  // Over the 180th meridian the other edge may be nearer.
  const Arrow here = arrow_of(nearest), west = arrow_of({box.west, nearest.y}), east = arrow_of({box.east, nearest.y});
  return std::min({chord(at, here), chord(at, west), chord(at, east)}) <= 1.5 * reach;
}

// Two convex areas lie apart where a line along an edge of one of them parts them.
bool overlaps(const Ring& ring, const DegreeBox& box) {
  const std::array<PlanePoint, 4> corners = {
      {{box.west, box.south}, {box.east, box.south}, {box.east, box.north}, {box.west, box.north}}};
  const auto apart = [&](double nx, double ny) {
    double ring_lo = HUGE_VAL, ring_hi = -HUGE_VAL, box_lo = HUGE_VAL, box_hi = -HUGE_VAL;
    for (const PlanePoint& p : ring) {
      ring_lo = std::min(ring_lo, p.x * nx + p.y * ny);
      ring_hi = std::max(ring_hi, p.x * nx + p.y * ny);
    }
    for (const PlanePoint& p : corners) {
      box_lo = std::min(box_lo, p.x * nx + p.y * ny);
      box_hi = std::max(box_hi, p.x * nx + p.y * ny);
    }
    return ring_hi <= box_lo || box_hi <= ring_lo;
  };
  if (apart(1, 0) || apart(0, 1)) return false;
  for (std::size_t i = 1; i < ring.size(); ++i) {
    if (apart(ring[i - 1].y - ring[i].y, ring[i].x - ring[i - 1].x)) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<std::string>> h3_cover(const DegreeBox& box, int resolution, std::size_t most) {
  std::vector<std::uint64_t> todo;
  for (std::uint64_t base = 122; base-- > 0;) todo.push_back(base_bits(base));
  std::vector<std::string> found;
  while (!todo.empty()) {
    const std::uint64_t bits = todo.back();
    todo.pop_back();
    const std::optional<H3Cell> cell = H3Cell::parse(id_text(bits));
    if (!cell || !may_reach(*cell, box)) continue;  // a pentagon has one part less
    if (cell->resolution() < resolution) {
      for (std::uint64_t digit = 7; digit-- > 0;) todo.push_back(child_bits(bits, digit));
      continue;
    }
    if (!overlaps(cell->boundary(), box)) continue;
    if (found.size() == most) {
      return Error{Failure::bad_input, "there are more than " + std::to_string(most) + " cells of H3's resolution " +
                                           std::to_string(resolution) + " here\n  Use a smaller resolution."};
    }
    found.push_back(id_text(bits));
  }
  return found;
}

Result<std::string> h3_geojson(const std::vector<std::string>& ids) {
  Json features = Json::array();
  for (const std::string& id : ids) {
    const std::optional<H3Cell> cell = H3Cell::parse(id);
    if (!cell) return Error{Failure::bad_input, id + " is no cell of H3"};
    const Result<Shape> shape = cell->shape(id);
    if (!shape) return shape.error();
    Json ring = Json::array();
    for (const PlanePoint& p : shape->polygons[0][0]) ring.push_back({p.x, p.y});
    features.push_back({{"type", "Feature"},
                        {"properties", {{"h3", id}}},
                        {"geometry", {{"type", "Polygon"}, {"coordinates", Json::array({ring})}}}});
  }
  return Json{{"type", "FeatureCollection"}, {"features", features}}.dump();
}

}  // namespace stopover
