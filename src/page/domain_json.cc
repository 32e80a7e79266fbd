#include "page/domain_json.h"

#include <nlohmann/json.hpp>

namespace stopover {

nlohmann::ordered_json axes_json(const Domain& domain) {
  auto axes = nlohmann::ordered_json::array();
  for (const Axis& axis : domain.axes()) {
    axes.push_back({{"name", axis.name},
                    {"kind", to_string(axis.kind)},
                    {"cells", axis.cells},
                    {"lower", axis.lower},
                    {"upper", axis.upper},
                    {"labels", axis.labels}});
  }
  return axes;
}

nlohmann::ordered_json stops_json(const Domain& domain) {
  auto stops = nlohmann::ordered_json::array();
  for (const Stop& stop : domain.stops()) stops.push_back({{"name", stop.name}, {"axes", stop.axes}});
  return stops;
}

}  // namespace stopover
