#include "question/region.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "question/geojson.h"
#include "question/nearest.h"
#include "question/region_text.h"

namespace stopover {
namespace {

Error usage(std::string message) { return {Failure::usage, std::move(message)}; }

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", x);
  return text;
}

// Exactly n finite numbers.
std::optional<std::vector<double>> numbers_of(const Json& node, std::size_t n) {
  if (!node.is_array() || node.size() != n) return std::nullopt;
  std::vector<double> values;
  for (const Json& v : node) {
    if (!v.is_number() || !is_finite(v.get<double>())) return std::nullopt;
    values.push_back(v.get<double>());
  }
  return values;
}

// A text or a list of texts.
std::optional<std::vector<std::string>> texts_of(const Json& node) {
  if (node.is_string()) return std::vector{text_of(&node)};
  if (!node.is_array() || node.empty()) return std::nullopt;
  std::vector<std::string> texts;
  for (const Json& t : node) {
    if (!t.is_string()) return std::nullopt;
    texts.push_back(text_of(&t));
  }
  return texts;
}

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

// Collects what is asked of one stop.
class StopReader {
 public:
  StopReader(const QueryEngine& engine, std::size_t stop, const Zones& zones, std::vector<std::string>& notes, const Patience& patience)
      : engine_(engine), domain_(engine.domain()), zones_(zones), notes_(notes), patience_(patience) {
    region_.stop = stop;
  }

  Status read(const Json& node, int depth = 0) {
    if (node.is_string()) {
      const Result<Json> typed = region_of_text(text_of(&node));
      if (!typed) return typed.error();
      return read(*typed, depth + 1);
    }
    if (node.is_array() && depth == 0) {
      for (const Json& part : node) {
        if (patience_.lost()) return Patience::error();
        if (Status s = read(part, depth + 1); !s) return s;
      }
      return {};
    }
    if (!node.is_object()) {
      return usage("stop " + name() + " has " + shown(node) + " for a region\n  Write {\"circle\": [LAT, LON, KM]} or a text such as "
                   "\"circle:37.795,-122.393,1\".");
    }
    for (const auto& [key, value] : node.items()) {
      if (Status s = read_member(key, value); !s) return s;
    }
    return {};
  }

  Result<StopRegion> finish() {
    if (shape_) {
      hint_at_swapped();
      region_.shape = shape_->rings();
    }
    return std::move(region_);
  }

 private:
  const std::string& name() const { return domain_.stops()[region_.stop].name; }
  std::string at_stop() const { return " (stop " + name() + ")"; }

  Status read_member(const std::string& key, const Json& value) {
    if (key == "circle") return circle(value);
    if (key == "bbox") return bbox(value);
    if (key == "polygon") return polygon(value);
    if (key == "zone") return zone(value);
    if (key == "box") return box(value);
    if (key == "cells") return cells(value);
    if (key == "time") return time(value);
    if (key == "category") return category(value);
    if (key == "range") return range(value);
    static const std::vector<std::string> known = {"circle", "bbox", "polygon",  "zone", "box",
                                                   "cells",  "time", "category", "range"};
    return usage("there is no kind of region \"" + key + "\"" + at_stop() + "\n  Known are " + list_names(known) + "." +
                 did_you_mean(key, known));
  }

  Status has_map() const {
    const auto axes = engine_.map_axes(region_.stop);
    return axes ? Status() : Status(axes.error());
  }

  Error too_many_corners(const std::string& what) const {
    return usage(what + " has too many corners\n  At most " + std::to_string(patience_.corners) + " here: simplify it.");
  }

  void add(Shape shape) { shape_ = shape_ ? intersection(*shape_, shape) : std::move(shape); }

  void add(std::size_t axis, Span span) {
    const auto [at, fresh] = region_.spans.emplace(axis, span);
    if (fresh) return;
    at->second = {std::max(at->second.lo, span.lo), std::min(at->second.hi, span.hi)};
  }

  void add_line(std::size_t axis, Coverage line) {
    const auto at = region_.lines.find(axis);
    if (at == region_.lines.end()) {
      region_.lines.emplace(axis, std::move(line));
    } else {
      at->second = product(at->second, line);
    }
  }

  Status circle(const Json& value) {
    if (Status s = has_map(); !s) return s;
    const auto v = numbers_of(value, 3);
    if (!v) return usage("circle " + shown(value) + at_stop() + " is not [LAT, LON, KM]\n  As in [37.795, -122.393, 1].");
    const Circle c{(*v)[0], (*v)[1], (*v)[2]};
    if (Status s = check_circle(c); !s) return s;
    Shape shape;
    for (Ring& ring : circle_rings(c, engine_.circle_points_at(region_.stop, c))) {
      shape.polygons.push_back({std::move(ring)});
    }
    add(std::move(shape));
    return {};
  }

  Status bbox(const Json& value) {
    const auto axes = engine_.map_axes(region_.stop);
    if (!axes) return axes.error();
    const auto v = numbers_of(value, 4);
    const std::string instead = "\n  Write west, south, east, north in degrees, as in -122.45,37.74,-122.38,37.80.";
    if (!v) return usage("bbox " + shown(value) + at_stop() + " is not [W, S, E, N]" + instead);
    const auto [west, south, east, north] = std::array{(*v)[0], (*v)[1], (*v)[2], (*v)[3]};
    const std::string text = "bbox " + number(west) + "," + number(south) + "," + number(east) + "," + number(north) + at_stop();
    if (!(west >= -180 && east <= 180 && south >= -90 && north <= 90)) {
      const bool swapped = west >= -90 && east <= 90 && south >= -180 && north <= 180;
      return usage(text + " is not on the globe" + instead + (swapped ? " Longitude comes first: these seem to be swapped." : ""));
    }
    if (south >= north || west >= east) {
      return usage(text + (south == north || west == east ? " is empty" : south > north ? " has its south above its north" : " has its west beyond its east") +
                   instead + (west > east ? " A box over the 180th meridian must be asked in two." : ""));
    }
    bool outside = false, clipped = false;
    for (const std::size_t axis : {axes->first, axes->second}) {
      const Axis& a = domain_.axis(axis);
      const bool lon = a.kind == AxisKind::longitude;
      const double lo = lon ? west : south, hi = lon ? east : north;
      outside = outside || hi <= a.lower || lo >= a.upper;
      clipped = clipped || lo < a.lower - 1e-12 || hi > a.upper + 1e-12;
      const double from = cell_of(a, lo);
      add(axis, {from, std::max(from, cell_of(a, hi))});
    }
    if (outside) {
      const auto meets = [&](AxisKind kind, double lo, double hi) {
        for (const std::size_t axis : {axes->first, axes->second}) {
          const Axis& a = domain_.axis(axis);
          if (a.kind == kind) return hi > a.lower && lo < a.upper;
        }
        return false;
      };
      const bool swapped = meets(AxisKind::longitude, south, north) && meets(AxisKind::latitude, west, east);
      notes_.push_back("the region of stop " + name() + " lies outside the release's box: nothing is counted there" +
                       (swapped ? kSwapped : ""));
    } else if (clipped) {
      notes_.push_back("the bbox of stop " + name() + " reaches beyond the release's box, where nothing is counted");
    }
    return {};
  }

  // As parse_range does: within the axis, and a cell's edge within 1e-9 of it.
  static double cell_of(const Axis& axis, double coordinate) {
    const double cell = (coordinate - axis.lower) / (axis.upper - axis.lower) * axis.cells;
    if (cell <= 0) return 0;
    if (cell >= axis.cells) return axis.cells;
    const double near = static_cast<double>(static_cast<std::uint64_t>(cell + 0.5));
    const double gap = cell - near;
    return gap < 1e-9 && gap > -1e-9 ? near : cell;
  }

  Status polygon(const Json& value) {
    if (Status s = has_map(); !s) return s;
    const std::string what = "the polygon of stop " + name();
    if (corners_of(value) > patience_.corners) return too_many_corners(what);
    Result<Shape> shape = shape_of_json(value, what);
    if (!shape) return shape.error();
    add(std::move(*shape));
    std::size_t corners = 0;
    for (const std::vector<Ring>& polygon : shape_->polygons) {
      for (const Ring& ring : polygon) corners += ring.size();
    }
    return corners > patience_.corners + 1000 ? Status(too_many_corners(what)) : Status();
  }

  Status zone(const Json& value) {
    const std::string text = value.is_number() ? value.dump() : text_of(&value);
    if (text.empty()) return usage("zone " + shown(value) + at_stop() + " is no name");
    if (zones_.empty()) {
      for (const std::size_t axis : domain_.stops()[region_.stop].axes) {
        if (!domain_.axis(axis).labels.empty()) return labels(axis, {text});
      }
      return usage("zone \"" + text + "\"" + at_stop() + " needs zones\n  Give --zones FILE.geojson, or \"zones\" in the question.");
    }
    if (Status s = has_map(); !s) return s;
    const Result<const Zone*> found = zones_.get(text);
    if (!found) return found.error();
    add((*found)->shape);
    return {};
  }

  // A cell number below `cells`.
  static bool whole_below(const Json& v, double cells) {
    if (!v.is_number()) return false;
    const double x = v.get<double>();
    return x >= 0 && x <= cells && x == static_cast<double>(static_cast<std::uint64_t>(x));
  }

  Status box(const Json& value) {
    const std::vector<std::size_t>& axes = domain_.stops()[region_.stop].axes;
    if (!value.is_array() || value.empty() || value.size() > axes.size()) {
      return usage("box " + shown(value) + at_stop() + " must have an interval for each of its axes, at most " +
                   std::to_string(axes.size()) + "\n  As in box:0:16,4:20, half-open cells.");
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Axis& axis = domain_.axis(axes[i]);
      const Json& pair = value[i];
      const bool good = pair.is_array() && pair.size() == 2 && whole_below(pair[0], axis.cells) &&
                        whole_below(pair[1], axis.cells) && pair[0].get<double>() < pair[1].get<double>();
      if (!good) {
        return usage("box interval " + shown(pair) + at_stop() + " is not LO:HI with 0 <= LO < HI <= " +
                     std::to_string(axis.cells) + "\n  Cells are half-open: 0:16 is the cells 0 to 15 of axis " + axis.name + ".");
      }
      add(axes[i], {pair[0].get<double>(), pair[1].get<double>()});
    }
    return {};
  }

  Status cells(const Json& value) {
    const auto [x, y] = engine_.plane_axes(region_.stop);
    const std::size_t each = y == kMaxAxes ? 1 : 2;
    if (!value.is_array() || value.empty()) {
      return usage("cells " + shown(value) + at_stop() + " is no list\n  As in cells:12/40,12/41.");
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> list;
    std::uint32_t x1 = 0, y1 = 0, x0 = 0xffffffff, y0 = 0xffffffff;
    for (const Json& cell : value) {
      const bool bare = each == 1 && cell.is_number();
      const bool good = bare ? whole_below(cell, domain_.axis(x).cells - 1.0)
                             : cell.is_array() && cell.size() == each && whole_below(cell[0], domain_.axis(x).cells - 1.0) &&
                                   (each == 1 || whole_below(cell[1], domain_.axis(y).cells - 1.0));
      if (!good) {
        return usage("cell " + shown(cell) + at_stop() + " is not in the release\n  Cells are numbered from 0: " + domain_.axis(x).name +
                     " has " + std::to_string(domain_.axis(x).cells) +
                     (each == 2 ? ", " + domain_.axis(y).name + " " + std::to_string(domain_.axis(y).cells) : "") + ".");
      }
      const auto i = static_cast<std::uint32_t>((bare ? cell : cell[0]).get<double>());
      const std::uint32_t j = each == 2 ? static_cast<std::uint32_t>(cell[1].get<double>()) : 0;
      list.emplace_back(i, j);
      x0 = std::min(x0, i), x1 = std::max(x1, i), y0 = std::min(y0, j), y1 = std::max(y1, j);
    }
    if ((x1 - x0 + 1.0) * (y1 - y0 + 1.0) > static_cast<double>(Coverage::kMaxCells)) {
      return usage("the cells" + at_stop() + " lie too far apart\n  The rectangle around them may have at most 67108864 cells.");
    }
    if (!region_.cells) {
      region_.cells = std::move(list);
      return {};
    }
    std::sort(list.begin(), list.end());
    std::erase_if(*region_.cells, [&](const auto& cell) { return !std::binary_search(list.begin(), list.end(), cell); });
    return {};
  }

  Status time(const Json& value) {
    const auto ranges = texts_of(value);
    const std::string instead = "\n  Write HH:MM-HH:MM, as in 07:00-09:30; 22:00-02:00 goes over midnight.";
    if (!ranges) return usage("time " + shown(value) + at_stop() + " is no time" + instead);
    std::size_t axis = kMaxAxes;
    for (const std::size_t a : domain_.stops()[region_.stop].axes) {
      if (domain_.axis(a).kind == AxisKind::time) axis = a;
    }
    if (axis == kMaxAxes) return usage("stop " + name() + " has no axis of time\n  This release does not say when.");
    const Axis& a = domain_.axis(axis);
    Coverage line;
    std::vector<Span> spans;
    for (const std::string& text : *ranges) {
      const std::size_t dash = text.find('-');
      double from = dash == std::string::npos ? -1 : hours_of(text.substr(0, dash));
      double to = dash == std::string::npos ? -1 : hours_of(text.substr(dash + 1));
      if (from < 0 || to < 0 || from == to) return usage("time \"" + text + "\"" + at_stop() + " is no time range" + instead);
      if (to < from) to += 24;
      if (to - from > 24) return usage("time \"" + text + "\"" + at_stop() + " is longer than a day" + instead);
      for (const double shift : {0.0, 24.0}) {
        const double lo = std::max(from - shift, a.lower), hi = std::min(to - shift, a.upper);
        if (lo < hi) spans.push_back({cell_of(a, lo), cell_of(a, hi)});
      }
    }
    if (spans.size() == 1) {
      add(axis, spans[0]);
      return {};
    }
    for (const Span& span : spans) line = sum(line, Coverage::of_span({span, {0, 1}}));
    add_line(axis, std::move(line));
    return {};
  }

  Status labels(std::size_t axis, const std::vector<std::string>& wanted) {
    const std::vector<std::string>& known = domain_.axis(axis).labels;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> list;
    for (const std::string& label : wanted) {
      const auto at = std::find(known.begin(), known.end(), label);
      if (at == known.end()) {
        return usage("axis " + domain_.axis(axis).name + at_stop() + " has no label \"" + label + "\"\n  Its labels are " +
                     list_names(known) + "." + did_you_mean(label, known));
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

  Status category(const Json& value) {
    const auto wanted = texts_of(value);
    if (!wanted) return usage("category " + shown(value) + at_stop() + " is no label\n  As in category:work,school.");
    std::size_t labelled = kMaxAxes;
    for (const std::size_t axis : domain_.stops()[region_.stop].axes) {
      const std::vector<std::string>& known = domain_.axis(axis).labels;
      if (known.empty()) continue;
      if (labelled == kMaxAxes) labelled = axis;
      if (std::find(known.begin(), known.end(), wanted->front()) != known.end()) labelled = axis;
    }
    if (labelled == kMaxAxes) return usage("stop " + name() + " has no categories\n  None of its axes has labels.");
    return labels(labelled, *wanted);
  }

  Status range(const Json& value) {
    const auto v = numbers_of(value, 2);
    if (!v || (*v)[0] >= (*v)[1]) return usage("range " + shown(value) + at_stop() + " is not LO:HI with LO below HI");
    std::size_t axis = kMaxAxes;
    for (const std::size_t a : domain_.stops()[region_.stop].axes) {
      const AxisKind kind = domain_.axis(a).kind;
      if (kind != AxisKind::number && kind != AxisKind::time) continue;
      if (axis != kMaxAxes) return usage("stop " + name() + " has several axes with a range\n  Use --range AXIS=LO:HI.");
      axis = a;
    }
    if (axis == kMaxAxes) return usage("stop " + name() + " has no axis of numbers or time\n  Use bbox:W,S,E,N for places.");
    const Axis& a = domain_.axis(axis);
    if ((*v)[1] <= a.lower || (*v)[0] >= a.upper) {
      notes_.push_back("the range of stop " + name() + " lies outside its axis: nothing is counted there");
    }
    add(axis, {cell_of(a, (*v)[0]), cell_of(a, (*v)[1])});
    return {};
  }

  // A shape that misses the box, but would not if its coordinates were swapped.
  void hint_at_swapped() {
    const auto axes = engine_.map_axes(region_.stop);
    if (!axes || shape_->empty()) return;
    double w = 1e9, s = 1e9, e = -1e9, n = -1e9;
    for (const auto& polygon : shape_->polygons) {
      for (const PlanePoint& p : polygon[0]) {
        w = std::min(w, p.x), e = std::max(e, p.x), s = std::min(s, p.y), n = std::max(n, p.y);
      }
    }
    const auto meets = [&](double lon0, double lon1, double lat0, double lat1) {
      bool both = true;
      for (const std::size_t axis : {axes->first, axes->second}) {
        const Axis& a = domain_.axis(axis);
        const bool lon = a.kind == AxisKind::longitude;
        both = both && (lon ? lon1 : lat1) > a.lower && (lon ? lon0 : lat0) < a.upper;
      }
      return both;
    };
    if (!meets(w, e, s, n) && meets(s, n, w, e)) {
      notes_.push_back("the region of stop " + name() + " would lie in the release's box with latitude and longitude swapped");
    }
  }

  static constexpr const char* kSwapped = " (with latitude and longitude swapped it would lie inside)";

  const QueryEngine& engine_;
  const Domain& domain_;
  const Zones& zones_;
  std::vector<std::string>& notes_;
  const Patience& patience_;
  StopRegion region_;
  std::optional<Shape> shape_;
};

}  // namespace

Result<std::size_t> stop_of(const Domain& domain, std::string_view name) {
  if (const int found = domain.find_stop(name); found >= 0) return static_cast<std::size_t>(found);
  std::vector<std::string> names;
  for (const Stop& stop : domain.stops()) names.push_back(stop.name);
  return usage("there is no stop \"" + std::string(name) + "\"\n  The stops are " + list_names(names) + "." +
               did_you_mean(name, names));
}

Result<StopRegion> region_of(const QueryEngine& engine, std::size_t stop, const Json& region, const Zones& zones,
                             std::vector<std::string>& notes, const Patience& patience) {
  StopReader reader(engine, stop, zones, notes, patience);
  if (Status s = reader.read(region); !s) return s.error();
  return reader.finish();
}

Result<std::vector<StopRegion>> regions_of(const QueryEngine& engine, const Json& where, const Zones& zones,
                                           std::vector<std::string>& notes, const Patience& patience) {
  std::vector<StopRegion> regions;
  if (where.is_null()) return regions;
  if (!where.is_object()) return usage("\"where\" is " + kind_of(where) + "\n  Write {\"STOP\": region, ...}.");
  for (const auto& [name, region] : where.items()) {
    const Result<std::size_t> stop = stop_of(engine.domain(), name);
    if (!stop) return stop.error();
    if (region.is_null()) continue;
    Result<StopRegion> one = region_of(engine, *stop, region, zones, notes, patience);
    if (!one) return one.error();
    regions.push_back(std::move(*one));
  }
  return regions;
}

}  // namespace stopover
