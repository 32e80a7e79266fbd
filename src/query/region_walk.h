// RegionWalk: the way of a region through a BoxIndex. Internal to answerer.cc.
//
// As BoxWalk (box_walk.h, whose visitors it serves), for questions with planes: a node is inside if every side and every
// plane takes all of it, outside if one takes nothing. The covered share of a leaf is the product over sides and planes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "query/box_index.h"
#include "query/box_walk.h"
#include "query/region_query.h"

namespace stopover {

// A region query as the walk compares it. Bits of an open mask: sides of the box first, then planes.
class Factors {
 public:
  using Mask = Sides::Mask;

  // REQUIRES: the query outlives it.
  Factors(const RegionQuery& query, const std::uint32_t* whole) : rect_(query.box, whole), planes_(query.planes) {
    BoxQuery box = query.box;
    for (const Plane& plane : planes_) {
      for (const std::size_t axis : {plane.x, plane.y}) {
        if (axis == kMaxAxes) continue;
        box.lo[axis] = whole[2 * axis];
        box.hi[axis] = whole[2 * axis + 1];
      }
    }
    sides_ = Sides(box, whole);
    planes_mask_ = ((Mask{1} << planes_.size()) - 1) << kFirstPlane;
  }

  Mask all() const { return sides_.all() | planes_mask_; }
  // The box around the whole region, and what of it is not a plane's.
  const Sides& rect() const { return rect_; }
  const Sides& sides() const { return sides_; }

  bool outside(const std::uint32_t* bounds, Mask& open) const {
    Mask of_sides = open & ~planes_mask_;
    if (sides_.outside(bounds, of_sides)) return true;
    Mask left = open & planes_mask_;
    open = of_sides;
    for (; left != 0; left &= left - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(left));
      const Plane& plane = planes_[bit - kFirstPlane];
      const PlaneSums::Side side = plane.sums->side(x_of(plane, bounds), y_of(plane, bounds));
      if (side == PlaneSums::Side::outside) return true;
      if (side == PlaneSums::Side::border) open |= Mask{1} << bit;
    }
    return false;
  }

  double share(const BoxIndex& index, std::uint32_t at, Mask open, KnownShares& known) const {
    const std::uint32_t* bounds = index.bounds(at);
    const LeafMaps* maps = index.maps();
    double product = sides_share(index, at, open & ~planes_mask_, known);
    for (Mask left = open & planes_mask_; left != 0; left &= left - 1) {
      const Plane& plane = planes_[static_cast<std::size_t>(std::countr_zero(left)) - kFirstPlane];
      const auto even = [&] {
        const Interval x = x_of(plane, bounds), y = y_of(plane, bounds);
        return std::clamp(plane.sums->area(x, y) / (static_cast<double>(x.width()) * y.width()), 0.0, 1.0);
      };
      if (maps == nullptr) {
        product *= even();
        continue;
      }
      const std::size_t leaf = index.nodes()[at].leaf;
      product *= known.get(maps->place(leaf, plane.map), [&] {
        const double whole = maps->mass(leaf, plane.map);
        return whole > 0 ? std::clamp(plane.sums->mass(x_of(plane, bounds), y_of(plane, bounds)) / whole, 0.0, 1.0) : even();
      });
    }
    return product;
  }

 private:
  static constexpr std::size_t kFirstPlane = kMaxAxes;

  static Interval x_of(const Plane& plane, const std::uint32_t* bounds) {
    return {bounds[2 * plane.x], bounds[2 * plane.x + 1]};
  }
  static Interval y_of(const Plane& plane, const std::uint32_t* bounds) {
    return plane.y == kMaxAxes ? Interval{0, 1} : Interval{bounds[2 * plane.y], bounds[2 * plane.y + 1]};
  }

  double sides_share(const BoxIndex& index, std::uint32_t at, Mask open, KnownShares& known) const {
    if (open == 0) return 1;
    const std::uint32_t* bounds = index.bounds(at);
    if (index.maps() == nullptr) return sides_.share(bounds, open);
    return map_share(*index.maps(), index.nodes()[at].leaf, bounds, sides_, open, known);
  }

  Sides rect_;
  Sides sides_{BoxQuery{}, nullptr};
  const std::vector<Plane>& planes_;
  Mask planes_mask_ = 0;
};

template <typename Visitor>
class RegionWalk {
 public:
  RegionWalk(const BoxIndex& index, const Factors& factors, WalkMemory& memory, Visitor& visitor)
      : index_(index),
        nodes_(index.nodes().data()),
        sums_(index.sums().data()),
        factors_(factors),
        steps_(memory.steps),
        known_(memory.known),
        visitor_(visitor) {}

  void run() {
    steps_.clear();
    if (index_.maps() != nullptr) known_.start(*index_.maps());
    see(0, BoxIndex::kNone, factors_.all());
    while (!steps_.empty()) {
      const WalkStep step = steps_.back();
      steps_.pop_back();
      const BoxIndex::Node& node = nodes_[step.node];
      if constexpr (Visitor::kMeasurements) {
        if (step.open == 0) {
          visitor_.leave(step.node);
          continue;
        }
        if (node.measurement != BoxIndex::kNone) {
          visitor_.enter(step.node);
          steps_.push_back({step.node, 0});
        }
      }
      if (node.grid != BoxIndex::kNone && !everything()) {
        see_grid(step.node, step.open);
      } else {
        for (std::uint32_t at = node.first; at < node.first + node.children; ++at) see(at, step.node, step.open);
      }
    }
  }

 private:
  using Mask = Sides::Mask;
  using GridAxis = BoxIndex::GridAxis;

  bool everything() const {
    if constexpr (Visitor::kOutside) return visitor_.wants_outside();
    return false;
  }

  void see(std::uint32_t at, std::uint32_t parent, Mask open) {
    const auto sum = [&] { return sums_[at]; };
    if (factors_.outside(index_.bounds(at), open)) {
      if constexpr (Visitor::kOutside) {
        if (visitor_.wants_outside()) visitor_.outside(at, 1, parent);
      }
    } else if (open == 0) {
      visitor_.inside(at, 1, parent, sum);
    } else if (nodes_[at].children == 0) {
      visitor_.cut(at, 1, factors_.share(index_, at, open, known_), parent, sum);
    } else {
      steps_.push_back({at, open});
    }
  }

  // Only the parts of the grid that meet the box around the region.
  void see_grid(std::uint32_t parent, Mask open) {
    const BoxIndex::Node& node = nodes_[parent];
    const BoxIndex::Grid& grid = index_.grids()[node.grid];
    const GridAxis* const axes = index_.grid_axes().data() + grid.first_axis;
    std::array<Interval, kMaxAxes> parts;
    for (std::size_t i = 0; i < grid.axes; ++i) {
      parts[i] = {0, axes[i].parts};
      if (factors_.rect().bit_of(axes[i].axis) == 0) continue;
      const Sides::Side& side = factors_.rect().of(axes[i].axis);
      const std::uint32_t* const cuts = index_.cuts(axes[i]);
      const std::uint32_t* const end = cuts + axes[i].parts;
      parts[i].lo = static_cast<std::uint32_t>(std::upper_bound(cuts + 1, end, side.outside_lo) - cuts) - 1;
      parts[i].hi = static_cast<std::uint32_t>(std::lower_bound(cuts, end, side.outside_hi) - cuts);
      if (parts[i].lo >= parts[i].hi) return;
    }
    std::array<std::uint32_t, kMaxAxes> at;
    for (std::size_t i = 0; i < grid.axes; ++i) at[i] = parts[i].lo;
    for (;;) {
      std::uint32_t number = 0;
      for (std::size_t i = 0; i + 1 < grid.axes; ++i) number += at[i] * axes[i].stride;
      const std::uint32_t row = node.first + number * axes[grid.axes - 1].parts;
      for (std::uint32_t j = parts[grid.axes - 1].lo; j < parts[grid.axes - 1].hi; ++j) see(row + j, parent, open);
      std::size_t i = grid.axes - 1;
      while (i > 0 && at[i - 1] + 1 == parts[i - 1].hi) --i;
      if (i == 0) return;
      ++at[i - 1];
      for (; i + 1 < grid.axes; ++i) at[i] = parts[i].lo;
    }
  }

  const BoxIndex& index_;
  const BoxIndex::Node* nodes_;
  const Sums* sums_;
  const Factors& factors_;
  std::vector<WalkStep>& steps_;
  KnownShares& known_;
  Visitor& visitor_;
};

}  // namespace stopover
