#include "question/cells_asked.h"

#include <algorithm>

#include "base/usage_error.h"
#include "question/region_kind.h"

namespace stopover {
namespace {

bool in_cells(const RegionTree& region) {
  if (region.node == RegionTree::Node::leaf) return region.kind->in_cells;
  return std::any_of(region.parts.begin(), region.parts.end(), in_cells);
}

bool any_in_cells(const std::vector<RegionTree>& regions) {
  return std::any_of(regions.begin(), regions.end(), in_cells);
}

bool any_in_cells(const std::vector<StopWhere>& where) {
  return std::any_of(where.begin(), where.end(),
                     [](const StopWhere& one) { return one.region && in_cells(*one.region); });
}

}  // namespace

bool asks_in_cells(const Question& q) {
  return q.box || any_in_cells(q.where) || any_in_cells(q.any_stop) || any_in_cells(q.no_stop) ||
         any_in_cells(q.in_order) || (q.of && any_in_cells(*q.of)) || (q.minus && any_in_cells(*q.minus));
}

Status check_cells(const Question& question, const Domain& one, const Domain& two, const std::string& other) {
  if (one == two || !asks_in_cells(question)) return {};
  return usage_error(
      "the question is in cells (`box`, box: or cells:), and " + other +
      " has another box, grid or stops: there the same numbers are other places\n  Ask in degrees: circle:LAT,LNG,KM "
      "or bbox:W,S,E,N; `range` takes coordinates of other axes.");
}

}  // namespace stopover
