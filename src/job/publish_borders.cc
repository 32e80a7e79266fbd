#include "job/publish_borders.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bad_input.h"
#include "base/usage_error.h"
#include "disk/sha256.h"
#include "geo/zone_locator.h"
#include "zones/zone_file.h"

namespace stopover {
namespace {

// Longitude and latitude of the first stop that has them: all maps of a publication are one lattice.
const Stop* stop_on_map(const Domain& domain) {
  for (const Stop& stop : domain.stops()) {
    if (stop.axes.size() >= 2 && domain.axis(stop.axes[0]).kind == AxisKind::longitude &&
        domain.axis(stop.axes[1]).kind == AxisKind::latitude) {
      return &stop;
    }
  }
  return nullptr;
}

double centre(const Axis& axis, std::uint32_t cell) {
  return axis.lower + (cell + 0.5) * (axis.upper - axis.lower) / static_cast<double>(axis.cells);
}

}  // namespace

Result<PublishBorders> read_borders(const std::string& path, const Domain& domain) {
  const Stop* stop = stop_on_map(domain);
  if (stop == nullptr) {
    return usage_error(
        "`borders` needs stops on a map: `bbox` and `grid`\n"
        "  A release between zones cuts no zone; a bare matrix has no place on the globe.");
  }
  const Result<ZoneSet> areas = read_zones({.path = path, .allow_overlaps = true});
  if (!areas) return areas.error();
  const Result<ZoneLocator> locator = ZoneLocator::make(*areas);
  if (!locator) {
    return usage_error(fmt::format(
        "`borders {}` has {}, which have no borders\n  Give areas: a GeoJSON or GeoParquet file of polygons.", path,
        areas->form() == ZoneForm::points ? "points" : "names"));
  }
  const Axis &lng = domain.axis(stop->axes[0]), &lat = domain.axis(stop->axes[1]);
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
