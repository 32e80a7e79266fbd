#include "geo/simplify.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <queue>
#include <unordered_map>

#include "geo/fixed_area.h"

namespace stopover {
namespace {

constexpr double kAlways = std::numeric_limits<double>::infinity();

struct PointHash {
  std::size_t operator()(const FixedPoint& p) const {
    const auto mix = static_cast<std::uint64_t>(p.x) * 0x9E3779B97F4A7C15U ^ static_cast<std::uint64_t>(p.y);
    return static_cast<std::size_t>((mix ^ (mix >> 29)) * 0xBF58476D1CE4E5B9U >> 16);
  }
};

using Corner = std::uint32_t;  // the number of a position; positions that are equal have one number

// A piece of border between two junctions, or a whole ring without one (its first corner stands at the end again).
struct Arc {
  std::vector<Corner> corners;
  std::vector<double> weight;  // by corner: goes when the least weight to stay is above it
  double halving = 1;          // what the least weight is multiplied by here
};

struct ArcUse {
  std::uint32_t arc;
  bool backwards;
};

class Mesh {
 public:
  explicit Mesh(std::span<const Shape> shapes) {
    for (const Shape& shape : shapes) {
      for (const std::vector<Ring>& polygon : shape.polygons) {
        for (const Ring& ring : polygon) rings_.push_back(numbered(ring));
      }
    }
    find_junctions();
    std::size_t next = 0;
    uses_.resize(rings_.size());
    for (const std::vector<Corner>& ring : rings_) cut(ring, uses_[next++]);
    keep_areas();
    for (Arc& arc : arcs_) weigh(arc);
  }

  // The weight that about `most` corners of all rings have or exceed.
  double least_weight(std::size_t most) const {
    std::vector<double> all;
    for (const auto& uses : uses_) {
      for (const ArcUse& use : uses) {
        const std::vector<double>& weight = arcs_[use.arc].weight;
        all.insert(all.end(), weight.begin(), weight.end() - 1);
      }
    }
    if (all.size() <= most) return 0;
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(all.begin(), at, all.end(), std::greater<>());
    return std::min(*at, std::numeric_limits<double>::max());
  }

  Ring ring(std::size_t number, double least) const {
    Ring ring;
    for (const ArcUse& use : uses_[number]) {
      const Arc& arc = arcs_[use.arc];
      const std::size_t n = arc.corners.size();
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t c = use.backwards ? n - 1 - i : i;
        if (!(arc.weight[c] > least * arc.halving)) continue;
        if (i == 0 && !ring.empty()) continue;  // the end of the arc before
        const FixedPoint& p = positions_[arc.corners[c]];
        ring.push_back({static_cast<double>(p.x) / 1e9, static_cast<double>(p.y) / 1e9});
      }
    }
    return ring;
  }

  // More corners along this ring; false when it has all.
  bool refine(std::size_t number) {
    bool more = false;
    for (const ArcUse& use : uses_[number]) {
      double& halving = arcs_[use.arc].halving;
      more = more || halving > 0;
      halving = halving < 1e-3 ? 0 : halving / 4;
    }
    return more;
  }

 private:
  std::vector<Corner> numbered(const Ring& ring) {
    std::vector<Corner> corners;
    for (const PlanePoint& p : ring) {
      const FixedPoint fixed = FixedPoint::of(p.x, p.y);
      const auto [at, fresh] = number_.emplace(fixed, static_cast<Corner>(positions_.size()));
      if (fresh) positions_.push_back(fixed);
      if (corners.empty() || corners.back() != at->second) corners.push_back(at->second);
    }
    if (corners.size() > 1 && corners.front() == corners.back()) corners.pop_back();
    return corners;
  }

  // A corner is a junction when two rings come to it by different ways.
  void find_junctions() {
    constexpr Corner kNone = ~Corner{0};
    std::vector<std::pair<Corner, Corner>> beside(positions_.size(), {kNone, kNone});
    junction_.assign(positions_.size(), false);
    for (const std::vector<Corner>& ring : rings_) {
      for (std::size_t i = 0; i < ring.size(); ++i) {
        const std::pair<Corner, Corner> sides =
            std::minmax(ring[(i + ring.size() - 1) % ring.size()], ring[(i + 1) % ring.size()]);
        std::pair<Corner, Corner>& before = beside[ring[i]];
        if (before.first == kNone) before = sides;
        if (before != sides) junction_[ring[i]] = true;
      }
    }
  }

  void cut(const std::vector<Corner>& ring, std::vector<ArcUse>& uses) {
    const std::size_t n = ring.size();
    std::size_t start = 0;
    while (start < n && !junction_[ring[start]]) ++start;
    const bool closed = start == n;
    if (closed) start = static_cast<std::size_t>(std::min_element(ring.begin(), ring.end()) - ring.begin());
    std::vector<Corner> arc = {ring[start]};
    for (std::size_t i = 1; i <= n; ++i) {
      const Corner corner = ring[(start + i) % n];
      arc.push_back(corner);
      if (i < n && !junction_[corner]) continue;
      uses.push_back(shared(std::move(arc)));
      arc = {corner};
    }
  }

  // The same arc for both sides of a border: that of the two directions whose corners come first.
  ArcUse shared(std::vector<Corner> corners) {
    std::vector<Corner> other(corners.rbegin(), corners.rend());
    const bool backwards = other < corners;
    if (backwards) corners.swap(other);
    const auto [at, fresh] = known_.emplace(corners, static_cast<std::uint32_t>(arcs_.size()));
    if (fresh) arcs_.push_back({std::move(corners), {}, 1});
    return {at->second, backwards};
  }

  // Arcs between the same two junctions would fall together without a corner between: each keeps one, a ring by itself
  // two.
  void keep_areas() {
    std::map<std::pair<Corner, Corner>, int> between;
    const auto ends = [](const Arc& arc) { return std::minmax(arc.corners.front(), arc.corners.back()); };
    for (const Arc& arc : arcs_) ++between[ends(arc)];
    keep_.resize(arcs_.size());
    for (std::size_t a = 0; a < arcs_.size(); ++a) {
      const bool closed = arcs_[a].corners.front() == arcs_[a].corners.back();
      keep_[a] = closed ? 2 : between[ends(arcs_[a])] > 1 ? 1 : 0;
    }
  }

  double triangle(Corner a, Corner b, Corner c) const {
    const FixedPoint &p = positions_[a], &q = positions_[b], &r = positions_[c];
    const auto of = [](std::int64_t x) { return static_cast<double>(x); };
    const double doubled = of(q.x - p.x) * of(r.y - p.y) - of(q.y - p.y) * of(r.x - p.x);
    return doubled < 0 ? -doubled : doubled;
  }

  // Takes the corner of the smallest triangle away, again and again; its weight is that triangle's area, or that of one
  // that went before if larger, so that weights say the order.
  void weigh(Arc& arc) {
    const std::size_t n = arc.corners.size();
    arc.weight.assign(n, kAlways);
    std::vector<std::size_t> left(n), right(n);
    std::vector<double> now(n, kAlways);
    using Entry = std::pair<double, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    const auto measure = [&](std::size_t i) {
      now[i] = triangle(arc.corners[left[i]], arc.corners[i], arc.corners[right[i]]);
      queue.push({now[i], i});
    };
    for (std::size_t i = 1; i + 1 < n; ++i) {
      left[i] = i - 1;
      right[i] = i + 1;
      measure(i);
    }
    double most = 0;
    std::size_t remaining = n < 2 ? 0 : n - 2;
    const auto kept = static_cast<std::size_t>(keep_[static_cast<std::size_t>(&arc - arcs_.data())]);
    while (!queue.empty() && remaining > kept) {
      const auto [size, i] = queue.top();
      queue.pop();
      if (size != now[i]) continue;
      most = std::max(most, size);
      arc.weight[i] = most;
      now[i] = -1;
      --remaining;
      const std::size_t before = left[i], after = right[i];
      if (after + 1 < n) {
        left[after] = before;
        measure(after);
      }
      if (before > 0) {
        right[before] = after;
        measure(before);
      }
    }
  }

  std::vector<FixedPoint> positions_;
  std::unordered_map<FixedPoint, Corner, PointHash> number_;
  std::vector<std::vector<Corner>> rings_;
  std::vector<bool> junction_;
  std::vector<Arc> arcs_;
  std::vector<int> keep_;
  std::map<std::vector<Corner>, std::uint32_t> known_;
  std::vector<std::vector<ArcUse>> uses_;
};

}  // namespace

std::vector<Shape> simplified(std::span<const Shape> shapes, std::size_t most_corners) {
  Mesh mesh(shapes);
  const double least = mesh.least_weight(most_corners);
  std::vector<std::size_t> first_ring;  // of every shape
  std::size_t rings = 0;
  for (const Shape& shape : shapes) {
    first_ring.push_back(rings);
    for (const std::vector<Ring>& polygon : shape.polygons) rings += polygon.size();
  }
  std::vector<Shape> drawn(shapes.size());
  const auto draw = [&](std::size_t s) {
    Shape shape;
    std::size_t ring = first_ring[s];
    for (const std::vector<Ring>& polygon : shapes[s].polygons) {
      std::vector<Ring>& out = shape.polygons.emplace_back();
      for (std::size_t i = 0; i < polygon.size(); ++i) out.push_back(mesh.ring(ring++, least));
    }
    drawn[s] = std::move(shape);
  };
  // A border that gets its corners back may make a neighbour that was fine cross itself: until none does.
  for (int round = 0; round < 8; ++round) {
    bool again = false;
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      draw(s);
      const Result<Shape> valid = checked(drawn[s], "");
      if (valid && valid->rings().size() == drawn[s].rings().size()) continue;
      std::size_t ring = first_ring[s];
      for (const std::vector<Ring>& polygon : shapes[s].polygons) {
        for (std::size_t i = 0; i < polygon.size(); ++i) again = mesh.refine(ring++) || again;
      }
    }
    if (!again) break;
  }
  for (std::size_t s = 0; s < shapes.size(); ++s) draw(s);
  return drawn;
}

}  // namespace stopover
