// MapWalk: the way of a region through an index whose leaves hold trips as maps say (index_walk.h). Internal to
// answerer.cc and leaf_shares.cc.
//
// A node is one place on each map, and nodes share places (map_places.h): what the region takes of a place is found out
// once a question, for all of them in one go. A condition of the walk is a map that the region narrows, by a box or by
// a plane.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "query/box_walk.h"
#include "query/index_walk.h"
#include "query/region_query.h"

namespace stopover {

// What a question takes of a place.
enum PlaceState : std::int32_t { kPlaceOutside, kPlaceInside, kPlaceCut, kPlaceCutAndShareKnown };

// Of all places; memory to use again.
struct TakenPlaces {
  std::vector<MapPlaces::Lanes> states;
  std::vector<double> shares;  // where known
};

// What narrows one map: a plane, or a box.
class MapCut {
 public:
  MapCut() = default;
  MapCut(const MapPlaces& maps, std::size_t number, const BoxQuery& box) {
    const auto [x, y] = maps.axes(number);
    const StopMap& map = maps.map(number);
    x_ = Sides::Side(x, box.lo[x], box.hi[x], map.width());
    y_ = y < kMaxAxes ? Sides::Side(y, box.lo[y], box.hi[y], map.height()) : Sides::Side(y, 0, 1, 1);
    narrows_ = x_.place(0, map.width()) != Where::inside || y_.place(0, map.height()) != Where::inside;
    if (!narrows_) return;
    const MapPlaces::Edges& edges = maps.edges(number);
    const double xs[2] = {x_.lo, x_.hi}, ys[2] = {y_.lo, y_.hi};
    for (std::size_t i = 0; i < 2; ++i) {
      at_x_[i] = edges.at_x(xs[i]);
      at_y_[i] = edges.at_y(ys[i]);
      for (std::size_t j = 0; j < 2; ++j) corners_[i][j] = map.below(xs[i], ys[j]);
    }
  }
  void set_plane(const PlaneSums* plane) {
    plane_ = plane;
    narrows_ = true;
  }

  bool narrows() const { return narrows_; }

  // REQUIRES: narrows().
  void take(const MapPlaces& maps, Interval places, TakenPlaces& taken) const {
    constexpr std::uint32_t kLanes = MapPlaces::kLanes;
    if (plane_ != nullptr) {
      take_plane(maps, places, taken);
      return;
    }
    const Bounds x(x_), y(y_);
    MapPlaces::Lanes* const states = taken.states.data();
    // From `end` on all start beyond the box.
    std::uint32_t end = places.lo / kLanes, past = places.hi / kLanes;
    while (end < past) {
      const std::uint32_t middle = (end + past) / 2;
      if (maps.sides(middle).x_lo[0] < x.touch_hi) {
        end = middle + 1;
      } else {
        past = middle;
      }
    }
    std::fill(states + end, states + places.hi / kLanes, MapPlaces::Lanes{});
    for (std::uint32_t i = places.lo / kLanes; i < end; ++i) {
      const MapPlaces::Sides& sides = maps.sides(i);
      const MapPlaces::Lanes touched =
          (sides.x_hi > x.touch_lo) & (sides.x_lo < x.touch_hi) & (sides.y_hi > y.touch_lo) & (sides.y_lo < y.touch_hi);
      const MapPlaces::Lanes inside =
          (sides.x_lo > x.in_lo) & (sides.x_hi < x.in_hi) & (sides.y_lo > y.in_lo) & (sides.y_hi < y.in_hi);
      states[i] = touched & (std::int32_t{kPlaceCut} + inside);
    }
  }

  // Of a place that is cut.
  double share(const MapPlaces::Place& place) const {
    if (plane_ != nullptr) {
      const double part = place.mass > 0 ? plane_->mass(place.x, place.y) / place.mass
                                         : plane_->area(place.x, place.y) / place.x.width() / place.y.width();
      return std::clamp(part, 0.0, 1.0);
    }
    if (!(place.mass > 0)) return x_.share(place.x.lo, place.x.hi) * y_.share(place.y.lo, place.y.hi);
    const bool y_cut[2] = {y_.lo > place.y.lo, y_.hi < place.y.hi};
    const double lo = strip(place, 0, x_.lo > place.x.lo, y_cut);
    const double hi = strip(place, 1, x_.hi < place.x.hi, y_cut);
    return std::clamp((hi - lo) / place.mass, 0.0, 1.0);
  }

 private:
  // A place is touched if it ends after touch_lo and starts before touch_hi, inside if it starts after in_lo and ends
  // before in_hi.
  struct Bounds {
    std::int32_t touch_lo, touch_hi, in_lo, in_hi;
    explicit Bounds(const Sides::Side& side)
        : touch_lo(static_cast<std::int32_t>(side.outside_lo)),
          touch_hi(static_cast<std::int32_t>(side.outside_hi)),
          in_lo(static_cast<std::int32_t>(side.inside_lo) - 1),
          in_hi(static_cast<std::int32_t>(side.inside_hi) + 1) {}
  };

  // Most places lie outside the plane's rectangle.
  void take_plane(const MapPlaces& maps, Interval places, TakenPlaces& taken) const {
    constexpr std::uint32_t kLanes = MapPlaces::kLanes;
    const auto x_lo = static_cast<std::int32_t>(plane_->x().lo), x_hi = static_cast<std::int32_t>(plane_->x().hi);
    const auto y_lo = static_cast<std::int32_t>(plane_->y().lo), y_hi = static_cast<std::int32_t>(plane_->y().hi);
    for (std::uint32_t i = places.lo / kLanes; i < places.hi / kLanes; ++i) {
      const MapPlaces::Sides& sides = maps.sides(i);
      const MapPlaces::Lanes touched =
          (sides.x_hi > x_lo) & (sides.x_lo < x_hi) & (sides.y_hi > y_lo) & (sides.y_lo < y_hi);
      MapPlaces::Lanes& states = taken.states[i];
      states = touched;
      if ((touched[0] | touched[1] | touched[2] | touched[3]) == 0) continue;
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        if (touched[lane] != 0) states[lane] = plane_state(maps.place(i * kLanes + lane));
      }
    }
  }

  PlaceState plane_state(const MapPlaces::Place& place) const {
    const PlaneSums::Side side = plane_->side(place.x, place.y);
    return side == PlaneSums::Side::outside  ? kPlaceOutside
           : side == PlaneSums::Side::inside ? kPlaceInside
                                             : kPlaceCut;
  }

  // The map's mass below one end of x, between the ends of y.
  double strip(const MapPlaces::Place& place, std::size_t end, bool x_cut, const bool (&y_cut)[2]) const {
    // Which of the four it is cannot be foreseen: all are taken, and one is picked without a branch.
    double below[2];
    for (std::size_t j = 0; j < 2; ++j) {
      const double either[4] = {place.below[end][j], at_y_[j][place.x_edges[end]], at_x_[end][place.y_edges[j]],
                                corners_[end][j]};
      below[j] = either[2 * std::size_t{x_cut} + std::size_t{y_cut[j]}];
    }
    return below[1] - below[0];
  }

  Sides::Side x_, y_;
  bool narrows_ = false;
  const PlaneSums* plane_ = nullptr;
  MapPlaces::Edges::Row at_x_[2], at_y_[2];  // at the ends of the box
  double corners_[2][2]{};
};

// A region over a whole index.
class MapReach {
 public:
  MapReach(const BoxIndex& index, const BoxQuery& box, const std::vector<Plane>* planes, TakenPlaces& taken)
      : index_(index), maps_(*index.maps()), of_(maps_.of(0)), width_(maps_.size()), parts_(index.has_parts()) {
    taken.states.resize(maps_.places() / MapPlaces::kLanes);
    taken.shares.resize(maps_.places());
    for (std::size_t m = 0; m < width_; ++m) {
      cuts_[m] = MapCut(maps_, m, box);
      if (planes != nullptr) {
        for (const Plane& plane : *planes) {
          if (plane.map == m) cuts_[m].set_plane(plane.sums.get());
        }
      }
      if (!cuts_[m].narrows()) continue;
      all_ |= WalkMask{1} << m;
      cuts_[m].take(maps_, maps_.places_on(m), taken);
    }
    states_ = reinterpret_cast<std::int32_t*>(taken.states.data());
    shares_ = taken.shares.data();
  }

  WalkMask all() const { return all_; }

  [[gnu::always_inline]] bool outside(std::uint32_t at, WalkMask& open) const {
    const std::uint32_t* places = of_ + at * width_;
    WalkMask cut = 0;
    for (WalkMask left = open; left != 0; left &= left - 1) {
      const auto m = static_cast<std::size_t>(std::countr_zero(left));
      const std::int32_t state = states_[places[m]];
      if (state == kPlaceOutside) return true;
      cut |= static_cast<WalkMask>(state >= kPlaceCut) << m;
    }
    open = cut;
    return false;
  }

  [[gnu::always_inline]] double share(std::uint32_t at, WalkMask open) const {
    return parts_ ? parts_share(at, open) : plain_share(at, open);
  }

  // Of a part of a leaf (BoxIndex::parts), of all that the region narrows.
  double part_share(std::uint32_t part) const {
    WalkMask open = all_;
    return outside(part, open) ? 0 : plain_share(part, open);
  }

  [[gnu::always_inline]] double plain_share(std::uint32_t at, WalkMask open) const {
    const std::uint32_t* places = of_ + at * width_;
    double product = 1;
    for (; open != 0; open &= open - 1) {
      const auto m = static_cast<std::size_t>(std::countr_zero(open));
      product *= share_of(places[m], m);
    }
    return product;
  }

  // The leaves from `first` to `end` that are not outside: use(leaf, share, cut).
  template <typename Use>
  [[gnu::always_inline]] void for_leaves(std::uint32_t first, std::uint32_t end, WalkMask open, Use use) const {
    const auto m = static_cast<std::size_t>(std::countr_zero(open));
    const std::uint32_t* const one = of_ + m;
    const WalkMask others = open & (open - 1);
    if (parts_) {
      for (std::uint32_t at = first; at < end; ++at) {
        WalkMask cut = open;
        if (!outside(at, cut)) use(at, parts_share(at, cut), cut != 0);
      }
    } else if (others == 0) {
      for (std::uint32_t at = first; at < end; ++at) {
        const std::int32_t state = states_[one[at * width_]];
        if (state != kPlaceOutside) use(at, share_of(one[at * width_], m), state >= kPlaceCut);
      }
    } else if ((others & (others - 1)) == 0) {
      const auto n = static_cast<std::size_t>(std::countr_zero(others));
      const std::uint32_t* const two = of_ + n;
      for (std::uint32_t at = first; at < end; ++at) {
        const std::uint32_t p = one[at * width_], q = two[at * width_];
        const std::int32_t a = states_[p], b = states_[q];
        if ((a != kPlaceOutside) & (b != kPlaceOutside)) use(at, share_of(p, m) * share_of(q, n), (a | b) >= kPlaceCut);
      }
    } else {
      for (std::uint32_t at = first; at < end; ++at) {
        WalkMask cut = open;
        if (!outside(at, cut)) use(at, share(at, cut), cut != 0);
      }
    }
  }

 private:
  // Where the parts of a leaf say how its trips lie.
  [[gnu::noinline]] double parts_share(std::uint32_t at, WalkMask open) const {
    if (open == 0) return 1;
    const Interval parts = index_.parts(at);
    if (parts.width() == 0) return plain_share(at, open);
    double sum = 0;
    for (std::uint32_t part = parts.lo; part < parts.hi; ++part) {
      WalkMask cut = open;
      if (!outside(part, cut)) sum += index_.part_share(part) * plain_share(part, cut);
    }
    return sum < 1 ? sum : 1;
  }
  [[gnu::always_inline]] double share_of(std::uint32_t place, std::size_t m) const {
    if (states_[place] == kPlaceCut) find_share(place, m);
    return states_[place] == kPlaceInside ? 1 : shares_[place];
  }
  [[gnu::noinline]] void find_share(std::uint32_t place, std::size_t m) const {
    shares_[place] = cuts_[m].share(maps_.place(place));
    states_[place] = kPlaceCutAndShareKnown;
  }

  const BoxIndex& index_;
  const MapPlaces& maps_;
  const std::uint32_t* of_;
  std::size_t width_;
  bool parts_;
  std::int32_t* states_ = nullptr;
  double* shares_ = nullptr;
  std::array<MapCut, kMaxAxes> cuts_;  // [map]
  WalkMask all_ = 0;
};

template <typename Visitor>
class MapWalk : public IndexWalk<MapWalk<Visitor>, const MapReach, Visitor> {
  using Base = IndexWalk<MapWalk<Visitor>, const MapReach, Visitor>;
  friend Base;

 public:
  using Base::Base;

 private:
  // Whether a leaf is inside or cut is hard to foresee, so visitors that can take both alike.
  void see_children(std::uint32_t parent, WalkMask open) {
    if constexpr (requires { Visitor::kTakesAnyLeaf; }) {
      const BoxIndex::Node& node = this->nodes_[parent];
      if (node.all_leaves) {
        this->visitor_.any_leaves(node, this->sums_, [&](auto use) {
          this->reach_.for_leaves(node.first, node.first + node.children, open, use);
        });
        return;
      }
    }
    Base::see_children(parent, open);
  }
};

}  // namespace stopover
