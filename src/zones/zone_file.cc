#include "zones/zone_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <unordered_map>

#include "base/usage_error.h"
#include "zones/zone_features.h"
#include "zones/zone_list.h"
#include "zones/zone_order.h"
#include "zones/zone_overlap.h"
#include "zones/zone_table.h"

namespace stopover {
namespace {

Error bad(std::string message) { return {Failure::bad_input, std::move(message)}; }

Result<ZoneList> read_list(const ZoneFile& file) {
  errno = 0;
  std::ifstream in(file.path, std::ios::binary);
  std::string start(4, '\0');
  in.read(start.data(), 4);
  if (in.gcount() == 0) {
    if (errno != 0) {
      return bad(file.path + " cannot be read: " + std::strerror(errno) + "\n  Give a file of " +
                 (file.field == "zones" ? "zones" : "areas") + " (`" + file.field + "`).");
    }
    return bad(file.path + " is empty\n  Give a GeoJSON, CSV or Parquet file with zones.");
  }
  for (const char* kind : {".shp", ".gpkg", ".kml", ".gml", ".fgb", ".zip", ".tab", ".dbf"}) {
    if (!file.path.ends_with(kind)) continue;
    return bad(file.path + " is a " + kind +
               " file\n  Convert it first, as with ogr2ogr -t_srs EPSG:4326 zones.geojson " + file.path + ".");
  }
  start.resize(static_cast<std::size_t>(in.gcount()));
  if (start == "PAR1") return zones_of_table(file, true);
  // GeoJSON starts with a brace, after blanks or a mark of its encoding.
  const std::size_t first = start.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const bool json = first == std::string::npos || start[first] == '{' || start[first] == '[';
  if (!json && !file.path.ends_with("json")) return zones_of_table(file, false);
  in.clear();
  in.seekg(0);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return zones_of_geojson(text, file);
}

// Names are typed, and stand in lines of text and of CSV.
Status check_names(const ZoneList& list, const ZoneFile& file) {
  const auto typed = [](const std::string& name) {
    return std::none_of(name.begin(), name.end(), [](char c) {
      const auto code = static_cast<unsigned char>(c);
      return code < 0x20 || code == 0x7F;
    });
  };
  for (std::size_t i = 0; i < list.entries.size(); ++i) {
    const ZoneList::Entry& entry = list.entries[i];
    const std::string where = file.path + ": " + list.entry_name + " " + std::to_string(i + 1);
    if (!typed(entry.id)) return bad(where + " has an id with a line break or another control character in it\n  Ids are typed and stand in lines of text: "
                       "leave such characters out.");
    if (!std::all_of(entry.groups.begin(), entry.groups.end(), typed))
      return bad(where + " is in a group with a line break or another control character in its name\n  Leave such "
                         "characters out.");
  }
  return {};
}

// A ring over 180 degrees of longitude would be read as one around the other side of the globe.
Status check_widths(const ZoneList& list, const ZoneFile& file) {
  for (std::size_t i = 0; i < list.entries.size(); ++i) {
    for (const std::vector<Ring>& polygon : list.entries[i].shape.polygons) {
      const auto [west, east] = std::minmax_element(polygon.front().begin(), polygon.front().end(),
                                                    [](const PlanePoint& a, const PlanePoint& b) { return a.x < b.x; });
      if (east->x - west->x <= 180) continue;
      return bad(called(file.path, list.entries[i].id, list.entry_name, i) +
                 " is more than 180 degrees wide\n  If it lies on both sides of the antimeridian, cut it there in two, "
                 "as ogr2ogr -wrapdateline does.");
    }
  }
  return {};
}

// A group of one level lies in one of the next.
Status check_groups(const ZoneList& list, const ZoneFile& file) {
  for (std::size_t level = 0; level + 1 < file.levels.size(); ++level) {
    std::unordered_map<std::string, std::size_t> first;
    for (std::size_t i = 0; i < list.entries.size(); ++i) {
      const ZoneList::Entry& entry = list.entries[i];
      const auto [at, fresh] = first.emplace(entry.groups[level], i);
      const ZoneList::Entry& before = list.entries[at->second];
      if (fresh || before.groups[level + 1] == entry.groups[level + 1]) continue;
      return bad(file.path + ": " + file.levels[level] + " \"" + entry.groups[level] + "\" lies in two of " +
                 file.levels[level + 1] + ": \"" + before.groups[level + 1] + "\" (zone \"" + before.id + "\") and \"" +
                 entry.groups[level + 1] + "\" (zone \"" + entry.id +
                 "\")\n  `levels` go from the smallest groups to the largest, and each group lies in one of the next.");
    }
  }
  return {};
}

Status check_overlaps(const ZoneList& list, const ZoneFile& file) {
  std::vector<const Shape*> shapes;
  for (const ZoneList::Entry& entry : list.entries) shapes.push_back(&entry.shape);
  const std::vector<ShapeOverlap> overlaps = find_overlaps(shapes);
  if (overlaps.empty()) return {};
  const ShapeOverlap& worst = overlaps.front();
  const ZoneList::Entry &small = list.entries[worst.smaller], &large = list.entries[worst.larger];
  const std::string numbers = std::string(list.entry_name) + "s " + std::to_string(worst.smaller + 1) + " and " +
                              std::to_string(worst.larger + 1);
  std::string percent = std::to_string(static_cast<int>(worst.share * 100 + 0.5)) + " %";
  if (small.id == large.id) {
    return bad(
        file.path + ": two areas have the id \"" + small.id + "\" and overlap (" + numbers + ", " + percent +
        " of the smaller)\n  Parts of one zone lie beside each other. If these are two zones, give them two ids.");
  }
  const std::string more = overlaps.size() > 1 ? " " + std::to_string(overlaps.size()) + " pairs overlap in all." : "";
  return bad(file.path + ": zone \"" + small.id + "\" overlaps zone \"" + large.id + "\" by " + percent +
             " of its area (" + numbers + ")\n  A place must lie in one zone. Mend the file, or say `overlaps` if " +
             "it is meant: the first zone on the axis has the place then." + more);
}

bool apart(const Shape& a, const Shape& b) {
  const auto box = [](const Shape& shape) {
    std::array<double, 4> edges = {361, 361, -361, -361};
    for (const std::vector<Ring>& polygon : shape.polygons) {
      for (const PlanePoint& p : polygon.front()) {
        edges = {std::min(edges[0], p.x), std::min(edges[1], p.y), std::max(edges[2], p.x), std::max(edges[3], p.y)};
      }
    }
    return edges;
  };
  const auto p = box(a), q = box(b);
  return p[2] < q[0] || q[2] < p[0] || p[3] < q[1] || q[3] < p[1];
}

// Entries of one id become one zone.
Result<std::vector<ZoneRecord>> join_entries(ZoneList& list, const ZoneFile& file) {
  std::vector<ZoneRecord> zones;
  std::vector<Shape> shapes;
  std::vector<std::size_t> entry_of;
  std::unordered_map<std::string, std::size_t> number;
  for (std::size_t i = 0; i < list.entries.size(); ++i) {
    ZoneList::Entry& entry = list.entries[i];
    const auto [at, fresh] = number.emplace(entry.id, zones.size());
    if (fresh) {
      zones.push_back({entry.id, entry.place, {}, std::move(entry.groups)});
      shapes.push_back(std::move(entry.shape));
      entry_of.push_back(i);
      continue;
    }
    const std::string entries = std::string(list.entry_name) + "s " + std::to_string(entry_of[at->second] + 1) +
                                " and " + std::to_string(i + 1);
    if (list.form != ZoneForm::polygons) {
      return bad(file.path + ": two zones have the id \"" + entry.id + "\" (" + entries +
                 ")\n  Ids must differ from each other; `zone_id` says which column they are in.");
    }
    if (zones[at->second].groups != entry.groups) {
      return bad(file.path + ": zone \"" + entry.id + "\" stands twice (" + entries +
                 ") with different groups\n  Areas of one id are joined to one zone: their `levels` must agree.");
    }
    Shape& before = shapes[at->second];
    if (apart(before, entry.shape)) {
      before.polygons.insert(before.polygons.end(), entry.shape.polygons.begin(), entry.shape.polygons.end());
    } else {
      before = join(before, entry.shape);
    }
  }
  if (list.form != ZoneForm::polygons) return zones;
  for (std::size_t z = 0; z < zones.size(); ++z) {
    zones[z].place = centroid(shapes[z]);
    zones[z].polygons = std::move(shapes[z].polygons);
  }
  return zones;
}

}  // namespace

std::string ZoneFile::id_words() const {
  if (field == "zones") return "zones' id (`zone_id`)?\n  ";
  return "id of the areas for `" + field + "`?\n  Call it id, or name. ";
}

Result<ZoneSet> read_zones(const ZoneFile& file) {
  Result<ZoneList> list = read_list(file);
  if (!list) return list.error();
  if (list->form != ZoneForm::polygons && list->entries.size() > ZoneSet::kMostZones) {
    return bad(file.path + " has more than 100000 zones\n  At most 100000 are allowed: join some of them.");
  }
  if (Status fine = check_names(*list, file); !fine) return fine.error();
  if (Status fine = check_widths(*list, file); !fine) return fine.error();
  if (Status fine = check_groups(*list, file); !fine) return fine.error();
  if (list->form == ZoneForm::polygons && !file.allow_overlaps) {
    if (Status fine = check_overlaps(*list, file); !fine) return fine.error();
  }
  Result<std::vector<ZoneRecord>> zones = join_entries(*list, file);
  if (!zones) return zones.error();
  if (zones->size() > ZoneSet::kMostZones) {
    return bad(file.path + " has more than 100000 zones\n  At most 100000 are allowed: join some of them.");
  }
  std::vector<ZoneRecord> ordered;
  ordered.reserve(zones->size());
  for (const std::uint32_t z : zone_order(*zones, list->form)) ordered.push_back(std::move((*zones)[z]));
  Result<ZoneSet> set = ZoneSet::make(std::move(ordered), file.levels, list->form);
  if (!set) return Error{set.error().failure, file.path + ": " + set.error().message};
  return set;
}

}  // namespace stopover
