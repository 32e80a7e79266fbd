// QueryEngine: a release ready for questions: its domain, its index, and the way from a stop's region to cells.
//
//   Result<QueryEngine> engine = QueryEngine::make(release);
//   StopRegion home{.stop = 0};
//   home.shape = circle_rings({37.795, -122.393, 1}, 200);
//   Result<Asked> asked = engine->ask(BoxQuery::whole(engine->domain()), {&home, 1});
//   Answer a = Answerer(engine->index(), {})(asked->query);
//
// Built once, then read only: any number of threads may ask it, each with an Answerer of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "query/box_index.h"
#include "query/box_query.h"
#include "query/circle.h"
#include "query/coverage.h"
#include "query/region_query.h"

namespace stopover {

// What is asked of one stop. Everything that is set must hold.
struct StopRegion {
  std::size_t stop = 0;
  // Longitude and latitude in degrees; outer rings counterclockwise, holes clockwise, valid. Unset: anywhere; empty:
  // nowhere.
  std::optional<std::vector<Ring>> shape;
  // Cells of the stop's plane (its longitude and latitude, else its first two axes, in the order of the axes; one axis:
  // second 0), and parts of single axes (Coverage with y = [0, 1)), by axis.
  std::optional<std::vector<std::pair<std::uint32_t, std::uint32_t>>> cells;
  std::map<std::size_t, Coverage> lines;
  // Cell units, by axis.
  std::map<std::size_t, Span> spans;
};

// A question as the index reads it, and what a reader should know about it.
struct Asked {
  RegionQuery query;
  std::vector<std::string> notes;  // clipped, outside the box, ...
};

class QueryEngine {
 public:
  // Fails as BoxIndex::make does. REQUIRES: check_release passes.
  static Result<QueryEngine> make(const Release& release, const Together& together = {});

  const Domain& domain() const { return domain_; }
  const BoxIndex& index() const { return index_; }
  // Of the release.
  const Randomness& randomness() const { return randomness_; }
  Unit unit() const { return unit_; }
  // Whether it leans on earlier releases or a public table (`history`, `prior` among its parameters): then errors of
  // releases hang together.
  bool leans() const { return leans_; }
  // Epsilon per trip: epsilon/k.
  double rate() const { return rate_; }

  // The two axes of a stop that a region in degrees lies on, in the order of the axes; fails (usage) for a stop
  // without.
  Result<std::pair<std::size_t, std::size_t>> map_axes(std::size_t stop) const;
  // The zone axis of a stop whose zones lie somewhere, so that areas can be asked of it; kMaxAxes where there is none.
  std::size_t zone_axis(std::size_t stop) const;
  // The plane of a stop's cell lists: map_axes if there are, else its first two axes; one axis: second kMaxAxes.
  std::pair<std::size_t, std::size_t> plane_axes(std::size_t stop) const;

  // Whether make_plane may be called with these axes of a stop; fails (usage) where the release has maps and none of
  // them has exactly these axes, as when a bare matrix's stops of one axis share a map.
  Status check_plane(std::size_t stop, std::size_t x, std::size_t y) const;

  // Rings in degrees as rings in cells of the stop's map axes, with copies 360 degrees off where they meet the box.
  // REQUIRES: map_axes(stop).
  std::vector<Ring> to_cells(std::size_t stop, std::span<const Ring> degrees) const;

  // Fails (usage) for a shape at a stop without coordinates, or one over more than Coverage::kMaxCells cells.
  Result<Asked> ask(const BoxQuery& box, std::span<const StopRegion> regions) const;

  // The number of points that a circle at that stop needs (circle.h). REQUIRES: map_axes(stop) or zone_axis(stop).
  std::size_t circle_points_at(std::size_t stop, const Circle& circle) const;

 private:
  QueryEngine(const Release& release, BoxIndex index);
  Status add(const StopRegion& region, Asked& asked) const;
  double degrees_per_cell(std::size_t axis) const;

  Domain domain_;
  BoxIndex index_;
  Randomness randomness_;
  Unit unit_ = Unit::trip;
  bool leans_ = false;
  double rate_ = 0;
};

}  // namespace stopover
