#include "geo/zone_locator.h"

#include <algorithm>

#include "base/usage_error.h"

namespace stopover {
namespace {

// Squares with so few zones at borders, or this small (about a metre), are not divided.
constexpr std::size_t kFew = 2;
constexpr int kSmallest = 13;

// Whether an edge comes into the box, its border included: their boxes meet, and the box's corners are not all on one
// side of the edge's line.
bool touches(const FixedEdge& edge, const FixedBox& box) {
  if (!edge.box().touches(box)) return false;
  const int first = side_of(edge.a, edge.b, box.lo);
  return first == 0 || side_of(edge.a, edge.b, box.hi) != first ||
         side_of(edge.a, edge.b, {box.lo.x, box.hi.y}) != first ||
         side_of(edge.a, edge.b, {box.hi.x, box.lo.y}) != first;
}

}  // namespace

struct ZoneLocator::Builder {
  struct Border {
    FixedEdge edge;
    std::uint32_t zone;
  };

  ZoneLocator& locator;

  // `borders`: the edges that touch the square, by zone; `whole`: zones that cover it. Both in order of the zones.
  void build(std::size_t node, FixedPoint lo, int bits, const std::vector<Border>& borders,
             const std::vector<std::uint32_t>& whole) {
    std::vector<std::uint32_t> touching;
    for (const Border& b : borders) {
      if (touching.empty() || touching.back() != b.zone) touching.push_back(b.zone);
    }
    if (touching.size() <= kFew || bits <= kSmallest) return leaf(node, touching, whole);

    const std::size_t children = locator.nodes_.size();
    locator.nodes_[node].children = static_cast<std::int32_t>(children);
    locator.nodes_.resize(children + 4);
    const int half = bits - 1;
    const std::int64_t side = std::int64_t{1} << half;
    for (int quarter = 0; quarter < 4; ++quarter) {
      const FixedPoint corner{lo.x + ((quarter & 1) != 0 ? side : 0), lo.y + ((quarter & 2) != 0 ? side : 0)};
      const FixedBox box{corner, {corner.x + side - 1, corner.y + side - 1}};
      std::vector<Border> inside;
      std::vector<std::uint32_t> covering = whole;
      std::size_t b = 0;
      for (const std::uint32_t zone : touching) {
        const std::size_t before = inside.size();
        for (; b < borders.size() && borders[b].zone == zone; ++b) {
          if (touches(borders[b].edge, box)) inside.push_back(borders[b]);
        }
        // No edge of the zone comes in: all of the square is in it or none.
        if (inside.size() == before && locator.areas_[zone].contains(corner)) covering.push_back(zone);
      }
      std::sort(covering.begin(), covering.end());
      build(children + static_cast<std::size_t>(quarter), corner, half, inside, covering);
    }
  }

  void leaf(std::size_t node, const std::vector<std::uint32_t>& touching, const std::vector<std::uint32_t>& whole) {
    std::vector<Candidate> all;
    for (const std::uint32_t zone : touching) all.push_back({zone, false});
    for (const std::uint32_t zone : whole) all.push_back({zone, true});
    std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) { return a.zone < b.zone; });
    locator.nodes_[node].first = static_cast<std::uint32_t>(locator.candidates_.size());
    locator.candidates_.insert(locator.candidates_.end(), all.begin(), all.end());
    locator.nodes_[node].end = static_cast<std::uint32_t>(locator.candidates_.size());
  }
};

Result<ZoneLocator> ZoneLocator::make(const ZoneSet& zones) {
  if (zones.form() != ZoneForm::polygons) {
    return usage_error("zones that are " + std::string(to_string(zones.form())) +
                       " have no area, so a coordinate lies in none of them\n  Give the zones' ids in columns "
                       "(`zone_columns`), or zones with areas (GeoJSON, GeoParquet).");
  }
  ZoneLocator locator;
  locator.areas_.reserve(zones.size());
  std::vector<Builder::Border> borders;
  for (std::size_t i = 0; i < zones.size(); ++i) {
    const FixedArea& area = locator.areas_.emplace_back(zones[i].polygons);
    for (const FixedEdge& edge : area.edges()) borders.push_back({edge, static_cast<std::uint32_t>(i)});
  }
  FixedBox all = locator.areas_.front().box();
  for (const FixedArea& area : locator.areas_) {
    const FixedBox& box = area.box();
    all.lo = {std::min(all.lo.x, box.lo.x), std::min(all.lo.y, box.lo.y)};
    all.hi = {std::max(all.hi.x, box.hi.x), std::max(all.hi.y, box.hi.y)};
  }
  locator.corner_ = all.lo;
  while (std::max(all.hi.x - all.lo.x, all.hi.y - all.lo.y) >> locator.bits_ != 0) ++locator.bits_;
  locator.nodes_.resize(1);
  Builder{locator}.build(0, locator.corner_, locator.bits_, borders, {});
  return locator;
}

std::int64_t ZoneLocator::locate(double lng, double lat) const {
  if (!(lng >= -180 && lng <= 180 && lat >= -90 && lat <= 90)) return -1;
  const FixedPoint p = FixedPoint::of(lng, lat);
  const std::int64_t x = p.x - corner_.x, y = p.y - corner_.y;
  if (x < 0 || y < 0 || (x >> bits_) != 0 || (y >> bits_) != 0) return -1;
  std::size_t node = 0;
  for (int bit = bits_ - 1; nodes_[node].children >= 0; --bit) {
    node = static_cast<std::size_t>(nodes_[node].children + ((x >> bit) & 1) + 2 * ((y >> bit) & 1));
  }
  for (std::uint32_t c = nodes_[node].first; c < nodes_[node].end; ++c) {
    const Candidate& candidate = candidates_[c];
    if (candidate.whole || areas_[candidate.zone].contains(p)) return candidate.zone;
  }
  return -1;
}

}  // namespace stopover
