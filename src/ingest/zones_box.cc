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
  BoundingBox box{180, 90, -180, -90};
  bool any = false;

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
    if (!(x >= -180 && x <= 180 && y >= -90 && y <= 90)) return;
    any = true;
    box = {std::min(box.west, x), std::min(box.south, y), std::max(box.east, x), std::max(box.north, y)};
  }
};

}  // namespace

Result<BoundingBox> zones_box(std::string_view geojson) {
  const json document = json::parse(geojson, nullptr, false);
  Extent extent;
  std::vector<const json*> open = {&document};
  while (!open.empty()) {
    const json& at = *open.back();
    open.pop_back();
    if (at.is_object()) {
      for (const auto& [name, value] : at.items()) {
        if (name == "coordinates") {
          extent.positions(value);
        } else if (value.is_structured() && name != "properties") {
          open.push_back(&value);
        }
      }
    } else if (at.is_array()) {
      for (const json& child : at) open.push_back(&child);
    }
  }
  if (document.is_discarded() || !extent.any || extent.box.west >= extent.box.east || extent.box.south >= extent.box.north) {
    return Error{Failure::bad_input, "the zones are no GeoJSON with areas\n  Their coordinates must be longitude, latitude in degrees."};
  }
  return extent.box;
}

Result<BoundingBox> read_zones_box(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return Error{Failure::bad_input, fmt::format("cannot read {}", path)};
  Result<BoundingBox> box = zones_box(text.str());
  if (!box) return Error{box.error().failure, fmt::format("{}: {}", path, box.error().message)};
  return box;
}

BoundingBox widened(const BoundingBox& box, double step) {
  const auto down = [&](double v) { return std::floor(v / step) * step; };
  const auto up = [&](double v) { return std::ceil(v / step) * step; };
  return {std::max(-180.0, down(box.west)), std::max(-90.0, down(box.south)), std::min(180.0, up(box.east)),
          std::min(90.0, up(box.north))};
}

}  // namespace stopover
