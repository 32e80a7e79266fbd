// TopFlows: the largest flows through some stops, between places, without asking for all of them.
//
// Every stop has a list of places: squares of a board, clusters of a view, zones, or areas that somebody drew. A flow
// is one place per stop; two stops in a row may be the same one, which is what stays there. Estimates add up and are
// not negative, so the box around some places holds no fewer trips than any of them: the search halves the fullest box
// until single flows come out, largest first (ties: the earlier places first). Exact, and it looks at a few of all
// flows.
//
//   TopFlows::MapStop origin{0, 1, TopFlows::board(domain, 0, 1, 8)}, destination{2, 3, TopFlows::board(domain, 2, 3,
//   8)}; TopFlows flows(domain, index, {origin, destination}, RegionQuery::of(BoxQuery::whole(domain))); while
//   (flows.found().size() < 20 && flows.search(500)) {}
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
    std::vector<std::uint32_t> places;  // one per stop, by their numbers in its list
    double estimate = 0;
  };
  // The axes across and up of a stop's map, the same twice for a stop with zones of its own; and its places, which take
  // all other axes whole.
  struct MapStop {
    std::size_t x = 0, y = 0;
    std::vector<RegionQuery> places;
  };

  // Only trips in `within` count. REQUIRES: at most six stops, none of which has a plane in `within`; domain and index
  // outlive it.
  TopFlows(const Domain& domain, const BoxIndex& index, std::vector<MapStop> stops, RegionQuery within);

  // Asks at most `questions` more boxes; false when nothing above 0 is left.
  bool search(std::size_t questions);
  // Largest first.
  const std::vector<Way>& found() const { return found_; }
  RegionQuery query_of(const Way& way) const;

  // A map cut into zones x zones squares: number row * zones + column.
  static std::vector<RegionQuery> board(const Domain& domain, std::size_t x, std::size_t y, std::uint32_t zones);
  // Every cell of one axis: zones.
  static std::vector<RegionQuery> cells(const Domain& domain, std::size_t axis);
  // The cells of square number `i` of `zones` along an axis.
  static Interval part(std::uint32_t i, std::uint32_t zones, std::uint32_t cells);

 private:
  static constexpr std::size_t kMostStops = kMaxAxes / 2;

  // Places of one stop, halved again and again: near ones stay together. Part 0 is all of them.
  struct Part {
    std::uint32_t first = 0, last = 0;  // of `order`
    std::uint32_t halves = 0;           // the first of two parts; 0: a single place
    double x_lo = 0, x_hi = 0, y_lo = 0, y_hi = 0;
  };
  struct Tree {
    std::vector<std::uint32_t> order;
    std::vector<Part> parts;
  };
  struct Node {
    double estimate = 0;
    bool drawn = false;  // single places as they are drawn, not the boxes around them
    std::array<std::uint32_t, kMostStops> part{};
    std::array<std::uint32_t, kMostStops> place{};  // the earliest in each part: ties
    bool operator<(const Node& other) const;
  };

  static Tree tree_of(const MapStop& stop);
  const Part& part_of(const Node& node, std::size_t stop) const { return trees_[stop].parts[node.part[stop]]; }
  RegionQuery around(const Node& node) const;
  Way way_of(const Node& node) const;
  void push(Node node);

  const Domain& domain_;
  std::vector<MapStop> stops_;
  std::vector<Tree> trees_;
  bool drawn_ = false;  // whether a place is more than a box
  RegionQuery within_;
  Answerer ask_;
  std::priority_queue<Node> open_;
  std::vector<Way> found_;
};

}  // namespace stopover
