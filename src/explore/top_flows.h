// TopFlows: the largest flows through all stops, between zones, without asking for all of them.
//
// The maps of some stops are cut into zones x zones squares, a chessboard; a stop with zones of its own has those. A
// flow is one zone per stop, the next stop's always another.
// Estimates add up and are not negative, so a box of flows is no smaller than any flow in it: the search halves
// the fullest box until single flows come out, largest first (ties: the earlier zones first). Exact, and it looks at a
// few of the zones^(2 stops) flows.
//
//   TopFlows flows(domain, index, {{0, 0, 1}, {1, 2, 3}}, 8, RegionQuery::of(BoxQuery::whole(domain)));
//   while (flows.found().size() < 20 && flows.search(500)) {}
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

#include "domain/domain.h"
#include "query/answerer.h"
#include "query/box_index.h"
#include "query/box_query.h"
#include "query/region_query.h"

namespace stopover {

class TopFlows {
 public:
  struct Way {
    std::vector<std::uint32_t> zones;  // one per stop: row * zones + column, or the zone's number
    double estimate = 0;
  };
  // A stop, and the axes across and up of its map; the same axis twice for a stop with zones of its own.
  struct MapStop {
    std::size_t stop = 0, x = 0, y = 0;
  };

  // Only trips in `within` count. REQUIRES: at most six stops, in order, none of which has a plane in `within`;
  // 1 <= zones <= 64; domain and index outlive it.
  TopFlows(const Domain& domain, const BoxIndex& index, std::vector<MapStop> stops, std::uint32_t zones,
           RegionQuery within);

  // Asks at most `questions` more boxes; false when nothing above 0 is left.
  bool search(std::size_t questions);
  // Largest first.
  const std::vector<Way>& found() const { return found_; }
  RegionQuery query_of(const Way& way) const;

  // The cells of zone number `i` of `zones` along an axis.
  static Interval part(std::uint32_t i, std::uint32_t zones, std::uint32_t cells);

 private:
  struct Node {
    double estimate = 0;
    std::array<std::uint32_t, kMaxAxes> lo{}, hi{};  // parts of x, y of stop 0, of stop 1, ...; of zones x alone
    bool operator<(const Node& other) const;
  };

  // Side i is the x (i even) or y of stop i / 2.
  std::size_t axis_of(std::size_t side) const { return side % 2 == 0 ? stops_[side / 2].x : stops_[side / 2].y; }
  bool own_zones(std::size_t stop) const { return stops_[stop].x == stops_[stop].y; }
  std::uint32_t parts_of(std::size_t side) const;
  RegionQuery query_of(const Node& node) const;
  bool stays(const Node& node) const;
  void push(Node node);

  const Domain& domain_;
  std::vector<MapStop> stops_;
  std::uint32_t zones_;
  RegionQuery within_;
  Answerer ask_;
  std::priority_queue<Node> open_;
  std::vector<Way> found_;
};

}  // namespace stopover
