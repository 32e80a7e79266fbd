#include "query/query_engine.h"

#include <algorithm>

#include "base/usage_error.h"

namespace stopover {
namespace {

double area_of(std::span<const Ring> rings) {
  double sum = 0;
  for (const Ring& ring : rings) sum += doubled_area(ring);
  return sum / 2;
}

std::string percent(double share) {
  const auto tenths = static_cast<std::uint64_t>(share * 1000 + 0.5);
  if (tenths == 0) return "less than 0.1 %";
  return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10)) + " %";
}

Ring turned(const Ring& ring) {
  Ring other;
  other.reserve(ring.size());
  for (auto p = ring.rbegin(); p != ring.rend(); ++p) other.push_back({p->y, p->x});
  return other;
}

// Every pair of cells, with the product of the two weights.
Coverage outer(const Coverage& x, const Coverage& y) {
  Coverage both;
  both.x = x.x;
  both.y = y.x;
  for (const double a : x.weights) {
    for (const double b : y.weights) both.weights.push_back(a * b);
  }
  return both;
}

}  // namespace

QueryEngine::QueryEngine(const Release& release, BoxIndex index)
    : domain_(release.domain),
      index_(std::move(index)),
      randomness_(release.randomness),
      unit_(release.unit),
      leans_(std::any_of(release.params.begin(), release.params.end(),
                         [](const auto& param) { return param.first == "history" || param.first == "prior"; })),
      rate_(release.rate(release.epsilon)) {}

Result<QueryEngine> QueryEngine::make(const Release& release, const Together& together) {
  Result<BoxIndex> index = BoxIndex::make(release, together);
  if (!index) return index.error();
  return QueryEngine(release, std::move(*index));
}

Result<std::pair<std::size_t, std::size_t>> QueryEngine::map_axes(std::size_t stop) const {
  std::size_t lon = kMaxAxes, lat = kMaxAxes;
  for (const std::size_t axis : domain_.stops()[stop].axes) {
    if (domain_.axis(axis).kind == AxisKind::longitude && lon == kMaxAxes) lon = axis;
    if (domain_.axis(axis).kind == AxisKind::latitude && lat == kMaxAxes) lat = axis;
  }
  if (lon == kMaxAxes || lat == kMaxAxes) {
    const std::vector<std::size_t>& axes = domain_.stops()[stop].axes;
    if (std::any_of(axes.begin(), axes.end(), [&](std::size_t a) { return domain_.axis(a).kind == AxisKind::zone; })) {
      return usage_error("stop " + domain_.stops()[stop].name +
                         " has zones that are names alone, which lie nowhere\n  Ask for them by name, as in zone:" +
                         (*domain_.zones())[0].id + ".");
    }
    return usage_error(
        "stop " + domain_.stops()[stop].name +
        " has no longitude and latitude\n  This release counts bare cells there: ask by cells, as in box:0:16,4:20.");
  }
  return std::pair{std::min(lon, lat), std::max(lon, lat)};
}

std::size_t QueryEngine::zone_axis(std::size_t stop) const {
  if (domain_.zones() == nullptr || !domain_.zones()->has_places()) return kMaxAxes;
  for (const std::size_t axis : domain_.stops()[stop].axes) {
    if (domain_.axis(axis).kind == AxisKind::zone) return axis;
  }
  return kMaxAxes;
}

std::pair<std::size_t, std::size_t> QueryEngine::plane_axes(std::size_t stop) const {
  if (const auto axes = map_axes(stop)) return *axes;
  const std::vector<std::size_t>& axes = domain_.stops()[stop].axes;
  return {axes[0], axes.size() > 1 ? axes[1] : kMaxAxes};
}

double QueryEngine::degrees_per_cell(std::size_t axis) const {
  const Axis& a = domain_.axis(axis);
  return (a.upper - a.lower) / a.cells;
}

std::size_t QueryEngine::circle_points_at(std::size_t stop, const Circle& circle) const {
  constexpr double kZoneCell = 1e-4;  // degrees: zones have no cells; this draws circles to a centimetre
  if (zone_axis(stop) != kMaxAxes) return circle_points(circle, kZoneCell);
  const auto [x, y] = *map_axes(stop);
  return circle_points(circle, std::min(degrees_per_cell(x), degrees_per_cell(y)));
}

std::vector<Ring> QueryEngine::to_cells(std::size_t stop, std::span<const Ring> degrees) const {
  const auto [x, y] = *map_axes(stop);
  const bool lon_first = domain_.axis(x).kind == AxisKind::longitude;
  const std::size_t lon = lon_first ? x : y, lat = lon_first ? y : x;
  const Axis &east = domain_.axis(lon), &north = domain_.axis(lat);
  const double per_degree = east.cells / (east.upper - east.lower);
  std::vector<Ring> rings;
  for (const Ring& ring : degrees) {
    Ring cells(ring.size());
    double least = 0, most = 0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      cells[i] = {east.locate(ring[i].x), north.locate(ring[i].y)};
      least = i == 0 ? cells[i].x : std::min(least, cells[i].x);
      most = i == 0 ? cells[i].x : std::max(most, cells[i].x);
    }
    for (const double shift : {-360.0, 0.0, 360.0}) {
      const double by = shift * per_degree;
      if (most + by <= 0 || least + by >= east.cells) continue;
      Ring copy = cells;
      for (PlanePoint& p : copy) p.x += by;
      rings.push_back(lon_first ? std::move(copy) : turned(copy));
    }
  }
  return rings;
}

Status QueryEngine::add(const StopRegion& region, Asked& asked) const {
  const std::string& name = domain_.stops()[region.stop].name;
  BoxQuery& box = asked.query.box;
  for (const auto& [axis, span] : region.spans) {
    box.lo[axis] = std::max(box.lo[axis], span.lo);
    box.hi[axis] = std::min(box.hi[axis], span.hi);
  }
  const auto whole = [&](std::size_t axis) { return Span{0, static_cast<double>(domain_.axis(axis).cells)}; };
  const auto take = [&](std::size_t axis) {
    if (axis == kMaxAxes) return Span{0, 1};
    const Span span{box.lo[axis], std::max(box.lo[axis], box.hi[axis])};
    box.lo[axis] = 0;
    box.hi[axis] = whole(axis).hi;
    return span;
  };
  const auto nothing = [&] {
    const std::size_t axis = domain_.stops()[region.stop].axes[0];
    box.hi[axis] = box.lo[axis];
  };
  const auto [px, py] = plane_axes(region.stop);
  std::optional<Coverage> plane;
  if (region.shape) {
    if (const auto axes = map_axes(region.stop); !axes) return axes.error();
    if (region.shape->empty()) {
      nothing();
      return {};
    }
    const std::vector<Ring> rings = to_cells(region.stop, *region.shape);
    const double all = area_of(*region.shape) / (degrees_per_cell(px) * degrees_per_cell(py));
    const PlaneSpan grid{whole(px), whole(py)};
    std::vector<Ring> in_grid;
    for (const Ring& ring : rings) in_grid.push_back(clipped(ring, grid));
    const double kept = area_of(in_grid);
    if (!(kept > 1e-12 * all) || kept <= 0) {
      asked.notes.push_back("the region of stop " + name + " lies outside the release's box: nothing is counted there");
      nothing();
      return {};
    }
    if (kept < all * (1 - 1e-9)) {
      asked.notes.push_back("the region of stop " + name + " reaches beyond the release's box: " +
                            percent(1 - kept / all) + " of its area is cut off");
    }
    const PlaneSpan within{take(px), take(py)};
    if (Coverage::cells_of(in_grid, within) > Coverage::kMaxCells) {
      return usage_error("the region of stop " + name + " spans " +
                         std::to_string(Coverage::cells_of(in_grid, within)) +
                         " cells\n  At most 67108864 are drawn; ask for a smaller region, or a bbox.");
    }
    plane = Coverage::of_rings(in_grid, within);
  }
  if (region.cells) {
    const Coverage listed = Coverage::of_cells(*region.cells);
    if (plane) {
      plane = product(*plane, listed);
    } else {
      plane = product(listed, Coverage::of_span({take(px), take(py)}));
    }
  }
  std::map<std::size_t, Coverage> lines = region.lines;
  if (index_.maps() != nullptr) {
    // A map's axes go together: a part of one of them becomes a region of both.
    for (std::size_t m = 0; m < index_.maps()->size(); ++m) {
      const auto [x, y] = index_.maps()->axes(m);
      if (y == kMaxAxes || (!lines.contains(x) && !lines.contains(y))) continue;
      const auto of = [&](std::size_t axis) {
        return lines.contains(axis) ? lines[axis] : Coverage::of_span({whole(axis), {0, 1}});
      };
      const Coverage both = outer(of(x), of(y));
      plane = product(plane ? *plane : Coverage::of_span({take(x), take(y)}), both);
      lines.erase(x);
      lines.erase(y);
    }
  }
  if (plane) {
    if (plane->empty() || plane->area() <= 0) {
      nothing();
      return {};
    }
    if (Status s = check_plane(region.stop, px, py); !s) return s;
    asked.query.add(make_plane(index_, px, py, *plane));
  }
  for (const auto& [axis, line] : lines) {
    if (plane && (axis == px || axis == py)) {
      return usage_error("stop " + name + " has both a region and a part of axis " + domain_.axis(axis).name +
                         "\n  Ask for one of the two.");
    }
    const Coverage covered = product(line, Coverage::of_span({take(axis), {0, 1}}));
    if (covered.area() <= 0) {
      nothing();
      return {};
    }
    if (Status s = check_plane(region.stop, axis, kMaxAxes); !s) return s;
    asked.query.add(make_plane(index_, axis, kMaxAxes, covered));
  }
  return {};
}

Status QueryEngine::check_plane(std::size_t stop, std::size_t x, std::size_t y) const {
  if (index_.maps() == nullptr || index_.maps()->find(x, y) != kMaxAxes) return {};
  return usage_error(
      "stop " + domain_.stops()[stop].name +
      " has no map of its own in this release\n"
      "  Ask for boxes; for tables and lists of cells name the stops when publishing: `stops origin,destination`.");
}

Result<Asked> QueryEngine::ask(const BoxQuery& box, std::span<const StopRegion> regions) const {
  Asked asked{RegionQuery::of(box), {}};
  for (const StopRegion& region : regions) {
    if (Status s = add(region, asked); !s) return s.error();
  }
  return asked;
}

}  // namespace stopover
