#include "query/question_doubts.h"

#include <algorithm>
#include <vector>

#include "query/edge_doubt.h"

namespace stopover {
namespace {

// The doubt about the totals along all axes (belief.h): of a plane its own, of any other axis that of its interval.
double totals_doubt(const BoxIndex& index, const BoxQuery& box, const std::vector<Plane>& planes) {
  if (index.doubts() == nullptr) return 0;
  double doubt = 0;
  for (std::size_t axis = 0; axis < box.axes; ++axis) {
    const auto plane = std::find_if(planes.begin(), planes.end(), [&](const Plane& p) { return p.x == axis; });
    doubt += plane != planes.end() ? plane->doubt : index.doubts()->of(axis, box.lo[axis], box.hi[axis]);
  }
  return doubt;
}
// Stops that are left free, and how little of the others is asked for.
QuestionShape shape_of(const BoxIndex& index, const BoxQuery& box, const std::vector<Plane>& planes) {
  QuestionShape shape;
  for (const auto& axes : index.stops()) {
    double share = 1;
    bool asked = false;
    for (const std::size_t axis : axes) {
      const auto plane =
          std::find_if(planes.begin(), planes.end(), [&](const Plane& p) { return p.x == axis || p.y == axis; });
      const double from = index.side(0, axis).lo, to = index.side(0, axis).hi;
      if (plane == planes.end()) {
        share *= (box.hi[axis] - box.lo[axis]) / (to - from);
        asked = asked || box.lo[axis] > from || box.hi[axis] < to;
      } else if (plane->x == axis) {
        // A plane's area covers both of its axes.
        share *= plane->area / (to - from);
        if (plane->y < kMaxAxes) share /= index.side(0, plane->y).width();
        asked = true;
      }
    }
    shape.free_stops += !asked;
    if (!asked) continue;
    shape.least_share = std::min(shape.least_share, share);
    shape.most_share = std::max(shape.most_share, share);
  }
  return shape;
}
QuestionDoubts doubts_of(const BoxIndex& index, const BoxQuery& box, const std::vector<Plane>& planes) {
  QuestionDoubts doubts{totals_doubt(index, box, planes), {}, edge_doubt(index, box), shape_of(index, box, planes)};
  // A plane knows its own edge; the box around it is whole cells.
  for (const Plane& plane : planes) doubts.edge += plane.edge;
  if (index.doubts() != nullptr && planes.empty() && box.axes == doubts.known.size()) {
    for (std::size_t axis = 0; axis < box.axes; ++axis)
      doubts.known[axis] = index.doubts()->known(axis, box.lo[axis], box.hi[axis]);
  }
  doubts.shape.cuts_cells = doubts.edge > 0;
  return doubts;
}

}  // namespace

QuestionDoubts doubts_of(const BoxIndex& index, const BoxQuery& box) { return doubts_of(index, box, {}); }
QuestionDoubts doubts_of(const BoxIndex& index, const RegionQuery& query) {
  return doubts_of(index, query.box, query.planes);
}
QuestionDoubts doubts_of(const BoxIndex& index, const Selection& selection) {
  QuestionDoubts most;
  for (const SelectionTerm& term : selection.terms) {
    if (term.sign <= 0) continue;
    const QuestionDoubts one = doubts_of(index, term.query);
    most.totals = std::max(most.totals, one.totals);
    most.edge = std::max(most.edge, one.edge);
    most.shape.free_stops = std::max(most.shape.free_stops, one.shape.free_stops);
    most.shape.least_share = std::min(most.shape.least_share, one.shape.least_share);
    most.shape.most_share = std::max(most.shape.most_share, one.shape.most_share);
    most.shape.cuts_cells = most.shape.cuts_cells || one.shape.cuts_cells;
  }
  return most;
}

}  // namespace stopover
