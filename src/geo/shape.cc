#include "geo/shape.h"

#include <algorithm>
#include <cstdio>
#include <vector>
// Boost 1.74: std::unary_function, which libc++ no longer has, and enumerators beyond their enumeration.
#if defined(_LIBCPP_VERSION) && !defined(BOOST_NO_CXX98_FUNCTION_BASE)
#define BOOST_NO_CXX98_FUNCTION_BASE
#endif
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wenum-constexpr-conversion"
#endif
#include <boost/geometry/algorithms/area.hpp>
#include <boost/geometry/algorithms/correct.hpp>
#include <boost/geometry/algorithms/difference.hpp>
#include <boost/geometry/algorithms/intersection.hpp>
#include <boost/geometry/algorithms/is_valid.hpp>
#include <boost/geometry/algorithms/remove_spikes.hpp>
#include <boost/geometry/algorithms/union.hpp>
#include <boost/geometry/algorithms/unique.hpp>
#include <boost/geometry/geometries/multi_polygon.hpp>
#include <boost/geometry/geometries/point_xy.hpp>
#include <boost/geometry/geometries/polygon.hpp>
#include <boost/geometry/strategies/strategies.hpp>
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#include "base/check.h"

#ifdef BOOST_NO_EXCEPTIONS
namespace boost {
BOOST_NORETURN void throw_exception(const std::exception&) {
  stopover::check_failed(__FILE__, __LINE__, "Boost.Geometry met a shape that was not checked");
}
BOOST_NORETURN void throw_exception(const std::exception& e, const boost::source_location&) { throw_exception(e); }
}  // namespace boost
#endif

namespace stopover {
namespace {

namespace bg = boost::geometry;
using Point = bg::model::d2::point_xy<double>;
using Polygon = bg::model::polygon<Point, false, true>;  // counterclockwise, closed
using Polygons = bg::model::multi_polygon<Polygon>;

template <typename Out>
void fill(Out& out, const Ring& ring) {
  for (const PlanePoint& p : ring) out.emplace_back(p.x, p.y);
}

Polygons to_boost(const Shape& shape) {
  Polygons all;
  for (const std::vector<Ring>& rings : shape.polygons) {
    Polygon polygon;
    for (std::size_t i = 0; i < rings.size(); ++i) {
      if (i > 0) polygon.inners().emplace_back();
      fill(i == 0 ? polygon.outer() : polygon.inners().back(), rings[i]);
    }
    all.push_back(std::move(polygon));
  }
  return all;
}

Shape from_boost(const Polygons& all) {
  Shape shape;
  const auto add = [](std::vector<Ring>& rings, const auto& from) {
    Ring& ring = rings.emplace_back();
    for (const Point& p : from) ring.push_back({p.x(), p.y()});
  };
  for (const Polygon& polygon : all) {
    if (polygon.outer().size() < 4) continue;
    std::vector<Ring>& rings = shape.polygons.emplace_back();
    add(rings, polygon.outer());
    for (const auto& inner : polygon.inners()) {
      if (inner.size() >= 4) add(rings, inner);
    }
  }
  return shape;
}

// "... found at (1.5, 2); method ..." -> " near longitude 1.5, latitude 2".
std::string place_in(const std::string& message) {
  const std::size_t open = message.find("at (");
  if (open == std::string::npos) return "";
  const std::size_t close = message.find(')', open);
  std::string place = message.substr(open + 4, close - open - 4);
  const std::size_t comma = place.find(", ");
  if (comma == std::string::npos) return "";
  return " near longitude " + place.substr(0, comma) + ", latitude " + place.substr(comma + 2);
}

std::string reason(bg::validity_failure_type failure) {
  switch (failure) {
    case bg::failure_self_intersections:
      return "crosses itself";
    case bg::failure_interior_rings_outside:
      return "has a hole outside its edge";
    case bg::failure_nested_interior_rings:
      return "has a hole in a hole";
    case bg::failure_disconnected_interior:
      return "is cut apart by its own edge";
    case bg::failure_intersecting_interiors:
      return "has parts that overlap";
    case bg::failure_few_points:
    case bg::failure_wrong_topological_dimension:
      return "has no area";
    default:
      return "is not a valid area";
  }
}

// Where two edges of a polygon cross, looked for among all pairs; for polygons that are not too large.
std::string crossing_in(const Polygons& all) {
  constexpr std::size_t kMost = 4000;
  struct Edge {
    Point a, b;
  };
  const auto side = [](const Point& a, const Point& b, const Point& p) {
    return (b.x() - a.x()) * (p.y() - a.y()) - (b.y() - a.y()) * (p.x() - a.x());
  };
  for (const Polygon& polygon : all) {
    std::vector<Edge> edges;
    const auto add = [&](const auto& ring) {
      for (std::size_t i = 1; i < ring.size(); ++i) edges.push_back({ring[i - 1], ring[i]});
    };
    add(polygon.outer());
    for (const auto& inner : polygon.inners()) add(inner);
    if (edges.size() > kMost) continue;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      for (std::size_t j = i + 1; j < edges.size(); ++j) {
        const Edge &e = edges[i], &f = edges[j];
        const double c = side(e.a, e.b, f.a), d = side(e.a, e.b, f.b);
        if (c * d >= 0 || side(f.a, f.b, e.a) * side(f.a, f.b, e.b) >= 0) continue;
        const double t = c / (c - d);
        char place[96];
        std::snprintf(place, sizeof place, " near longitude %.6g, latitude %.6g", f.a.x() + t * (f.b.x() - f.a.x()),
                      f.a.y() + t * (f.b.y() - f.a.y()));
        return place;
      }
    }
  }
  return "";
}

}  // namespace

std::vector<Ring> Shape::rings() const {
  std::vector<Ring> all;
  for (const std::vector<Ring>& polygon : polygons) all.insert(all.end(), polygon.begin(), polygon.end());
  return all;
}

Result<Shape> checked(const Shape& shape, std::string_view what) {
  Polygons all = to_boost(shape);
  bg::unique(all);
  bg::remove_spikes(all);
  bg::correct(all);
  std::erase_if(all, [](const Polygon& p) { return p.outer().size() < 4; });
  const auto fail = [&](const std::string& why, const std::string& place) {
    return Error{Failure::bad_input,
                 std::string(what) + " " + why + place +
                     "\n  Mend it where it was made, as with QGIS's \"Fix geometries\", and try again."};
  };
  if (all.empty()) return fail("has no area", "");
  bg::validity_failure_type failure = bg::no_failure;
  if (bg::is_valid(all, failure)) return from_boost(all);
  if (failure == bg::failure_wrong_orientation) {  // a ring whose parts cancel out
    const std::string place = crossing_in(all);
    return fail(place.empty() ? "has no area" : "crosses itself", place);
  }
  std::string message;
  bg::is_valid(all, message);
  return fail(reason(failure), place_in(message));
}

Shape of_box(double west, double south, double east, double north) {
  return {{{{{west, south}, {east, south}, {east, north}, {west, north}, {west, south}}}}};
}

Shape intersection(const Shape& a, const Shape& b) {
  Polygons both;
  bg::intersection(to_boost(a), to_boost(b), both);
  return from_boost(both);
}

Shape join(const Shape& a, const Shape& b) {
  Polygons either;
  bg::union_(to_boost(a), to_boost(b), either);
  return from_boost(either);
}

Shape difference(const Shape& a, const Shape& b) {
  Polygons rest;
  bg::difference(to_boost(a), to_boost(b), rest);
  return from_boost(rest);
}

std::size_t corners_of(const Shape& shape) {
  std::size_t corners = 0;
  for (const std::vector<Ring>& polygon : shape.polygons) {
    for (const Ring& ring : polygon) corners += ring.size();
  }
  return corners;
}

double area(const Shape& shape) { return bg::area(to_boost(shape)); }

// Triangles from one corner of the shape to every edge, with the sign of their direction; holes run clockwise and count
// against. Coordinates are taken from that corner, so that a small area far from 0, 0 keeps its digits.
PlanePoint centroid(const Shape& shape) {
  const PlanePoint from = shape.polygons.front().front().front();
  double doubled = 0, x = 0, y = 0;
  for (const std::vector<Ring>& polygon : shape.polygons) {
    for (const Ring& ring : polygon) {
      for (std::size_t i = 1; i < ring.size(); ++i) {
        const double ax = ring[i - 1].x - from.x, ay = ring[i - 1].y - from.y;
        const double bx = ring[i].x - from.x, by = ring[i].y - from.y;
        const double cross = ax * by - bx * ay;
        doubled += cross;
        x += cross * (ax + bx);
        y += cross * (ay + by);
      }
    }
  }
  if (!(doubled > 0)) return from;
  return {from.x + x / (3 * doubled), from.y + y / (3 * doubled)};
}

}  // namespace stopover
