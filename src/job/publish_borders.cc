#include "job/publish_borders.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/bad_input.h"
#include "base/usage_error.h"
#include "disk/sha256.h"
#include "geo/zone_locator.h"
#include "zones/zone_file.h"

namespace stopover {
namespace {

// Longitude and latitude of all stops that have them.
std::vector<std::pair<const Axis*, const Axis*>> maps_of(const Domain& domain) {
  std::vector<std::pair<const Axis*, const Axis*>> maps;
  for (const Stop& stop : domain.stops()) {
    const Axis *lng = nullptr, *lat = nullptr;
    for (const std::size_t axis : stop.axes) {
      if (domain.axis(axis).kind == AxisKind::longitude) lng = &domain.axis(axis);
      if (domain.axis(axis).kind == AxisKind::latitude) lat = &domain.axis(axis);
    }
    if (lng != nullptr && lat != nullptr) maps.emplace_back(lng, lat);
  }
  return maps;
}

bool same_cells(const Axis& a, const Axis& b) { return a.cells == b.cells && a.lower == b.lower && a.upper == b.upper; }

double centre(const Axis& axis, std::uint32_t cell) {
  return axis.lower + (cell + 0.5) * (axis.upper - axis.lower) / static_cast<double>(axis.cells);
}

}  // namespace

Result<PublishBorders> read_borders(const std::string& path, const Domain& domain) {
  const auto maps = maps_of(domain);
  if (maps.empty()) {
    return usage_error(
        "`borders` needs stops on a map: `bbox` and `grid`\n"
        "  A release between zones cuts no zone; a bare matrix has no place on the globe.");
  }
  const Axis &lng = *maps[0].first, &lat = *maps[0].second;
  for (const auto& [x, y] : maps) {
    if (same_cells(*x, lng) && same_cells(*y, lat)) continue;
    return usage_error(
        fmt::format("`borders` needs stops on one map: one has {} x {} cells, another {} x {}, or another box",
                    lng.cells, lat.cells, x->cells, y->cells));
  }
  const Result<ZoneSet> areas = read_zones({.path = path, .allow_overlaps = true, .field = "borders"});
  if (!areas) return areas.error();
  const Result<ZoneLocator> locator = ZoneLocator::make(*areas);
  if (!locator) {
    return usage_error(fmt::format(
        "`borders {}` has {}, which have no borders\n  Give areas: a GeoJSON or GeoParquet file of polygons.", path,
        areas->form() == ZoneForm::points ? "points" : "names"));
  }
  Borders borders{lng.cells, lat.cells, {}, areas->all().size()};
  borders.area.reserve(std::size_t{lng.cells} * lat.cells);
  for (std::uint32_t column = 0; column < lng.cells; ++column) {
    for (std::uint32_t row = 0; row < lat.cells; ++row) {
      const std::int64_t area = locator->locate(centre(lng, column), centre(lat, row));
      borders.area.push_back(area < 0 ? Borders::kNoArea : static_cast<std::uint32_t>(area));
    }
  }
  if (std::all_of(borders.area.begin(), borders.area.end(), [](std::uint32_t a) { return a == Borders::kNoArea; })) {
    return bad_input(
        fmt::format("none of the {} areas of {} lies in the bounding box\n  Are longitude and latitude "
                    "swapped, or is it another city?",
                    areas->all().size(), path));
  }
  const Result<std::string> hash = sha256_of_file(path);
  if (!hash) return hash.error();
  std::string mark =
      fmt::format("{} area{}, sha256 {}", areas->all().size(), areas->all().size() == 1 ? "" : "s", *hash);
  return PublishBorders{std::make_shared<const Borders>(std::move(borders)), std::move(mark)};
}

}  // namespace stopover
