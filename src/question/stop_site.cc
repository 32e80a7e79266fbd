#include "question/stop_site.h"

#include <algorithm>

#include "base/nearest.h"
#include "base/usage_error.h"
#include "question/region_kind.h"
#include "question/zone_shares.h"

namespace stopover {

StopSite::StopSite(const QueryEngine& engine, std::size_t stop, const Zones& zones, std::vector<std::string>& notes,
                   const Patience& patience)
    : engine_(engine), zones_(zones), notes_(notes), patience_(patience) {
  region_.stop = stop;
}

Status StopSite::place(const RegionTree& region) {
  switch (region.node) {
    case RegionTree::Node::leaf:
      return region.kind->place != nullptr ? region.kind->place(region.value, *this)
                                           : add_area(*region.kind, region.value);
    case RegionTree::Node::all_of:
      for (const RegionTree& part : region.parts) {
        if (patience_.lost()) return Patience::error();
        if (Status s = place(part); !s) return s;
      }
      return {};
    default: {
      if (Status s = has_map(); !s) return s;
      Result<Shape> joined = area(region);
      if (!joined) return joined.error();
      add(std::move(*joined));
      return check_corners("the region of stop " + name());
    }
  }
}

Result<Shape> StopSite::area(const RegionTree& region) const {
  if (region.node == RegionTree::Node::leaf) {
    if (region.kind->area == nullptr) {
      return usage_error(std::string(region.kind->name) + at_stop() +
                         " has no area on the map\n  Only areas can be joined or taken away.");
    }
    Result<Shape> shape = region.kind->area(region.value, *this);
    if (!shape) return shape;
    for (std::vector<Ring>& polygon : shape->polygons) {
      for (Ring& ring : polygon) {
        if (ring.front() != ring.back()) ring.push_back(ring.front());  // a circle's
      }
    }
    return shape;
  }
  if (region.parts.empty())
    return usage_error("anywhere" + at_stop() + " has no edge\n  Only areas can be joined or taken away.");
  std::optional<Shape> all;
  for (const RegionTree& part : region.parts) {
    if (patience_.lost()) return Patience::error();
    Result<Shape> one = area(part);
    if (!one) return one;
    Result<Shape> next = all ? combined(region.node, *all, *one) : std::move(one);
    if (!next) return next;
    all = std::move(*next);
  }
  return std::move(*all);
}

// Boost.Geometry 1.74 sometimes loses a part where areas share edges of many corners; then the sizes do not add up.
Result<Shape> StopSite::combined(RegionTree::Node node, const Shape& a, const Shape& b) const {
  Shape both = intersection(a, b);
  if (node == RegionTree::Node::all_of) return both;
  Shape made = node == RegionTree::Node::any_of ? join(a, b) : difference(a, b);
  const double shared = stopover::area(both), size = stopover::area(made), of_a = stopover::area(a),
               of_b = stopover::area(b);
  const double wanted = of_a - shared + (node == RegionTree::Node::any_of ? of_b : 0), slack = 1e-9 * (of_a + of_b);
  const bool right = size - wanted < slack && wanted - size < slack && shared < of_a + slack && shared < of_b + slack;
  // Neighbours that have no more than an edge in common need not be melted into one: drawn together they are the same.
  if (!right && node == RegionTree::Node::any_of && shared < slack) {
    Shape together = a;
    together.polygons.insert(together.polygons.end(), b.polygons.begin(), b.polygons.end());
    return together;
  }
  if (!right)
    return usage_error("areas" + at_stop() + " that share edges could not be put together\n  Ask for them one by one.");
  return made;
}

Status StopSite::add_area(const RegionKind& kind, const RegionValue& value) {
  if (Status s = has_map(); !s) return s;
  Result<Shape> shape = kind.area(value, *this);
  if (!shape) return shape.error();
  add(std::move(*shape));
  return kind.form == RegionForm::shape ? check_corners("the " + std::string(kind.name) + " of stop " + name())
                                        : Status();
}

Result<StopRegion> StopSite::finish() {
  const std::size_t zones = engine_.zone_axis(region_.stop);
  if (shape_ && shape_->empty()) {
    note("the regions of stop " + name() +
         " have no place in common: nothing is counted there (either of them is "
         "written zone:A|zone:B)");
  }
  if (shape_ && zones != kMaxAxes) {
    take_zones(zones);
  } else if (shape_) {
    if (Status s = check_swapped(); !s) return s.error();
    region_.shape = shape_->rings();
  }
  return std::move(region_);
}

void StopSite::take_zones(std::size_t axis) {
  const ZoneSet& zones = *domain().zones();
  ZoneShares shares = shares_of(zones, *shape_);
  if (shares.touched == 0) {
    note("the region of stop " + name() + (zones.form() == ZoneForm::points ? " has no zone in it" : " meets no zone") +
         ": nothing is counted there");
  } else if (shares.cut > 0) {
    note("the region of stop " + name() + " cuts " + std::to_string(shares.cut) + " of the " +
         std::to_string(shares.touched) + " zones it meets: of these it takes the share of their area");
  }
  add_line(axis, std::move(shares.line));
}

Status StopSite::has_map() const {
  if (engine_.zone_axis(region_.stop) != kMaxAxes) return {};
  const auto axes = engine_.map_axes(region_.stop);
  return axes ? Status() : Status(axes.error());
}

void StopSite::add(Shape shape) { shape_ = shape_ ? intersection(*shape_, shape) : std::move(shape); }

Status StopSite::check_corners(const std::string& what) const {
  // A cut of two areas may have more corners than either.
  constexpr std::size_t kMore = 1000;
  return corners_of(*shape_) > patience_.corners + kMore ? Status(patience_.too_many_corners(what)) : Status();
}

void StopSite::add(std::size_t axis, Span span) {
  const auto [at, fresh] = region_.spans.emplace(axis, span);
  if (fresh) return;
  at->second = {std::max(at->second.lo, span.lo), std::min(at->second.hi, span.hi)};
}

void StopSite::add_line(std::size_t axis, Coverage line) {
  const auto at = region_.lines.find(axis);
  if (at == region_.lines.end()) {
    region_.lines.emplace(axis, std::move(line));
  } else {
    at->second = product(at->second, line);
  }
}

void StopSite::add_cells(std::vector<std::pair<std::uint32_t, std::uint32_t>> cells) {
  if (!region_.cells) {
    region_.cells = std::move(cells);
    return;
  }
  std::sort(cells.begin(), cells.end());
  std::erase_if(*region_.cells,
                [&](const auto& cell) { return !std::binary_search(cells.begin(), cells.end(), cell); });
}

Result<Interval> StopSite::cells_of_zone(std::size_t axis, const std::string& zone) const {
  const ZoneSet* zones = domain().zones();
  const std::vector<std::string>& labels = domain().axis(axis).labels;
  if (const auto at = std::find(labels.begin(), labels.end(), zone); zones == nullptr && at != labels.end()) {
    const auto number = static_cast<std::uint32_t>(at - labels.begin());
    return Interval{number, number + 1};
  }
  if (const std::int64_t at = zones == nullptr ? -1 : zones->find(zone); at >= 0) {
    return Interval{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at) + 1};
  }
  const Interval group = zones == nullptr ? Interval{0, 0} : zones->find_group(zone);
  if (group.width() > 0) return group;
  std::vector<std::string> known = zones == nullptr ? labels : zones->ids();
  for (std::size_t level = 0; zones != nullptr && level < zones->levels().size(); ++level) {
    for (const ZoneSet::Group& one : zones->groups(level)) known.push_back(one.name);
  }
  return usage_error("zone \"" + zone + "\"" + at_stop() + " is not one of the release's\n  Its zones are " +
                     list_names(known) + "." + did_you_mean(zone, known));
}

Status StopSite::add_zones(std::size_t axis, const std::vector<std::string>& names) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cells;
  for (const std::string& name : names) {
    const Result<Interval> found = cells_of_zone(axis, name);
    if (!found) return found.error();
    if (names.size() == 1) {
      add(axis, {static_cast<double>(found->lo), static_cast<double>(found->hi)});
      return {};
    }
    for (std::uint32_t cell = found->lo; cell < found->hi; ++cell) cells.emplace_back(cell, 0);
  }
  add_line(axis, Coverage::of_cells(cells));
  return {};
}

Status StopSite::add_labels(std::size_t axis, const std::vector<std::string>& labels) {
  const std::vector<std::string>& known = domain().axis(axis).labels;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> list;
  for (const std::string& label : labels) {
    const auto at = std::find(known.begin(), known.end(), label);
    if (at == known.end()) {
      return usage_error("axis " + domain().axis(axis).name + at_stop() + " has no label \"" + label +
                         "\"\n  Its labels are " + list_names(known) + "." + did_you_mean(label, known));
    }
    list.emplace_back(static_cast<std::uint32_t>(at - known.begin()), 0);
  }
  if (list.size() == 1) {
    add(axis, {static_cast<double>(list[0].first), list[0].first + 1.0});
  } else {
    add_line(axis, Coverage::of_cells(list));
  }
  return {};
}

// Fails (usage) for a shape that misses the box, but would not if its coordinates were swapped.
Status StopSite::check_swapped() const {
  const auto axes = engine_.map_axes(region_.stop);
  if (!axes || shape_->empty()) return {};
  double w = 1e9, s = 1e9, e = -1e9, n = -1e9;
  for (const auto& polygon : shape_->polygons) {
    for (const PlanePoint& p : polygon[0]) {
      w = std::min(w, p.x), e = std::max(e, p.x), s = std::min(s, p.y), n = std::max(n, p.y);
    }
  }
  const auto meets = [&](double lon0, double lon1, double lat0, double lat1) {
    bool both = true;
    for (const std::size_t axis : {axes->first, axes->second}) {
      const Axis& a = domain().axis(axis);
      const bool lon = a.kind == AxisKind::longitude;
      both = both && (lon ? lon1 : lat1) > a.lower && (lon ? lon0 : lat0) < a.upper;
    }
    return both;
  };
  if (!meets(w, e, s, n) && meets(s, n, w, e)) return swapped();
  return {};
}

Error StopSite::swapped() const {
  return usage_error("the region of stop " + name() +
                     " lies outside the release's box, but inside with latitude and longitude swapped\n  A circle has "
                     "its latitude first, circle:LAT,LNG,KM; all else has longitude first, bbox:W,S,E,N.");
}

Result<std::size_t> stop_of(const Domain& domain, std::string_view name) {
  if (const int found = domain.find_stop(name); found >= 0) return static_cast<std::size_t>(found);
  std::vector<std::string> names;
  for (const Stop& stop : domain.stops()) names.push_back(stop.name);
  return usage_error("there is no stop \"" + std::string(name) + "\"\n  The stops are " + list_names(names) + "." +
                     did_you_mean(name, names));
}

}  // namespace stopover
