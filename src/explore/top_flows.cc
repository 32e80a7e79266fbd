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
                 "a chessboard of 1 to 64 zones per "
                 "side");
  Node all;
  for (std::size_t i = 0; i < 2 * stops_.size(); ++i) all.hi[i] = static_cast<std::uint8_t>(zones_);
  if (!stops_.empty()) push(all);
}

RegionQuery TopFlows::query_of(const Node& node) const {
  RegionQuery query = within_;
  BoxQuery zones = BoxQuery::whole(domain_);
  for (std::size_t i = 0; i < 2 * stops_.size(); ++i) {
    const std::size_t axis = i % 2 == 0 ? stops_[i / 2].x : stops_[i / 2].y;
    zones.lo[axis] = part(node.lo[i], zones_, domain_.axis(axis).cells).lo;
    zones.hi[axis] = part(node.hi[i] - 1u, zones_, domain_.axis(axis).cells).hi;
  }
  query.box = intersect(query.box, zones);
  return query;
}

RegionQuery TopFlows::query_of(const Way& way) const {
  STOPOVER_CHECK(way.zones.size() == stops_.size(), "a zone for every stop");
  Node node;
  for (std::size_t i = 0; i < 2 * stops_.size(); ++i) {
    const std::uint32_t at = i % 2 == 0 ? way.zones[i / 2] % zones_ : way.zones[i / 2] / zones_;
    node.lo[i] = static_cast<std::uint8_t>(at);
    node.hi[i] = static_cast<std::uint8_t>(at + 1);
  }
  return query_of(node);
}

// Whether two stops in a row are the same single zone: no flow in it.
bool TopFlows::stays(const Node& node) const {
  for (std::size_t s = 1; s < stops_.size(); ++s) {
    bool same = stops_[s].stop == stops_[s - 1].stop + 1;
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
      const auto middle = static_cast<std::uint8_t>((node.lo[widest] + node.hi[widest]) / 2);
      Node upper = node;
      node.hi[widest] = middle;
      upper.lo[widest] = middle;
      push(node);
      push(upper);
      continue;
    }
    Way& way = found_.emplace_back();
    way.estimate = node.estimate;
    for (std::size_t s = 0; s < stops_.size(); ++s) way.zones.push_back(node.lo[2 * s + 1] * zones_ + node.lo[2 * s]);
  }
  return !open_.empty();
}

}  // namespace stopover
