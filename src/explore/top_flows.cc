#include "explore/top_flows.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stopover {

Interval TopFlows::part(std::uint32_t i, std::uint32_t zones, std::uint32_t cells) {
  const auto edge = [&](std::uint64_t k) { return static_cast<std::uint32_t>(std::uint64_t{cells} * k / zones); };
  return {edge(i), edge(std::uint64_t{i} + 1)};
}

std::vector<RegionQuery> TopFlows::board(const Domain& domain, std::size_t x, std::size_t y, std::uint32_t zones) {
  std::vector<RegionQuery> places;
  for (std::uint32_t square = 0; square < zones * zones; ++square) {
    BoxQuery box = BoxQuery::whole(domain);
    const Interval across = part(square % zones, zones, domain.axis(x).cells);
    const Interval up = part(square / zones, zones, domain.axis(y).cells);
    box.lo[x] = across.lo, box.hi[x] = across.hi;
    box.lo[y] = up.lo, box.hi[y] = up.hi;
    places.push_back(RegionQuery::of(box));
  }
  return places;
}

std::vector<RegionQuery> TopFlows::cells(const Domain& domain, std::size_t axis) {
  std::vector<RegionQuery> places;
  for (std::uint32_t cell = 0; cell < domain.axis(axis).cells; ++cell) {
    BoxQuery box = BoxQuery::whole(domain);
    box.lo[axis] = cell, box.hi[axis] = cell + 1;
    places.push_back(RegionQuery::of(box));
  }
  return places;
}

bool TopFlows::Node::operator<(const Node& other) const {
  return estimate != other.estimate ? estimate < other.estimate : place > other.place;
}

TopFlows::TopFlows(const Domain& domain, const BoxIndex& index, std::vector<MapStop> stops, RegionQuery within)
    : domain_(domain), stops_(std::move(stops)), within_(std::move(within)), ask_(index, {.intervals = false}) {
  STOPOVER_CHECK(stops_.size() <= kMostStops, "at most six stops");
  for (const MapStop& stop : stops_) {
    if (stop.places.empty()) return;
  }
  for (const MapStop& stop : stops_) {
    trees_.push_back(tree_of(stop));
    for (const RegionQuery& place : stop.places) drawn_ = drawn_ || !place.planes.empty();
  }
  if (!stops_.empty()) push({});
}

// Halved at the median of their middles, across or up, whichever way they lie further apart.
TopFlows::Tree TopFlows::tree_of(const MapStop& stop) {
  const auto lo = [&](std::uint32_t i, std::size_t axis) { return stop.places[i].box.lo[axis]; };
  const auto hi = [&](std::uint32_t i, std::size_t axis) { return stop.places[i].box.hi[axis]; };
  Tree tree;
  tree.order.resize(stop.places.size());
  std::iota(tree.order.begin(), tree.order.end(), 0u);
  tree.parts.push_back({.first = 0, .last = static_cast<std::uint32_t>(tree.order.size())});
  for (std::size_t p = 0; p < tree.parts.size(); ++p) {
    Part part = tree.parts[p];
    const auto begin = tree.order.begin() + part.first, end = tree.order.begin() + part.last;
    part.x_lo = lo(*begin, stop.x), part.x_hi = hi(*begin, stop.x);
    part.y_lo = lo(*begin, stop.y), part.y_hi = hi(*begin, stop.y);
    for (auto i = begin; i != end; ++i) {
      part.x_lo = std::min(part.x_lo, lo(*i, stop.x)), part.x_hi = std::max(part.x_hi, hi(*i, stop.x));
      part.y_lo = std::min(part.y_lo, lo(*i, stop.y)), part.y_hi = std::max(part.y_hi, hi(*i, stop.y));
    }
    if (part.last - part.first > 1) {
      const std::size_t axis = part.x_hi - part.x_lo >= part.y_hi - part.y_lo ? stop.x : stop.y;
      std::sort(begin, end, [&](std::uint32_t a, std::uint32_t b) {
        const double at_a = lo(a, axis) + hi(a, axis), at_b = lo(b, axis) + hi(b, axis);
        return at_a != at_b ? at_a < at_b : a < b;
      });
      const std::uint32_t middle = (part.first + part.last) / 2;
      part.halves = static_cast<std::uint32_t>(tree.parts.size());
      tree.parts.push_back({.first = part.first, .last = middle});
      tree.parts.push_back({.first = middle, .last = part.last});
    }
    tree.parts[p] = part;
  }
  return tree;
}

RegionQuery TopFlows::around(const Node& node) const {
  RegionQuery query = within_;
  BoxQuery box = BoxQuery::whole(domain_);
  for (std::size_t s = 0; s < stops_.size(); ++s) {
    const Part& part = part_of(node, s);
    box.lo[stops_[s].x] = part.x_lo, box.hi[stops_[s].x] = part.x_hi;
    box.lo[stops_[s].y] = part.y_lo, box.hi[stops_[s].y] = part.y_hi;
  }
  query.box = intersect(query.box, box);
  return query;
}

TopFlows::Way TopFlows::way_of(const Node& node) const {
  Way way;
  way.estimate = node.estimate;
  for (std::size_t s = 0; s < stops_.size(); ++s) way.places.push_back(trees_[s].order[part_of(node, s).first]);
  return way;
}

RegionQuery TopFlows::query_of(const Way& way) const {
  STOPOVER_CHECK(way.places.size() == stops_.size(), "a place for every stop");
  RegionQuery query = within_;
  for (std::size_t s = 0; s < stops_.size(); ++s) {
    const RegionQuery& place = stops_[s].places[way.places[s]];
    query.box = intersect(query.box, place.box);
    for (const Plane& plane : place.planes) query.add(plane);
  }
  return query;
}

void TopFlows::push(Node node) {
  for (std::size_t s = 0; s < stops_.size(); ++s) {
    const Part& part = part_of(node, s);
    node.place[s] = *std::min_element(trees_[s].order.begin() + part.first, trees_[s].order.begin() + part.last);
  }
  const RegionQuery query = node.drawn ? query_of(way_of(node)) : around(node);
  if (query.empty()) return;
  node.estimate = ask_(query).estimate;
  if (node.estimate > 0) open_.push(node);
}

bool TopFlows::search(std::size_t questions) {
  for (std::size_t asked = 0; asked < questions && !open_.empty(); asked += 2) {
    Node node = open_.top();
    open_.pop();
    std::size_t widest = 0;
    const auto size = [&](std::size_t s) { return part_of(node, s).last - part_of(node, s).first; };
    for (std::size_t s = 1; s < stops_.size(); ++s) {
      if (size(s) > size(widest)) widest = s;
    }
    if (size(widest) > 1) {
      const std::uint32_t half = part_of(node, widest).halves;
      for (const std::uint32_t part : {half, half + 1}) {
        node.part[widest] = part;
        push(node);
      }
    } else if (drawn_ && !node.drawn) {
      node.drawn = true;
      push(node);
    } else {
      found_.push_back(way_of(node));
    }
  }
  return !open_.empty();
}

}  // namespace stopover
