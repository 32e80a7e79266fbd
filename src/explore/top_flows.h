// TopFlows: the largest flows through all stops, between zones of a chessboard, without asking for all of them.
//
// Every stop's map is cut into zones x zones squares; a flow is one zone a stop, the next always another than the one
// before. Estimates add up and are not negative, so a box of flows is no smaller than any flow in it: the search halves
// the fullest box until single flows come out, largest first (ties: the earlier zones first). Exact, and it looks at a
// few of the zones^(2 stops) flows.
//
//   TopFlows flows(domain, index, {{0, 1}, {2, 3}}, 8, BoxQuery::whole(domain));
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

namespace stopover {

class TopFlows {
 public:
  struct Way {
    std::vector<std::uint32_t> zones;  // one a stop: row * zones + column
    double estimate = 0;
  };
  // The axes across and up of a stop's map.
  struct MapAxes {
    std::size_t x = 0, y = 0;
  };

  // Only trips in `within` count. REQUIRES: at most six stops; 1 <= zones <= 64 and no more than any axis has cells;
  // index outlives it.
  TopFlows(const Domain& domain, const BoxIndex& index, std::vector<MapAxes> stops, std::uint32_t zones,
           const BoxQuery& within);

  // Asks at most `questions` more boxes; false when nothing above 0 is left.
  bool search(std::size_t questions);
  // Largest first.
  const std::vector<Way>& found() const { return found_; }

  // The cells of zone number `i` of `zones` along an axis.
  static Interval part(std::uint32_t i, std::uint32_t zones, std::uint32_t cells);

 private:
  struct Node {
    double estimate = 0;
    std::array<std::uint8_t, kMaxAxes> lo{}, hi{};  // zones: x, y of stop 0, of stop 1, ...
    bool operator<(const Node& other) const;
  };

  BoxQuery box_of(const Node& node) const;
  bool stays(const Node& node) const;
  void push(Node node);

  const Domain& domain_;
  std::vector<MapAxes> stops_;
  std::uint32_t zones_;
  BoxQuery within_;
  Answerer ask_;
  std::priority_queue<Node> open_;
  std::vector<Way> found_;
};

}  // namespace stopover
