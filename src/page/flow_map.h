// FlowMap: what the demo asks of its release, and the picture it draws of the answers. Public values only.
//
// Every stop's map is cut into zones x zones quarters, named like a chessboard from the south-west (A1). A flow is a
// sequence of quarters, one per stop, that all differ and whose first and last do not even touch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/answer.h"
#include "release/release.h"

namespace stopover {

struct Flow {
  std::vector<std::size_t> zones;  // one per stop: row * zones + column
  Answer answer;
};

struct FlowMap {
  std::vector<std::string> stops;
  std::size_t zones = 0;                     // quarters along a side
  std::size_t raster = 0;                    // cells of the density maps along a side
  std::vector<std::vector<double>> density;  // [stop][row * raster + column], estimates, south row first
  std::vector<Flow> flows;                   // the largest; see below
};

// "C4"
std::string zone_name(std::size_t zone, std::size_t zones);
// The box of a flow as `query --box` takes it.
std::string flow_box(const Flow& flow, std::size_t zones, const Domain& domain);

// Asks the release. REQUIRES: every stop has two axes of at least `raster` cells.
Result<FlowMap> ask_flows(const Release& release, std::size_t zones, std::size_t raster, std::size_t most_flows);

// One self-contained picture; follows the viewer's light or dark scheme.
std::string flow_svg(const FlowMap& map, const Release& release);

}  // namespace stopover
