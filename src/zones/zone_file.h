// Files of zones: a public geography as users have it, to a ZoneSet in the order of its axis.
//
//   Result<ZoneSet> zones = read_zones({.path = "taz.geojson", .id = "TAZ", .levels = {"DISTRICT", "REGION"}});
//
// What a file may be:
//   GeoJSON            a FeatureCollection of areas (polygons), or of Points alone (points)
//   CSV, text          a header; a column of ids; with columns lat and lng (latitude, y; lon, longitude, x): points
//                      ids that are all H3 cells, with or without a header: polygons
//                      else names alone
//   Parquet            the same columns; with geometries (GeoParquet, well-known binary) polygons or points
// Longitude and latitude are in degrees.
//
// Features of one id are joined, where they agree in their groups. Zones are put in order by zone_order.h, which does
// not look at the file's order, except that names alone keep it.
//
// Every error names the file, the zone and what to do. Of what a file holds (bad_input): nothing in it, more than
// 100,000 zones, an id missing or twice, areas that cross themselves or each other, lines, coordinates in metres,
// another coordinate system, numbers that are none, a group in two larger ones. Of what was asked for (usage): a
// property or column that is not there, an id that cannot be found out.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "domain/zone_set.h"

namespace stopover {

struct ZoneFile {
  std::string path;
  // The property or column of the zones' ids. DEFAULT: the first of id, zone, TAZ, GEOID, name, ... that every zone
  // has.
  std::string id = {};
  // The properties or columns of the zones' groups, the smallest groups first. DEFAULT: none.
  std::vector<std::string> levels = {};
  // Areas may lie over each other; a place in two belongs to the first of them on the axis. DEFAULT: refused from
  // kLeastOverlap on, as most often a mistake.
  bool allow_overlaps = false;
  // What messages call the file: the field that names it. Of another one than zones no column of ids can be said.
  std::string field = "zones";

  // "which column is the ..." of a message.
  std::string id_words() const;
};

Result<ZoneSet> read_zones(const ZoneFile& file);

}  // namespace stopover
