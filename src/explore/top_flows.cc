#include "explore/top_flows.h"

#include <algorithm>
#include <utility>

namespace stopover {

Interval TopFlows::part(std::uint32_t i, std::uint32_t zones, std::uint32_t cells) {
  const auto edge = [&](std::uint64_t k) { return static_cast<std::uint32_t>(std::uint64_t{cells} * k / zones); };
  return {edge(i), edge(std::uint64_t{i} + 1)};
}

bool TopFlows::Node::operator<(const Node& other) const {
  return estimate != other.estimate ? estimate < other.estimate : lo > other.lo;
}

TopFlows::TopFlows(const Domain& domain, const BoxIndex& index, std::vector<MapStop> stops, std::uint32_t zones,
                   RegionQuery within)
    : domain_(domain),
      stops_(std::move(stops)),
      zones_(zones),
      within_(std::move(within)),
      ask_(index, {.intervals = false}) {
  STOPOVER_CHECK(stops_.size() <= kMaxAxes / 2 && zones_ >= 1 && zones_ <= 64,
                 "a chessboard of 1 to 64 zones per side");
  Node all;
  for (std::size_t i = 0; i < 2 * stops_.size(); ++i) all.hi[i] = parts_of(i);
  if (!stops_.empty()) push(all);
}

// The squares along a side of the board; all zones along the one side of a stop that has its own.
std::uint32_t TopFlows::parts_of(std::size_t side) const {
  if (!own_zones(side / 2)) return zones_;
  return side % 2 == 0 ? domain_.axis(axis_of(side)).cells : 1;
}

RegionQuery TopFlows::query_of(const Node& node) const {
  RegionQuery query = within_;
  BoxQuery zones = BoxQuery::whole(domain_);
  for (std::size_t i = 0; i < 2 * stops_.size(); ++i) {
    const std::size_t axis = axis_of(i);
    if (own_zones(i / 2) && i % 2 == 1) continue;
    zones.lo[axis] = part(node.lo[i], parts_of(i), domain_.axis(axis).cells).lo;
    zones.hi[axis] = part(node.hi[i] - 1u, parts_of(i), domain_.axis(axis).cells).hi;
  }
  query.box = intersect(query.box, zones);
  return query;
}

RegionQuery TopFlows::query_of(const Way& way) const {
  STOPOVER_CHECK(way.zones.size() == stops_.size(), "a zone for every stop");
  Node node;
  for (std::size_t i = 0; i < 2 * stops_.size(); ++i) {
    const std::uint32_t across = parts_of(i - i % 2);
    node.lo[i] = i % 2 == 0 ? way.zones[i / 2] % across : way.zones[i / 2] / across;
    node.hi[i] = node.lo[i] + 1;
  }
  return query_of(node);
}

// Whether two stops in a row are the same single zone: no flow in it.
bool TopFlows::stays(const Node& node) const {
  for (std::size_t s = 1; s < stops_.size(); ++s) {
    bool same = stops_[s].stop == stops_[s - 1].stop + 1 && own_zones(s) == own_zones(s - 1);
    for (std::size_t i = 2 * s; i < 2 * s + 2; ++i) {
      same = same && node.hi[i] == node.lo[i] + 1 && node.lo[i] == node.lo[i - 2] && node.hi[i] == node.hi[i - 2];
    }
    if (same) return true;
  }
  return false;
}

void TopFlows::push(Node node) {
  if (stays(node)) return;
  const RegionQuery query = query_of(node);
  if (query.empty()) return;
  node.estimate = ask_(query).estimate;
  if (node.estimate > 0) open_.push(node);
}

bool TopFlows::search(std::size_t questions) {
  for (std::size_t asked = 0; asked < questions && !open_.empty(); asked += 2) {
    Node node = open_.top();
    open_.pop();
    std::size_t widest = 0;
    for (std::size_t i = 1; i < 2 * stops_.size(); ++i) {
      if (node.hi[i] - node.lo[i] > node.hi[widest] - node.lo[widest]) widest = i;
    }
    if (node.hi[widest] - node.lo[widest] > 1) {
      const std::uint32_t middle = (node.lo[widest] + node.hi[widest]) / 2;
      Node upper = node;
      node.hi[widest] = middle;
      upper.lo[widest] = middle;
      push(node);
      push(upper);
      continue;
    }
    Way& way = found_.emplace_back();
    way.estimate = node.estimate;
    for (std::size_t s = 0; s < stops_.size(); ++s) {
      way.zones.push_back(node.lo[2 * s + 1] * parts_of(2 * s) + node.lo[2 * s]);
    }
  }
  return !open_.empty();
}

}  // namespace stopover
