#include <algorithm>
#include <cstdio>

#include "base/usage_error.h"
#include "domain/degree_box.h"
#include "question/region_kind.h"

namespace stopover {
namespace {

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", x);
  return text;
}

// ---- areas on the map ----

Result<Circle> circle_of(const RegionValue& value) {
  const RegionNumbers& v = std::get<RegionNumbers>(value);
  const Circle circle{v[0], v[1], v[2]};
  if (Status s = check_circle(circle); !s) return s.error();
  return circle;
}

Result<Shape> circle_area(const RegionValue& value, const StopSite& site) {
  const Result<Circle> circle = circle_of(value);
  if (!circle) return circle.error();
  Shape shape;
  for (Ring& ring : circle_rings(*circle, site.engine().circle_points_at(site.stop(), *circle))) {
    shape.polygons.push_back({std::move(ring)});
  }
  return shape;
}

Result<DegreeBox> bbox_of(const RegionValue& value, const StopSite& site) {
  const RegionNumbers& v = std::get<RegionNumbers>(value);
  const DegreeBox box{v[0], v[1], v[2], v[3]};
  const std::string text = "bbox " + number(box.west) + "," + number(box.south) + "," + number(box.east) + "," +
                           number(box.north) + site.at_stop();
  const std::string instead = "\n  Write west, south, east, north in degrees, as in -122.45,37.74,-122.38,37.80.";
  if (!box.on_globe()) {
    const bool swapped = DegreeBox{box.south, box.west, box.north, box.east}.on_globe();
    return usage_error(text + " is not on the globe" + instead +
                       (swapped ? " Longitude comes first: these seem to be swapped." : ""));
  }
  if (box.south >= box.north || box.west >= box.east) {
    const bool flat = box.south == box.north || box.west == box.east;
    return usage_error(text +
                       (flat                    ? " is empty"
                        : box.south > box.north ? " has its south above its north"
                                                : " has its west beyond its east") +
                       instead + (box.west > box.east ? " A box over the 180th meridian must be asked in two." : ""));
  }
  return box;
}

Result<Shape> bbox_area(const RegionValue& value, const StopSite& site) {
  const Result<DegreeBox> box = bbox_of(value, site);
  if (!box) return box.error();
  return of_box(box->west, box->south, box->east, box->north);
}

// As two intervals, not as a shape: edges of cells stay edges of cells.
Status place_bbox(const RegionValue& value, StopSite& site) {
  if (site.engine().zone_axis(site.stop()) != kMaxAxes) return site.add_area(*find_region_kind("bbox"), value);
  const auto axes = site.engine().map_axes(site.stop());
  if (!axes) return axes.error();
  const Result<DegreeBox> box = bbox_of(value, site);
  if (!box) return box.error();
  bool outside = false, outside_swapped = false, clipped = false;
  for (const std::size_t axis : {axes->first, axes->second}) {
    const Axis& a = site.domain().axis(axis);
    const bool lon = a.kind == AxisKind::longitude;
    const Span side{lon ? box->west : box->south, lon ? box->east : box->north};
    const Span other{lon ? box->south : box->west, lon ? box->north : box->east};
    outside = outside || side.hi <= a.lower || side.lo >= a.upper;
    outside_swapped = outside_swapped || other.hi <= a.lower || other.lo >= a.upper;
    clipped = clipped || side.lo < a.lower - 1e-12 || side.hi > a.upper + 1e-12;
    const double from = a.locate_within(side.lo);
    site.add(axis, {from, std::max(from, a.locate_within(side.hi))});
  }
  if (outside && !outside_swapped) return site.swapped();
  if (outside) {
    site.note("the region of stop " + site.name() + " lies outside the release's box: nothing is counted there");
  } else if (clipped) {
    site.note("the bbox of stop " + site.name() + " reaches beyond the release's box, where nothing is counted");
  }
  return {};
}

Result<Shape> polygon_area(const RegionValue& value, const StopSite&) { return std::get<Shape>(value); }

Error needs_zones(const std::string& zone, const StopSite& site) {
  return usage_error("zone \"" + zone + "\"" + site.at_stop() + " needs zones\n  Give `zones FILE.geojson`.");
}

Result<Shape> zone_area(const RegionValue& value, const StopSite& site) {
  std::optional<Shape> all;
  for (const std::string& name : std::get<RegionTexts>(value)) {
    if (site.zones().empty()) return needs_zones(name, site);
    const Result<const Zone*> zone = site.zones().get(name);
    if (!zone) return zone.error();
    Result<Shape> next = all ? site.joined(*all, (*zone)->shape) : Result<Shape>((*zone)->shape);
    if (!next) return next;
    all = std::move(*next);
  }
  return std::move(*all);
}

Status place_zone(const RegionValue& value, StopSite& site) {
  const RegionTexts& names = std::get<RegionTexts>(value);
  if (site.zones().empty()) {
    for (const std::size_t axis : site.axes()) {
      if (site.domain().axis(axis).kind == AxisKind::zone) return site.add_zones(axis, names);
    }
    for (const std::size_t axis : site.axes()) {
      if (site.domain().axis(axis).labelled()) return site.add_labels(axis, names);
    }
    return needs_zones(names[0], site);
  }
  return site.add_area(*find_region_kind("zone"), value);
}

// ---- cells ----

// A whole number from 0 to `most`.
bool whole_up_to(double x, double most) {
  return x >= 0 && x <= most && x == static_cast<double>(static_cast<std::uint64_t>(x));
}

Status place_box(const RegionValue& value, StopSite& site) {
  const RegionRows& sides = std::get<RegionRows>(value);
  if (sides.size() > site.axes().size()) {
    return usage_error("box of " + std::to_string(sides.size()) + " intervals" + site.at_stop() +
                       " must have an interval for each of its axes, at most " + std::to_string(site.axes().size()) +
                       "\n  As in box:0:16,4:20, half-open cells.");
  }
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Axis& axis = site.domain().axis(site.axes()[i]);
    const double lo = sides[i][0], hi = sides[i][1];
    if (!whole_up_to(lo, axis.cells) || !whole_up_to(hi, axis.cells) || lo >= hi) {
      return usage_error("box interval " + number(lo) + ":" + number(hi) + site.at_stop() +
                         " is not LO:HI with 0 <= LO < HI <= " + std::to_string(axis.cells) +
                         "\n  Cells are half-open: 0:16 is the cells 0 to 15 of axis " + axis.name + ".");
    }
    site.add(site.axes()[i], {lo, hi});
  }
  return {};
}

Status place_cells(const RegionValue& value, StopSite& site) {
  const auto [x, y] = site.engine().plane_axes(site.stop());
  const Axis& across = site.domain().axis(x);
  const Axis* up = y == kMaxAxes ? nullptr : &site.domain().axis(y);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> list;
  std::uint32_t x1 = 0, y1 = 0, x0 = 0xffffffff, y0 = 0xffffffff;
  for (const std::vector<double>& cell : std::get<RegionRows>(value)) {
    const bool good = cell.size() == (up == nullptr ? 1 : 2) && whole_up_to(cell[0], across.cells - 1.0) &&
                      (up == nullptr || whole_up_to(cell[1], up->cells - 1.0));
    if (!good) {
      std::string text = number(cell[0]);
      for (std::size_t i = 1; i < cell.size(); ++i) text += "/" + number(cell[i]);
      return usage_error("cell " + text + site.at_stop() + " is not in the release\n  Cells are numbered from 0: " +
                         across.name + " has " + std::to_string(across.cells) +
                         (up == nullptr ? "" : ", " + up->name + " " + std::to_string(up->cells)) + ".");
    }
    const auto i = static_cast<std::uint32_t>(cell[0]);
    const std::uint32_t j = up == nullptr ? 0 : static_cast<std::uint32_t>(cell[1]);
    list.emplace_back(i, j);
    x0 = std::min(x0, i), x1 = std::max(x1, i), y0 = std::min(y0, j), y1 = std::max(y1, j);
  }
  if ((x1 - x0 + 1.0) * (y1 - y0 + 1.0) > static_cast<double>(Coverage::kMaxCells)) {
    return usage_error("the cells" + site.at_stop() +
                       " lie too far apart\n  The rectangle around them may have at most 67108864 cells.");
  }
  site.add_cells(std::move(list));
  return {};
}

// ---- parts of one axis ----

// Hours of "HH:MM" or "HH:MM:SS"; -1 when it is not one. Up to 48:00.
double hours_of(const std::string& text) {
  std::array<double, 3> parts{};
  std::size_t count = 0, digits = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9' && digits < 2) {
      parts[count] = parts[count] * 10 + (c - '0');
      ++digits;
    } else if (c == ':' && digits > 0 && count < 2) {
      ++count;
      digits = 0;
    } else {
      return -1;
    }
  }
  if (count == 0 || digits == 0 || parts[1] >= 60 || parts[2] >= 60) return -1;
  const double hours = parts[0] + parts[1] / 60 + parts[2] / 3600;
  return hours <= 48 ? hours : -1;
}

Status place_time(const RegionValue& value, StopSite& site) {
  std::size_t axis = kMaxAxes;
  for (const std::size_t a : site.axes()) {
    if (site.domain().axis(a).kind == AxisKind::time) axis = a;
  }
  if (axis == kMaxAxes)
    return usage_error("stop " + site.name() + " has no axis of time\n  This release does not say when.");
  const Axis& a = site.domain().axis(axis);
  std::vector<Span> spans;
  for (const std::string& text : std::get<RegionTexts>(value)) {
    const auto refused = [&](const char* why) {
      return usage_error("time \"" + text + "\"" + site.at_stop() + why +
                         "\n  Write HH:MM-HH:MM, as in 07:00-09:30; 22:00-02:00 goes over midnight.");
    };
    const std::size_t dash = text.find('-');
    const double from = dash == std::string::npos ? -1 : hours_of(text.substr(0, dash));
    double to = dash == std::string::npos ? -1 : hours_of(text.substr(dash + 1));
    if (from < 0 || to < 0 || from == to) return refused(" is not a time range");
    if (to < from) to += 24;
    if (to - from > 24) return refused(" is longer than a day");
    for (const double shift : {0.0, 24.0}) {
      const double lo = std::max(from - shift, a.lower), hi = std::min(to - shift, a.upper);
      if (lo < hi) spans.push_back({a.locate_within(lo), a.locate_within(hi)});
    }
  }
  if (spans.size() == 1) {
    site.add(axis, spans[0]);
    return {};
  }
  Coverage line;
  for (const Span& span : spans) line = sum(line, Coverage::of_span({span, {0, 1}}));
  site.add_line(axis, std::move(line));
  return {};
}

Status place_category(const RegionValue& value, StopSite& site) {
  const RegionTexts& wanted = std::get<RegionTexts>(value);
  std::size_t labelled = kMaxAxes;
  for (const std::size_t axis : site.axes()) {
    const std::vector<std::string>& known = site.domain().axis(axis).labels;
    if (known.empty()) continue;
    if (labelled == kMaxAxes) labelled = axis;
    if (std::find(known.begin(), known.end(), wanted.front()) != known.end()) labelled = axis;
  }
  if (labelled == kMaxAxes)
    return usage_error("stop " + site.name() + " has no categories\n  None of its axes has labels.");
  return site.add_labels(labelled, wanted);
}

Status place_range(const RegionValue& value, StopSite& site) {
  const double lo = std::get<RegionNumbers>(value)[0], hi = std::get<RegionNumbers>(value)[1];
  if (lo >= hi)
    return usage_error("range " + number(lo) + ":" + number(hi) + site.at_stop() + " is not LO:HI with LO below HI");
  std::size_t axis = kMaxAxes;
  for (const std::size_t a : site.axes()) {
    if (!site.domain().axis(a).has_ranges()) continue;
    if (axis != kMaxAxes)
      return usage_error("stop " + site.name() + " has several axes with a range\n  Use `range AXIS=LO:HI`.");
    axis = a;
  }
  if (axis == kMaxAxes)
    return usage_error("stop " + site.name() + " has no axis of numbers or time\n  Use bbox:W,S,E,N for places.");
  const Axis& a = site.domain().axis(axis);
  if (hi <= a.lower || lo >= a.upper) {
    site.note("the range of stop " + site.name() + " lies outside its axis: nothing is counted there");
  }
  site.add(axis, {a.locate_within(lo), a.locate_within(hi)});
  return {};
}

constexpr std::array kKinds = {
    RegionKind{.name = "circle",
               .typed = "LAT,LNG,KM",
               .json = "[LAT, LNG, KM]",
               .example = "37.795,-122.393,1",
               .help = "all within KM kilometres",
               .form = RegionForm::numbers,
               .names = {"lat", "lng", "km"},
               .area = circle_area},
    RegionKind{.name = "bbox",
               .typed = "W,S,E,N",
               .json = "[W, S, E, N]",
               .example = "-122.45,37.74,-122.38,37.80",
               .help = "a box in degrees",
               .form = RegionForm::numbers,
               .names = {"west", "south", "east", "north"},
               .place = place_bbox,
               .area = bbox_area},
    RegionKind{.name = "polygon",
               .typed = "LNG LAT,LNG LAT,...",
               .json = "GeoJSON",
               .example = "-122.45 37.74,-122.38 37.74,-122.4 37.80",
               .help = "an area",
               .form = RegionForm::shape,
               .inner = ' ',
               .area = polygon_area},
    RegionKind{.name = "zone",
               .typed = "NAME",
               .json = "NAME",
               .example = "Mission",
               .help = "a zone by its name, or a label of an axis",
               .form = RegionForm::texts,
               .separator = '\0',
               .lists = true,
               .place = place_zone,
               .area = zone_area},
    RegionKind{.name = "box",
               .typed = "LO:HI,LO:HI",
               .json = "[[LO, HI], ...]",
               .example = "0:16,4:20",
               .help = "half-open cells of the stop's axes, in their order",
               .form = RegionForm::rows,
               .inner = ':',
               .least = 2,
               .most = 2,
               .row = "an interval",
               .in_cells = true,
               .place = place_box},
    RegionKind{.name = "cells",
               .typed = "X/Y,...",
               .json = "[[X, Y], ...]",
               .example = "12/40,12/41",
               .help = "single cells",
               .form = RegionForm::rows,
               .inner = '/',
               .least = 1,
               .most = 2,
               .row = "a cell",
               .in_cells = true,
               .lists = true,
               .place = place_cells},
    RegionKind{.name = "time",
               .typed = "HH:MM-HH:MM",
               .json = "[\"HH:MM-HH:MM\", ...]",
               .example = "07:00-09:30",
               .help = "hours of an axis of time",
               .form = RegionForm::texts,
               .place = place_time},
    RegionKind{.name = "category",
               .typed = "LABEL",
               .json = "[LABEL, ...]",
               .example = "work,school",
               .help = "labels of an axis",
               .form = RegionForm::texts,
               .lists = true,
               .place = place_category},
    RegionKind{.name = "range",
               .typed = "LO:HI",
               .json = "[LO, HI]",
               .example = "7:9.5",
               .help = "coordinates of the stop's one axis of numbers or time",
               .form = RegionForm::numbers,
               .separator = ':',
               .names = {"lo", "hi"},
               .place = place_range},
};

}  // namespace

std::size_t RegionKind::numbers() const {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), "") - names.begin());
}

bool fits(const RegionKind& kind, const RegionValue& value) {
  if (value.index() != static_cast<std::size_t>(kind.form)) return false;
  if (const auto* numbers = std::get_if<RegionNumbers>(&value)) return numbers->size() == kind.numbers();
  if (const auto* texts = std::get_if<RegionTexts>(&value))
    return !texts->empty() && (kind.lists || kind.separator != '\0' || texts->size() == 1);
  const auto* rows = std::get_if<RegionRows>(&value);
  return rows == nullptr ||
         (!rows->empty() && std::all_of(rows->begin(), rows->end(), [&](const std::vector<double>& row) {
           return row.size() >= kind.least && row.size() <= kind.most;
         }));
}

std::span<const RegionKind> region_kinds() { return kKinds; }

const RegionKind* find_region_kind(std::string_view name) {
  for (const RegionKind& kind : kKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

std::span<const std::string> region_kind_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const RegionKind& kind : kKinds) all.emplace_back(kind.name);
    return all;
  }();
  return names;
}

std::string region_forms() {
  std::string text;
  for (const RegionKind& kind : kKinds) text.append(kind.name).append(":").append(kind.typed).append(", ");
  return text.erase(text.size() - 2) + " and anywhere";
}

}  // namespace stopover
