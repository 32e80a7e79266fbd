#include "ingest/zones_box.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace stopover {
namespace {

using nlohmann::json;

struct Extent {
  DegreeBox box{180, 90, -180, -90};
  bool any = false, off_globe = false;

  void positions(const json& node) {
    std::vector<const json*> open = {&node};
    while (!open.empty()) {
      const json& at = *open.back();
      open.pop_back();
      if (!at.is_array() || at.empty()) continue;
      if (at.size() >= 2 && at[0].is_number() && at[1].is_number()) {
        add(at[0].get<double>(), at[1].get<double>());
      } else {
        for (const json& child : at) open.push_back(&child);
      }
    }
  }
  void add(double x, double y) {
    off_globe = off_globe || !(x >= -180 && x <= 180 && y >= -90 && y <= 90);
    any = true;
    box = {std::min(box.west, x), std::min(box.south, y), std::max(box.east, x), std::max(box.north, y)};
  }
};

}  // namespace

Result<DegreeBox> zones_box(std::string_view geojson) {
  const json document = json::parse(geojson, nullptr, false);
  Extent extent;
  std::vector<const json*> open = {&document};
  while (!open.empty()) {
    const json& at = *open.back();
    open.pop_back();
    if (at.is_object()) {
      const auto type = at.find("type");
      const bool area = type != at.end() && (*type == "Polygon" || *type == "MultiPolygon");
      for (const auto& [name, value] : at.items()) {
        if (name == "coordinates") {
          if (area) extent.positions(value);
        } else if (value.is_structured() && name != "properties") {
          open.push_back(&value);
        }
      }
    } else if (at.is_array()) {
      for (const json& child : at) open.push_back(&child);
    }
  }
  if (extent.off_globe) {
    return Error{Failure::bad_input,
                 "a corner of the zones is not on the globe\n  Coordinates must be longitude, latitude in degrees "
                 "(CRS84), not metres."};
  }
  if (document.is_discarded() || !extent.any || extent.box.west >= extent.box.east ||
      extent.box.south >= extent.box.north) {
    return Error{Failure::bad_input,
                 "the zones are not GeoJSON with areas\n  Polygons or MultiPolygons are needed: "
                 "points and lines may be somebody's trips."};
  }
  return extent.box;
}

Result<DegreeBox> read_zones_box(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return Error{Failure::bad_input, fmt::format("cannot read {}", path)};
  Result<DegreeBox> box = zones_box(text.str());
  if (!box) return Error{box.error().failure, fmt::format("{}: {}", path, box.error().message)};
  return box;
}

double area_spread(const DegreeBox& box) {
  const auto cosine = [](double degrees) { return std::cos(degrees * 3.14159265358979323846 / 180); };
  const double far = std::max(std::abs(box.south), std::abs(box.north));
  const double near = box.south <= 0 && box.north >= 0 ? 0 : std::min(std::abs(box.south), std::abs(box.north));
  return cosine(near) / cosine(far) - 1;
}

DegreeBox widened(const DegreeBox& box, double step) {
  const auto down = [&](double v) { return std::floor(v / step) * step; };
  const auto up = [&](double v) { return std::ceil(v / step) * step; };
  return {std::max(-180.0, down(box.west)), std::max(-90.0, down(box.south)), std::min(180.0, up(box.east)),
          std::min(90.0, up(box.north))};
}

}  // namespace stopover
