// The demo: from nothing to a release, a picture and a page.
//
//   Result<DemoCity> city = make_demo({.output = "out/demo"}, {});
//   city->map.flows                                      // the largest, with their answers
//
// A synthetic city is made, published, asked for its largest flows and drawn. No data are needed and none are read, so
// the truth can be shown beside the answers. A room of its own, so that `make demo` compiles little else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/ticks.h"
#include "domain/degree_box.h"
#include "page/flow_map.h"
#include "publish/publish.h"
#include "synthetic/generate.h"

namespace stopover {

struct DemoSpec {
  std::string output;  // folder
  Ticks epsilon = kTicksPerEpsilon;
  bool overwrite = false;  // what an earlier demo left there
  unsigned threads = 0;    // 0: all the machine's
};

// Where things are put.
struct DemoPlaces {
  explicit DemoPlaces(std::string name);
  std::string folder, trips, ledger, release, picture, page;
};

struct DemoCity {
  static constexpr std::uint64_t kStops = 3, kTrips = 300'000, kGrid = 1000, kSeed = 7;
  static constexpr std::size_t kZones = 8;  // quarters, along each side of the map
  // It lies where no real one can be: on the equator, south of Ghana, in the sea.
  static constexpr DegreeBox kBox{-0.1, -0.1, 0.1, 0.1};

  DemoPlaces places;
  SyntheticTrips trips;
  PublishOutcome outcome;
  Release release;
  FlowMap map;
  std::string no_page;  // why there is no page; empty: there is one
};

struct DemoDoors {
  std::function<void(std::string_view)> phase = [](std::string_view) {};
  std::function<bool()> interrupted = [] { return false; };
};

// Fails (output_exists) where something stands in the way, and as publishing does. Only what a demo makes is ever
// replaced.
Result<DemoCity> make_demo(const DemoSpec& spec, const DemoDoors& doors);

// The quarters that a flow goes by: "A1 > C3 > B2".
std::string way_of(const Flow& flow);

}  // namespace stopover
