// StrongFlows: the few largest flows of a release, with names and ranges, for people who read one page. Public values
// only: all of it is asked of the release.
//
// Places are the release's zones, or the squares of a board over its box, named like a chessboard from the south-west
// (A1). A flow leads on at every stop: what stays where it is, is left out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/degree_box.h"
#include "domain/plane_point.h"
#include "release/release.h"

namespace stopover {

struct StrongFlow {
  std::vector<std::string> names;  // one per stop: a zone's id, "C4"
  std::vector<std::string> where;  // one per stop, in words: "5 km NW of Los Angeles", a zone's district; may be ""
  std::vector<PlanePoint> at;      // one per stop: longitude, latitude; empty where nobody says where zones lie
  double estimate = 0, lower = 0, upper = 0;
};

// A flow of about so many trips is off by at most `off`, in 95 of 100 cases.
struct FlowError {
  double trips = 0, off = 0;
};

struct StrongFlows {
  std::size_t stops = 0;  // that have a place; 0: there is nothing to name
  bool zones = false;     // else squares
  std::size_t places = 0;
  double side_km = 0;            // of a square
  std::optional<DegreeBox> box;  // around all places
  std::vector<StrongFlow> flows;
  std::vector<FlowError> errors;  // the larger flows first; empty where there are too few to tell
  bool claimed = true;            // whether ranges were measured to hold as often as they say (coverage_claim.h)
};

// Fails as BoxIndex::make does. REQUIRES: check_release passes.
Result<StrongFlows> strong_flows(const Release& release, std::size_t most);

// "5 km NW of Los Angeles", by the nearest town of the program's own map; "" where none is near.
std::string near_town(const PlanePoint& at);

// A map of them on white, numbered in their order, with coasts and towns; "" where nobody says where places lie.
std::string strong_flows_svg(const StrongFlows& flows, const Release& release);

}  // namespace stopover
