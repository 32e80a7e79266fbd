#include "explore/zone_pack.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stopover {
namespace {

constexpr std::uint64_t kBits = 14;  // decimals that mean: the bits of the reals
// A run of corners: new ones, or ones that stood before, read forwards or backwards.
enum Run : std::uint64_t { kFresh, kForwards, kBackwards, kRuns };
constexpr std::size_t kShortest = 2;  // of a run that is pointed at: one corner is as short as a step
constexpr int kTries = 6;             // earlier places of a corner that are looked at

struct Corner {
  std::int64_t x = 0, y = 0;
  bool operator==(const Corner&) const = default;
};

struct CornerHash {
  std::size_t operator()(const Corner& c) const {
    const auto x = static_cast<std::uint64_t>(c.x), y = static_cast<std::uint64_t>(c.y);
    return static_cast<std::size_t>((x * 0x9e3779b97f4a7c15u ^ y) * 0xc2b2ae3d27d4eb4fu >> 20);
  }
};

double unit_of(std::uint64_t decimals) {
  double unit = 1;
  for (std::uint64_t i = 0; i < decimals; ++i) unit *= 10;  // exact: up to 1e13
  return unit;
}

// Degrees are at most 360: with 13 decimals 52 bits, so the product's rounding is below one half.
std::int64_t whole(double degrees, std::uint64_t decimals) {
  return decimals == kBits ? std::bit_cast<std::int64_t>(degrees) : std::llround(degrees * unit_of(decimals));
}

// A quotient of two whole numbers is rounded once, as the text of that decimal number was when it was read.
double degrees(std::int64_t value, std::uint64_t decimals) {
  return decimals == kBits ? std::bit_cast<double>(value) : static_cast<double>(value) / unit_of(decimals);
}

// What the engine may count on in a ring.
bool sound(const Ring& ring) {
  if (ring.size() < 3) return false;
  for (const PlanePoint& p : ring) {
    if (!(std::abs(p.x) <= 360 && std::abs(p.y) <= 90)) return false;
  }
  return true;
}

template <class Do>
void each_ring(const ZoneSet& zones, Do&& use) {
  for (const ZoneRecord& zone : zones.all()) {
    for (const std::vector<Ring>& polygon : zone.polygons) {
      for (const Ring& ring : polygon) use(ring);
    }
  }
}

bool exact(const ZoneSet& zones, std::uint64_t decimals) {
  bool all = true;
  each_ring(zones, [&](const Ring& ring) {
    for (std::size_t i = 0; all && i < ring.size(); ++i) {
      for (const double value : {ring[i].x, ring[i].y}) {
        const double back = degrees(whole(value, decimals), decimals);
        all = all && back == value && std::signbit(back) == std::signbit(value);
      }
    }
  });
  return all;
}

std::uint64_t fewest_decimals(const ZoneSet& zones) {
  std::uint64_t decimals = 0;
  while (decimals < kBits && !exact(zones, decimals)) ++decimals;
  return decimals;
}

// Steps wrap around: the bits of two reals may lie further apart than a signed number goes.
std::uint64_t step(std::int64_t from, std::int64_t to) {
  return zigzag(static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from)));
}
std::int64_t stepped(std::int64_t from, std::uint64_t by) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + static_cast<std::uint64_t>(unzigzag(by)));
}

class RingPacker {
 public:
  RingPacker(Packer& out, std::uint64_t decimals) : out_(out), decimals_(decimals) {}

  void operator()(const Ring& ring) {
    std::vector<Corner> corners;
    for (const PlanePoint& p : ring) corners.push_back({whole(p.x, decimals_), whole(p.y, decimals_)});
    out_.number(corners.size());
    std::size_t fresh = 0;  // where the new corners begin that are not written yet
    std::size_t at = 0;
    while (at < corners.size()) {
      const Match match = longest(corners, at);
      if (match.length < kShortest) {
        ++at;
        continue;
      }
      write_fresh(corners, fresh, at);
      out_.number(match.length * kRuns + match.run);
      out_.number(seen_.size() - 1 - match.from);
      at += match.length;
      fresh = at;
      last_ = corners[at - 1];
    }
    write_fresh(corners, fresh, at);
    // Corners can be pointed at from the next ring on.
    for (const Corner& corner : corners) {
      const auto number = static_cast<std::int64_t>(seen_.size());
      const auto [place, added] = newest_.emplace(corner, number);
      before_.push_back(added ? -1 : std::exchange(place->second, number));
      seen_.push_back(corner);
    }
  }

 private:
  struct Match {
    std::size_t from = 0, length = 0;
    Run run = kForwards;
  };

  Match longest(const std::vector<Corner>& corners, std::size_t at) const {
    Match best;
    const auto found = newest_.find(corners[at]);
    std::int64_t from = found == newest_.end() ? -1 : found->second;
    for (int tries = 0; from >= 0 && tries < kTries; ++tries, from = before_[static_cast<std::size_t>(from)]) {
      const auto begin = static_cast<std::size_t>(from);
      std::size_t forwards = 1, backwards = 1;
      while (at + forwards < corners.size() && begin + forwards < seen_.size() &&
             seen_[begin + forwards] == corners[at + forwards]) {
        ++forwards;
      }
      while (at + backwards < corners.size() && backwards <= begin &&
             seen_[begin - backwards] == corners[at + backwards]) {
        ++backwards;
      }
      if (forwards > best.length) best = {begin, forwards, kForwards};
      if (backwards > best.length) best = {begin, backwards, kBackwards};
    }
    return best;
  }

  void write_fresh(const std::vector<Corner>& corners, std::size_t begin, std::size_t end) {
    if (begin == end) return;
    out_.number((end - begin) * kRuns + kFresh);
    for (std::size_t i = begin; i < end; ++i) {
      out_.number(step(last_.x, corners[i].x));
      out_.number(step(last_.y, corners[i].y));
      last_ = corners[i];
    }
  }

  Packer& out_;
  std::uint64_t decimals_;
  Corner last_;
  std::vector<Corner> seen_;
  std::vector<std::int64_t> before_;  // the place of the same corner before that one; -1: none
  std::unordered_map<Corner, std::int64_t, CornerHash> newest_;
};

class RingUnpacker {
 public:
  RingUnpacker(Unpacker& in, std::uint64_t decimals) : in_(in), decimals_(decimals) {}

  Ring operator()() {
    const std::size_t old = seen_.size();
    const auto size = static_cast<std::size_t>(in_.number(kMostPackedCorners - old));
    while (in_.good() && seen_.size() < old + size) {
      const std::uint64_t head = in_.number();
      const std::uint64_t length = head / kRuns;
      if (length == 0 || length > old + size - seen_.size()) in_.fail();
      if (!in_.good()) break;
      if (head % kRuns == kFresh) {
        for (std::uint64_t i = 0; i < length && in_.good(); ++i) {
          const std::uint64_t x = in_.number(), y = in_.number();
          seen_.push_back({stepped(last_.x, x), stepped(last_.y, y)});
          last_ = seen_.back();
        }
        continue;
      }
      const bool forwards = head % kRuns == kForwards;
      const std::uint64_t back = in_.number();
      if (back >= old) in_.fail();
      if (!in_.good()) break;
      const std::uint64_t from = old - 1 - back;
      if (forwards ? from + length > old : from + 1 < length) in_.fail();
      for (std::uint64_t i = 0; i < length && in_.good(); ++i) {
        seen_.push_back(seen_[static_cast<std::size_t>(forwards ? from + i : from - i)]);
      }
      if (in_.good()) last_ = seen_.back();
    }
    Ring ring;
    for (std::size_t i = old; i < seen_.size(); ++i) {
      ring.push_back({degrees(seen_[i].x, decimals_), degrees(seen_[i].y, decimals_)});
    }
    return ring;
  }

 private:
  Unpacker& in_;
  std::uint64_t decimals_;
  Corner last_;
  std::vector<Corner> seen_;
};

}  // namespace

std::size_t corners_of(const ZoneSet& zones) {
  std::size_t corners = 0;
  each_ring(zones, [&](const Ring& ring) { corners += ring.size(); });
  return corners;
}

void pack_zones(Packer& out, const ZoneSet& zones) {
  STOPOVER_CHECK(corners_of(zones) <= kMostPackedCorners, "a pack of zones has a limit");
  out.number(static_cast<std::uint64_t>(zones.form()));
  out.number(zones.size());
  for (const ZoneRecord& zone : zones.all()) out.text(zone.id);
  out.number(zones.levels().size());
  for (std::size_t level = 0; level < zones.levels().size(); ++level) {
    out.text(zones.levels()[level]);
    out.number(zones.groups(level).size());
    for (const ZoneSet::Group& group : zones.groups(level)) {
      out.text(group.name);
      out.number(group.zones.hi - group.zones.lo);
    }
  }
  if (zones.has_places()) {
    std::vector<double> x, y;
    for (const ZoneRecord& zone : zones.all()) {
      x.push_back(zone.place.x);
      y.push_back(zone.place.y);
    }
    out.reals(x);
    out.reals(y);
  }
  if (zones.form() != ZoneForm::polygons) return;
  for (const ZoneRecord& zone : zones.all()) {
    out.number(zone.polygons.size());
    for (const std::vector<Ring>& polygon : zone.polygons) out.number(polygon.size());
  }
  const std::uint64_t decimals = fewest_decimals(zones);
  out.number(decimals);
  each_ring(zones, RingPacker(out, decimals));
}

Result<ZoneSet> unpack_zones(Unpacker& in) {
  const Error broken{Failure::bad_input, "these bytes are not packed zones"};
  const std::string_view whole_text = in.rest();
  const auto form = static_cast<ZoneForm>(in.number(static_cast<std::uint64_t>(ZoneForm::polygons)));
  std::vector<ZoneRecord> zones(in.length());
  for (ZoneRecord& zone : zones) zone.id = in.text();
  std::vector<std::string> levels(in.length());
  for (std::string& level : levels) {
    level = in.text();
    const std::size_t groups = in.length();
    std::size_t at = 0;
    for (std::size_t i = 0; i < groups && in.good(); ++i) {
      const std::string name = in.text();
      const std::uint64_t size = in.number(zones.size() - at);
      for (std::uint64_t k = 0; k < size; ++k) zones[at++].groups.push_back(name);
    }
    if (at != zones.size()) in.fail();
  }
  if (form != ZoneForm::names) {
    const std::vector<double> x = in.reals(zones.size()), y = in.reals(zones.size());
    for (std::size_t i = 0; i < zones.size() && in.good(); ++i) zones[i].place = {x[i], y[i]};
  }
  if (form == ZoneForm::polygons) {
    for (ZoneRecord& zone : zones) {
      zone.polygons.resize(in.length());
      for (std::vector<Ring>& polygon : zone.polygons) {
        polygon.resize(in.length());
        if (polygon.empty()) in.fail();
      }
    }
    RingUnpacker next(in, in.number(kBits));
    for (ZoneRecord& zone : zones) {
      for (std::vector<Ring>& polygon : zone.polygons) {
        for (Ring& ring : polygon) {
          ring = next();
          if (!in.good() || !sound(ring)) return broken;
        }
      }
    }
  }
  if (!in.good()) return broken;
  Result<ZoneSet> made = ZoneSet::make(std::move(zones), std::move(levels), form);
  if (!made) return broken;
  // There are many ways to point at what stood before: only the packer's own is read.
  Packer again;
  pack_zones(again, *made);
  if (again.take() != whole_text.substr(0, whole_text.size() - in.rest().size())) return broken;
  return made;
}

}  // namespace stopover
