// RegionWalk: the way of a region with planes through an index whose leaves hold trips evenly (index_walk.h). Internal
// to answerer.cc and leaf_shares.cc.
//
// A node is inside if every side and every plane takes all of it, outside if one takes nothing. The covered share of a
// leaf is the product over sides and planes.
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

// What a plane says of the cells of a node.
struct PlaneView {
  const Plane& plane;
  Interval x, y;

  PlaneView(const Plane& of, const std::uint32_t* bounds)
      : plane(of),
        x{bounds[2 * of.x], bounds[2 * of.x + 1]},
        y(of.y == kMaxAxes ? Interval{0, 1} : Interval{bounds[2 * of.y], bounds[2 * of.y + 1]}) {}
  PlaneSums::Side side() const { return plane.sums->side(x, y); }
  double even_share() const {
    return std::clamp(plane.sums->area(x, y) / (static_cast<double>(x.width()) * y.width()), 0.0, 1.0);
  }
};

// A region over a whole index. Bits of an open mask: sides of the box first, then planes.
class RegionReach {
 public:
  using Mask = WalkMask;

  // REQUIRES: the query outlives it.
  RegionReach(const BoxIndex& index, const RegionQuery& query)
      : index_(index),
        rect_(query.box, index.bounds(0)),
        sides_(box_of(query, index.bounds(0)), index.bounds(0)),
        planes_(query.planes) {
    planes_mask_ = ((Mask{1} << planes_.size()) - 1) << kFirstPlane;
  }

  Mask all() const { return sides_.all() | planes_mask_; }
  // The box around the whole region.
  const Sides& rect() const { return rect_; }

  bool outside(std::uint32_t at, Mask& open) const {
    const std::uint32_t* bounds = index_.bounds(at);
    Mask of_sides = open & ~planes_mask_;
    if (sides_.outside(bounds, of_sides)) return true;
    Mask left = open & planes_mask_;
    open = of_sides;
    for (; left != 0; left &= left - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(left));
      const PlaneSums::Side side = PlaneView(planes_[bit - kFirstPlane], bounds).side();
      if (side == PlaneSums::Side::outside) return true;
      if (side == PlaneSums::Side::border) open |= Mask{1} << bit;
    }
    return false;
  }

  double share(std::uint32_t at, Mask open) const {
    const std::uint32_t* bounds = index_.bounds(at);
    double product = sides_.share(bounds, open & ~planes_mask_);
    for (Mask left = open & planes_mask_; left != 0; left &= left - 1) {
      product *=
          PlaneView(planes_[static_cast<std::size_t>(std::countr_zero(left)) - kFirstPlane], bounds).even_share();
    }
    return product;
  }

 private:
  static constexpr std::size_t kFirstPlane = kMaxAxes;

  // What of the region is not a plane's.
  static BoxQuery box_of(const RegionQuery& query, const std::uint32_t* whole) {
    BoxQuery box = query.box;
    for (const Plane& plane : query.planes) {
      for (const std::size_t axis : {plane.x, plane.y}) {
        if (axis == kMaxAxes) continue;
        box.lo[axis] = whole[2 * axis];
        box.hi[axis] = whole[2 * axis + 1];
      }
    }
    return box;
  }

  const BoxIndex& index_;
  Sides rect_, sides_;
  const std::vector<Plane>& planes_;
  Mask planes_mask_ = 0;
};

template <typename Visitor>
class RegionWalk : public IndexWalk<RegionWalk<Visitor>, const RegionReach, Visitor> {
  using Base = IndexWalk<RegionWalk<Visitor>, const RegionReach, Visitor>;
  friend Base;

 public:
  using Base::Base;

 private:
  using Base::index_;
  using Base::nodes_;
  using Base::reach_;
  using Base::see;
  using Base::visitor_;
  using GridAxis = BoxIndex::GridAxis;

  void see_children(std::uint32_t at, WalkMask open) {
    if (nodes_[at].grid == BoxIndex::kNone || everything()) {
      Base::see_children(at, open);
    } else {
      see_grid(at, open);
    }
  }

  bool everything() const {
    if constexpr (Visitor::kOutside) return visitor_.wants_outside();
    return false;
  }

  // Only the parts of the grid that meet the box around the region.
  void see_grid(std::uint32_t parent, WalkMask open) {
    const BoxIndex::Node& node = nodes_[parent];
    const BoxIndex::Grid& grid = index_.grids()[node.grid];
    const GridAxis* const axes = index_.grid_axes().data() + grid.first_axis;
    std::array<Interval, kMaxAxes> parts;
    for (std::size_t i = 0; i < grid.axes; ++i) {
      parts[i] = {0, axes[i].parts};
      if (reach_.rect().bit_of(axes[i].axis) == 0) continue;
      const Sides::Side& side = reach_.rect().of(axes[i].axis);
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
};

}  // namespace stopover
