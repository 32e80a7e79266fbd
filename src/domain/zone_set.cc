#include "domain/zone_set.h"

#include <array>
#include <set>

#include "base/usage_error.h"

namespace stopover {
namespace {

constexpr std::array<std::string_view, 3> kForms = {"names", "points", "polygons"};

bool on_globe(const PlanePoint& p) { return p.x >= -180 && p.x <= 180 && p.y >= -90 && p.y <= 90; }

Status check_zone(const ZoneRecord& zone, std::size_t number, std::size_t levels, ZoneForm form) {
  const std::string name = "zone \"" + zone.id + "\"";
  if (zone.id.empty()) return usage_error("zone number " + std::to_string(number + 1) + " has no id");
  if (zone.groups.size() != levels) {
    return usage_error(name + " has " + std::to_string(zone.groups.size()) + " groups for " + std::to_string(levels) +
                       " levels");
  }
  for (const std::string& group : zone.groups) {
    if (group.empty())
      return usage_error(name + " lacks the name of a group\n  Every zone must have one at each level.");
  }
  if (form != ZoneForm::names && !on_globe(zone.place)) return usage_error(name + " is not on the globe");
  if ((form == ZoneForm::polygons) == zone.polygons.empty()) {
    return usage_error(name + (zone.polygons.empty() ? " has no area" : " has an area where none is expected"));
  }
  return {};
}

}  // namespace

std::string_view to_string(ZoneForm form) { return kForms[static_cast<std::size_t>(form)]; }

Result<ZoneForm> parse_zone_form(std::string_view text) {
  for (std::size_t i = 0; i < kForms.size(); ++i) {
    if (kForms[i] == text) return static_cast<ZoneForm>(i);
  }
  return usage_error("zones are names, points or polygons, not \"" + std::string(text) + "\"");
}

Result<ZoneSet> ZoneSet::make(std::vector<ZoneRecord> zones, std::vector<std::string> levels, ZoneForm form) {
  if (zones.empty()) return usage_error("there are no zones");
  if (zones.size() > kMostZones) {
    return usage_error("there are " + std::to_string(zones.size()) + " zones; at most 100000 are allowed");
  }
  std::set<std::string_view> names = {"id"};  // how a zone's own name is called
  for (const std::string& level : levels) {
    if (level.empty() || !names.insert(level).second) {
      return usage_error("levels must have names that differ, and not \"" + level + "\"");
    }
  }
  ZoneSet set;
  for (std::size_t i = 0; i < zones.size(); ++i) {
    if (Status ok = check_zone(zones[i], i, levels.size(), form); !ok) return ok.error();
    if (!set.number_.emplace(zones[i].id, static_cast<std::uint32_t>(i)).second) {
      return usage_error("two zones have the id \"" + zones[i].id + "\"\n  Ids must differ from each other.");
    }
  }
  for (std::size_t level = 0; level < levels.size(); ++level) {
    std::vector<Group>& groups = set.groups_.emplace_back();
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < zones.size(); ++i) {
      const std::string& name = zones[i].groups[level];
      const auto at = static_cast<std::uint32_t>(i);
      if (groups.empty() || groups.back().name != name) {
        if (!seen.insert(name).second) {
          return usage_error("the zones of " + levels[level] + " \"" + name + "\" do not stand together");
        }
        groups.push_back({name, {at, at}});
      }
      Group& group = groups.back();
      if (level + 1 < levels.size() && zones[group.zones.lo].groups[level + 1] != zones[i].groups[level + 1]) {
        return usage_error(levels[level] + " \"" + name + "\" lies in two of " + levels[level + 1] + ": \"" +
                           zones[group.zones.lo].groups[level + 1] + "\" and \"" + zones[i].groups[level + 1] + "\"");
      }
      group.zones.hi = at + 1;
    }
  }
  set.zones_ = std::move(zones);
  set.levels_ = std::move(levels);
  set.form_ = form;
  return set;
}

std::vector<std::string> ZoneSet::ids() const {
  std::vector<std::string> list;
  list.reserve(zones_.size());
  for (const ZoneRecord& zone : zones_) list.push_back(zone.id);
  return list;
}

std::int64_t ZoneSet::find(std::string_view id) const {
  const auto at = number_.find(std::string(id));
  return at == number_.end() ? -1 : static_cast<std::int64_t>(at->second);
}

Interval ZoneSet::find_group(std::string_view name) const {
  for (const std::vector<Group>& level : groups_) {
    for (const Group& group : level) {
      if (group.name == name) return group.zones;
    }
  }
  for (std::size_t level = 0; level < groups_.size(); ++level) {
    if (!name.starts_with(levels_[level] + "=")) continue;
    for (const Group& group : groups_[level]) {
      if (group.name == name.substr(levels_[level].size() + 1)) return group.zones;
    }
  }
  return {0, 0};
}

std::vector<std::string> ZoneSet::shadowed_groups() const {
  std::vector<std::string> shadowed;
  for (std::size_t level = 0; level < groups_.size(); ++level) {
    for (const Group& group : groups_[level]) {
      // A group of the same zones is the same answer.
      const std::int64_t zone = find(group.name);
      const auto first = static_cast<std::uint32_t>(zone);
      const Interval found = zone >= 0 ? Interval{first, first + 1} : find_group(group.name);
      if (!(found == group.zones)) shadowed.push_back(levels_[level] + "=" + group.name);
    }
  }
  return shadowed;
}

}  // namespace stopover
