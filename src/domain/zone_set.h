// ZoneSet: a public geography of named zones, the cells of a domain's zone axes. Traffic analysis zones, census tracts,
// stations, H3 cells, or names alone. Declared by the curator, never inferred from data.
//
//   Result<ZoneSet> zones = ZoneSet::make({{"12", {x, y}, ..., {"Mission", "East"}}, ...}, {"district", "region"},
//                                         ZoneForm::points);
//
// Zone i is cell i of every zone axis of the domain. Zones of one group of a level stand next to each other, so that a
// group is a range of the axis; inside the last level they are ordered by where they lie, so that neighbours on the
// axis are mostly neighbours on the map. `make` only checks that the order is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "domain/box.h"
#include "domain/plane_point.h"

namespace stopover {

// What is known of where a zone lies.
enum class ZoneForm {
  names,     // nothing
  points,    // a point (a station): an area of a question takes it whole or not at all
  polygons,  // an area: what a question cuts is shared out by area
};

std::string_view to_string(ZoneForm form);
Result<ZoneForm> parse_zone_form(std::string_view text);

struct ZoneRecord {
  std::string id;
  PlanePoint place;  // the point, or the area's centroid: longitude, latitude; 0, 0 for names
  std::vector<std::vector<Ring>>
      polygons;                     // of polygons: each an outer ring, then its holes; valid, as geo's Shape has
  std::vector<std::string> groups;  // one per level, the smallest first: its district, its region
  bool operator==(const ZoneRecord&) const = default;
};

class ZoneSet {
 public:
  static constexpr std::size_t kMostZones = 100'000;

  // Zones in their order on the axis. Fails (usage) on none or too many, an id that is empty or stands twice, groups
  // that are not one per level, empty, or not together on the axis, a group of one level in two of the next, places
  // that are not on the globe, and polygons where the form has none or the other way round.
  static Result<ZoneSet> make(std::vector<ZoneRecord> zones, std::vector<std::string> levels, ZoneForm form);

  std::size_t size() const { return zones_.size(); }
  ZoneForm form() const { return form_; }
  bool has_places() const { return form_ != ZoneForm::names; }
  const std::vector<ZoneRecord>& all() const { return zones_; }
  const ZoneRecord& operator[](std::size_t i) const { return zones_[i]; }
  std::vector<std::string> ids() const;
  // The zone's number; -1 when there is none of that id.
  std::int64_t find(std::string_view id) const;

  // The levels' names, the smallest groups first ("district", "region").
  const std::vector<std::string>& levels() const { return levels_; }
  struct Group {
    std::string name;
    Interval zones;  // a range of the axis
    bool operator==(const Group&) const = default;
  };
  // In their order on the axis. REQUIRES: level < levels().size().
  const std::vector<Group>& groups(std::size_t level) const { return groups_[level]; }
  // The range of a group by its name, the smallest level that has one first, or by LEVEL=NAME, as in "district=1", where
  // a zone or a smaller group has the same name; empty when there is none.
  Interval find_group(std::string_view name) const;
  // Groups that their name alone does not find, as LEVEL=NAME: a zone or a smaller group has it.
  std::vector<std::string> shadowed_groups() const;

  bool operator==(const ZoneSet& other) const {
    return form_ == other.form_ && levels_ == other.levels_ && zones_ == other.zones_;
  }

 private:
  std::vector<ZoneRecord> zones_;
  std::vector<std::string> levels_;
  std::vector<std::vector<Group>> groups_;
  std::unordered_map<std::string, std::uint32_t> number_;
  ZoneForm form_ = ZoneForm::names;
};

}  // namespace stopover
