#include "geo/fixed_area.h"

#include <algorithm>

#include "base/check.h"
#include "base/wide.h"

namespace stopover {

// Differences are at most 3.6e11 (39 bits and a sign), their products 79 bits: 128 hold the difference of two.
int side_of(const FixedPoint& a, const FixedPoint& b, const FixedPoint& c) {
  const i128 turn = static_cast<i128>(b.x - a.x) * (c.y - a.y) - static_cast<i128>(b.y - a.y) * (c.x - a.x);
  return turn > 0 ? 1 : turn < 0 ? -1 : 0;
}

FixedBox FixedEdge::box() const {
  return {{std::min(a.x, b.x), std::min(a.y, b.y)}, {std::max(a.x, b.x), std::max(a.y, b.y)}};
}

FixedArea::FixedArea(const std::vector<std::vector<Ring>>& polygons) {
  for (const std::vector<Ring>& rings : polygons) {
    for (const Ring& ring : rings) {
      const std::size_t start = positions_.size();
      ring_starts_.push_back(static_cast<std::uint32_t>(start));
      for (const PlanePoint& p : ring) {
        const FixedPoint fixed = FixedPoint::of(p.x, p.y);
        if (positions_.size() == start || positions_.back() != fixed) positions_.push_back(fixed);
      }
      if (positions_.size() > start && positions_.back() != positions_[start]) positions_.push_back(positions_[start]);
    }
  }
  STOPOVER_CHECK(!positions_.empty(), "an area without positions");
  ring_starts_.push_back(static_cast<std::uint32_t>(positions_.size()));
  box_ = {positions_.front(), positions_.front()};
  for (const FixedPoint& p : positions_) {
    box_.lo = {std::min(box_.lo.x, p.x), std::min(box_.lo.y, p.y)};
    box_.hi = {std::max(box_.hi.x, p.x), std::max(box_.hi.y, p.y)};
  }

  // About one band for every two edges.
  const std::int64_t height = box_.hi.y - box_.lo.y + 1;
  const auto wanted = static_cast<std::int64_t>(std::clamp<std::size_t>(positions_.size() / 2, 1, 1 << 16));
  while ((height >> shift_) > wanted) ++shift_;
  const auto band = [&](std::int64_t y) { return static_cast<std::size_t>((y - box_.lo.y) >> shift_); };
  bands_.assign(band(box_.hi.y) + 2, 0);
  const auto each = [&](auto&& visit) {
    for (std::size_t r = 0; r + 1 < ring_starts_.size(); ++r) {
      for (std::uint32_t i = ring_starts_[r]; i + 1 < ring_starts_[r + 1]; ++i) {
        const auto [low, high] = std::minmax(positions_[i].y, positions_[i + 1].y);
        for (std::size_t b = band(low); b <= band(high); ++b) visit(b, i);
      }
    }
  };
  each([&](std::size_t b, std::uint32_t) { ++bands_[b + 1]; });
  for (std::size_t b = 1; b < bands_.size(); ++b) bands_[b] += bands_[b - 1];
  band_edges_.resize(bands_.back());
  std::vector<std::uint32_t> next(bands_.begin(), bands_.end() - 1);
  each([&](std::size_t b, std::uint32_t i) { band_edges_[next[b]++] = i; });
}

// How many edges a ray to the east meets, for p moved a tiny step east and a far tinier one north: an edge counts when
// one end is above p and the other is at p's height or below (p itself is a trifle higher), and p is strictly west of
// it (a point on it is a trifle east).
bool FixedArea::contains(const FixedPoint& p) const {
  if (!box_.holds(p)) return false;
  const auto b = static_cast<std::size_t>((p.y - box_.lo.y) >> shift_);
  bool inside = false;
  for (std::uint32_t e = bands_[b]; e < bands_[b + 1]; ++e) {
    const FixedPoint &from = positions_[band_edges_[e]], &to = positions_[band_edges_[e] + 1];
    const bool up = to.y > p.y;
    if ((from.y > p.y) == up) continue;
    // West of an edge that goes up is to its left.
    if (p.x < from.x && p.x < to.x) {
      inside = !inside;
    } else if (p.x < from.x || p.x < to.x) {
      inside ^= side_of(from, to, p) == (up ? 1 : -1);
    }
  }
  return inside;
}

FixedArea::Place FixedArea::place_of(const FixedPoint& p) const {
  if (!box_.holds(p)) return Place::outside;
  const auto b = static_cast<std::size_t>((p.y - box_.lo.y) >> shift_);
  for (std::uint32_t e = bands_[b]; e < bands_[b + 1]; ++e) {
    const FixedEdge edge{positions_[band_edges_[e]], positions_[band_edges_[e] + 1]};
    if (edge.box().holds(p) && side_of(edge.a, edge.b, p) == 0) return Place::border;
  }
  return contains(p) ? Place::inside : Place::outside;
}

std::vector<FixedEdge> FixedArea::edges() const {
  std::vector<FixedEdge> all;
  for (std::size_t r = 0; r + 1 < ring_starts_.size(); ++r) {
    for (std::uint32_t i = ring_starts_[r]; i + 1 < ring_starts_[r + 1]; ++i) {
      all.push_back({positions_[i], positions_[i + 1]});
    }
  }
  return all;
}

// The middle of the widest piece of a line from west to east, half-way in the widest gap between corners' latitudes.
FixedPoint FixedArea::inner_point() const {
  std::vector<std::int64_t> heights;
  for (const FixedPoint& p : positions_) heights.push_back(p.y);
  std::sort(heights.begin(), heights.end());
  std::int64_t y = heights.front(), gap = -1;
  for (std::size_t i = 1; i < heights.size(); ++i) {
    if (heights[i] - heights[i - 1] <= gap) continue;
    gap = heights[i] - heights[i - 1];
    y = heights[i - 1] + gap / 2;
  }
  std::vector<std::int64_t> crossings;
  for (const FixedEdge& e : edges()) {
    if ((e.a.y > y) == (e.b.y > y)) continue;
    const i128 run = static_cast<i128>(e.b.x - e.a.x) * (y - e.a.y);
    crossings.push_back(e.a.x + static_cast<std::int64_t>(run / (e.b.y - e.a.y)));
  }
  std::sort(crossings.begin(), crossings.end());
  FixedPoint best{crossings.empty() ? positions_.front().x : crossings.front(), y};
  std::int64_t widest = -1;
  for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
    if (crossings[i + 1] - crossings[i] <= widest) continue;
    widest = crossings[i + 1] - crossings[i];
    best.x = crossings[i] + widest / 2;
  }
  return best;
}

}  // namespace stopover
