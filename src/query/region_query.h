// RegionQuery: a question's region as the index reads it: an interval an axis, and planes that are covered cell by
// cell.
//
// A trip is counted when all of it holds: every axis in its interval, every plane's pair of cells in the plane's
// region. A query without planes is a box. Planes are shared: a zone is drawn once and asked about thousands of times.
//
//   RegionQuery q = RegionQuery::of(box);
//   q.add(make_plane(index, 0, 1, coverage));       // axes 0 and 1
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "query/box_index.h"
#include "query/box_query.h"
#include "query/coverage.h"

namespace stopover {

struct Plane {
  std::size_t x = 0;
  std::size_t y = kMaxAxes;    // kMaxAxes: one axis
  std::size_t map = kMaxAxes;  // of the index's maps, which has exactly these axes; kMaxAxes: trips lie evenly
  double doubt = 0;            // of a plane of one axis: AxisDoubts::of its cells
  std::shared_ptr<const PlaneSums> sums;
  double edge = 0;  // edge_doubt.h
  double area = 0;  // in cells
};

// REQUIRES: x < y or y = kMaxAxes; where the index has maps, one of them has exactly these axes.
Plane make_plane(const BoxIndex& index, std::size_t x, std::size_t y, const Coverage& coverage);

struct RegionQuery {
  BoxQuery box;
  std::vector<Plane> planes;

  static RegionQuery of(const BoxQuery& box) { return {box, {}}; }
  // Narrows the box to the plane's rectangle; planes stay in the order of their axes, so that it does not matter which
  // came first. REQUIRES: no other plane has its axes, and the box took them whole.
  void add(Plane plane);
  bool empty() const { return box.empty(); }
};

}  // namespace stopover
