// Any bytes as GeoJSON of zones, as well-known binary and as an H3 cell: refused, or areas that are valid, can be
// indexed, and hold the point that is said to be inside.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/check.h"
#include "geo/fixed_area.h"
#include "geo/h3_cell.h"
#include "geo/wkb.h"
#include "zones/zone_features.h"

namespace {

using namespace stopover;

void look_at(const Shape& shape) {
  STOPOVER_CHECK(checked(shape, "zone"), "an area was given that is not valid");
  const FixedArea area(shape.polygons);
  STOPOVER_CHECK(area.box().holds(area.inner_point()), "a point inside lies outside");
  const PlanePoint middle = centroid(shape);
  STOPOVER_CHECK(middle.x - middle.x == 0 && middle.y - middle.y == 0, "a centre that is no number");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<ZoneList> list = zones_of_geojson(text, {.path = "zones.geojson"});
  if (list && list->form == ZoneForm::polygons) {
    for (const ZoneList::Entry& entry : list->entries) look_at(entry.shape);
  }
  const auto geometry = geometry_of_wkb(text, "zone");
  if (geometry && std::holds_alternative<Shape>(*geometry)) look_at(std::get<Shape>(*geometry));
  if (const std::optional<H3Cell> cell = H3Cell::parse(text)) {
    const Result<Shape> shape = cell->shape("zone");
    if (shape) look_at(*shape);
  }
  return 0;
}
