#include "zones/zone_overlap.h"

#include <algorithm>
#include <numeric>

#include "geo/fixed_area.h"

namespace stopover {
namespace {

struct Prepared {
  FixedArea area;
  std::vector<FixedEdge> edges;
  FixedPoint inner;
};

// The edges that come into the box, the lowest first, each from its lower left end so that both neighbours' copies of a
// shared edge are equal.
std::vector<FixedEdge> edges_in(const Prepared& shape, const FixedBox& box) {
  std::vector<FixedEdge> in;
  for (const FixedEdge& e : shape.edges) {
    if (!e.box().touches(box)) continue;
    const bool turned = e.b.y < e.a.y || (e.b.y == e.a.y && e.b.x < e.a.x);
    in.push_back(turned ? FixedEdge{e.b, e.a} : e);
  }
  std::sort(in.begin(), in.end(), [](const FixedEdge& e, const FixedEdge& f) { return e.a.y < f.a.y; });
  return in;
}

bool cross(const FixedEdge& e, const FixedEdge& f) {
  return side_of(e.a, e.b, f.a) * side_of(e.a, e.b, f.b) < 0 && side_of(f.a, f.b, e.a) * side_of(f.a, f.b, e.b) < 0;
}

FixedPoint middle(const FixedEdge& e) { return {e.a.x + (e.b.x - e.a.x) / 2, e.a.y + (e.b.y - e.a.y) / 2}; }

// Whether the insides may have a point in common: two edges cross, or a corner, the middle of an edge or a point inside
// one lies inside the other. An edge that both have says nothing.
bool may_overlap(const Prepared& a, const Prepared& b) {
  const FixedBox &p = a.area.box(), &q = b.area.box();
  const FixedBox both{{std::max(p.lo.x, q.lo.x), std::max(p.lo.y, q.lo.y)},
                      {std::min(p.hi.x, q.hi.x), std::min(p.hi.y, q.hi.y)}};
  if (both.lo.x >= both.hi.x || both.lo.y >= both.hi.y) return false;
  const auto inside = [](const FixedArea& area, const FixedPoint& at) {
    return area.place_of(at) == FixedArea::Place::inside;
  };
  if (inside(a.area, b.inner) || inside(b.area, a.inner)) return true;
  const std::vector<FixedEdge> ours = edges_in(a, both), theirs = edges_in(b, both);
  std::vector<bool> shared(theirs.size());
  std::size_t first = 0;  // theirs before it that are all below
  for (const FixedEdge& e : ours) {
    const FixedBox box = e.box();
    bool common = false;
    while (first < theirs.size() && theirs[first].b.y < e.a.y) ++first;
    for (std::size_t i = first; i < theirs.size() && theirs[i].a.y <= e.b.y; ++i) {
      if (theirs[i] == e) {
        common = shared[i] = true;
      } else if (theirs[i].box().touches(box) && cross(e, theirs[i])) {
        return true;
      }
    }
    if (!common && (inside(b.area, e.a) || inside(b.area, e.b) || inside(b.area, middle(e)))) return true;
  }
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const FixedEdge& e = theirs[i];
    if (!shared[i] && (inside(a.area, e.a) || inside(a.area, e.b) || inside(a.area, middle(e)))) return true;
  }
  return false;
}

}  // namespace

std::vector<ShapeOverlap> find_overlaps(std::span<const Shape* const> shapes) {
  std::vector<Prepared> all;
  all.reserve(shapes.size());
  for (const Shape* shape : shapes) {
    Prepared& one = all.emplace_back();
    one.area = FixedArea(shape->polygons);
    one.edges = one.area.edges();
    one.inner = one.area.inner_point();
  }
  // From west to east: a shape is compared with those that are not yet passed.
  std::vector<std::size_t> order(all.size()), open;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return all[i].area.box().lo.x != all[j].area.box().lo.x ? all[i].area.box().lo.x < all[j].area.box().lo.x : i < j;
  });
  std::vector<ShapeOverlap> found;
  for (const std::size_t i : order) {
    const FixedBox& box = all[i].area.box();
    std::erase_if(open, [&](std::size_t j) { return all[j].area.box().hi.x < box.lo.x; });
    for (const std::size_t j : open) {
      if (!all[j].area.box().touches(box) || !may_overlap(all[i], all[j])) continue;
      const double ours = area(*shapes[i]), theirs = area(*shapes[j]);
      const double share = area(intersection(*shapes[i], *shapes[j])) / std::min(ours, theirs);
      if (!(share >= kLeastOverlap)) continue;
      const bool first = ours != theirs ? ours < theirs : i > j;
      found.push_back({first ? i : j, first ? j : i, std::min(share, 1.0)});
    }
    open.push_back(i);
  }
  std::sort(found.begin(), found.end(), [](const ShapeOverlap& a, const ShapeOverlap& b) {
    const auto [al, ah] = std::minmax(a.smaller, a.larger);
    const auto [bl, bh] = std::minmax(b.smaller, b.larger);
    return al != bl ? al < bl : ah < bh;
  });
  return found;
}

}  // namespace stopover
