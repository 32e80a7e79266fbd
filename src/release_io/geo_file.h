// The places of a release as GeoParquet 1.1, so that map programs and data frames open them as they are. They say
// nothing new: `verify` makes them again from the tables and zones.geojson and compares.
//
//   maps/TABLE.parquet  of every table over the longitude and latitude of one stop (its map): one row per leaf, in the
//                       table's order. All have the same columns, so the folder opens as one table: `stop` (its name),
//                       `row` (of TABLE.parquet, from 0), `cells`, `estimate`, `geometry`, `bbox`
//   zones.parquet       of a domain with zones that have places: one row per zone in the order of the axis: `id`, one
//                       column per level, `geometry`, `bbox`
//
// `geometry` is well-known binary (rectangles; points or areas), `bbox` a struct of xmin, ymin, xmax, ymax (degrees),
// the metadata entry `geo` says so and that coordinates are longitude and latitude on WGS 84 (OGC:CRS84).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "duck/duck.h"
#include "release/release.h"
#include "release_io/table_file.h"

namespace stopover {

// A folder of its own, so that readers take it whole.
inline constexpr const char* kMapsFolder = "maps";

// "maps/map1.parquet", ..., "zones.parquet": what can be made of this release; none where nothing has a place.
std::vector<std::string> geo_files(const Release& release);

// The columns of one of them, in their order.
std::vector<FileColumn> geo_columns(const Release& release, const std::string& name);

// Writes one of them below `directory`. The same bytes for the same release. Fails: as write_table.
Status write_geo_file(DuckSession& duck, const Release& release, const std::string& name, const std::string& directory);

// Whether two such files hold the same rows and metadata, whoever wrote them. Fails (check_failed) if not.
Status same_geo_content(DuckSession& duck, const std::string& one, const std::string& other);

}  // namespace stopover
