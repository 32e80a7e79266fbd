#include "release_io/geo_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/disk_full.h"
#include "geo/wkb.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

constexpr const char* kZonesTable = "zones.parquet";

struct MapAxes {
  std::size_t stop = 0;
  std::size_t x = 0, y = 0;  // positions in the table's axes
};

// Of a table that is a map of one stop.
std::optional<MapAxes> map_axes_of(const Table& table, const Domain& domain) {
  if (table.axes.size() != 2) return {};
  for (std::size_t x : {std::size_t{0}, std::size_t{1}}) {
    if (domain.axis(table.axes[x]).kind != AxisKind::longitude) continue;
    if (domain.axis(table.axes[1 - x]).kind != AxisKind::latitude) continue;
    for (std::size_t s = 0; s < domain.stops().size(); ++s) {
      const std::vector<std::size_t>& axes = domain.stops()[s].axes;
      const auto has = [&](std::size_t axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); };
      if (has(table.axes[0]) && has(table.axes[1])) return MapAxes{s, x, 1 - x};
    }
  }
  return {};
}

std::string map_file(const Table& table) { return fmt::format("{}/{}.parquet", kMapsFolder, table.name); }

bool has_zones_table(const Release& release) {
  return release.domain.zones() != nullptr && release.domain.zones()->has_places();
}

// A level's own name unless another column has it, in any case of letters.
std::vector<std::string> level_columns(const ZoneSet& zones) {
  std::set<std::string> taken = {"id", "geometry", "bbox"};
  std::vector<std::string> names;
  for (std::string name : zones.levels()) {
    const auto lower = [](std::string text) {
      std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
      return text;
    };
    while (!taken.insert(lower(name)).second) name += "_";
    names.push_back(std::move(name));
  }
  return names;
}

// What the columns geometry and bbox are made of, while rows are added.
struct Places {
  std::vector<std::string> geometry;  // in hex: DuckDB's appender takes texts
  std::vector<double> west, south, east, north;

  void add(const std::string& wkb, PlanePoint low, PlanePoint high) {
    std::string hex;
    for (const char byte : wkb) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    geometry.push_back(std::move(hex));
    west.push_back(low.x);
    south.push_back(low.y);
    east.push_back(high.x);
    north.push_back(high.y);
  }
};

std::string geo_metadata(const Places& places, const char* type) {
  const auto degree = [](const char* name, const char* abbreviation, const char* direction) {
    return nlohmann::json{{"name", name}, {"abbreviation", abbreviation}, {"direction", direction}, {"unit", "degree"}};
  };
  const nlohmann::json ellipsoid = {
      {"name", "WGS 84"}, {"semi_major_axis", 6378137}, {"inverse_flattening", 298.257223563}};
  const nlohmann::json datum = {
      {"type", "GeodeticReferenceFrame"}, {"name", "World Geodetic System 1984"}, {"ellipsoid", ellipsoid}};
  const nlohmann::json axes = {degree("Geodetic longitude", "Lon", "east"),
                               degree("Geodetic latitude", "Lat", "north")};
  const nlohmann::json crs = {{"$schema", "https://proj.org/schemas/v0.7/projjson.schema.json"},
                              {"type", "GeographicCRS"},
                              {"name", "WGS 84 (CRS84)"},
                              {"datum", datum},
                              {"coordinate_system", {{"subtype", "ellipsoidal"}, {"axis", axes}}},
                              {"id", {{"authority", "OGC"}, {"code", "CRS84"}}}};
  nlohmann::json covering;
  for (const char* side : {"xmin", "ymin", "xmax", "ymax"}) {
    covering["bbox"][side] = nlohmann::json::array({"bbox", side});
  }
  const nlohmann::json box = {*std::min_element(places.west.begin(), places.west.end()),
                              *std::min_element(places.south.begin(), places.south.end()),
                              *std::max_element(places.east.begin(), places.east.end()),
                              *std::max_element(places.north.begin(), places.north.end())};
  nlohmann::json column = {{"encoding", "WKB"},
                           {"geometry_types", nlohmann::json::array({type})},
                           {"crs", crs},
                           {"bbox", box},
                           {"covering", covering}};
  return nlohmann::json{{"version", "1.1.0"}, {"primary_column", "geometry"}, {"columns", {{"geometry", column}}}}
      .dump();
}

// Loads the columns (named as in the file) with the places and writes them in this order.
Status write_places(DuckSession& duck, std::vector<DuckColumn> columns, const Places& places, const char* type,
                    const std::string& path) {
  const std::size_t n = places.geometry.size();
  std::string select;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    select += fmt::format("c{} AS {}, ", c, quote_identifier(columns[c].name));
    columns[c].name = fmt::format("c{}", c);
  }
  std::vector<std::uint32_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i);
  columns.push_back(DuckColumn::of("hex", places.geometry));
  columns.push_back(DuckColumn::of("w", places.west));
  columns.push_back(DuckColumn::of("s", places.south));
  columns.push_back(DuckColumn::of("e", places.east));
  columns.push_back(DuckColumn::of("n", places.north));
  columns.push_back(DuckColumn::of("place", order));
  Status status = duck.load("rows_of_places", columns, n);
  if (status) {
    status = duck.run(fmt::format(
        "COPY (SELECT {}unhex(hex) AS geometry, {{'xmin': w, 'ymin': s, 'xmax': e, 'ymax': n}} AS bbox FROM "
        "rows_of_places ORDER BY place) TO {} (FORMAT PARQUET, COMPRESSION ZSTD, ROW_GROUP_SIZE 122880, KV_METADATA "
        "{{geo: {}}})",
        select, quote_output(path), quote_literal(geo_metadata(places, type))));
  }
  const Status dropped = duck.run("DROP TABLE IF EXISTS rows_of_places");
  if (!status) {
    return passed_on(status.error(),
                     {Failure::internal, fmt::format("cannot write {}\n  {}", path, status.error().message)});
  }
  if (!dropped) return Error{Failure::internal, dropped.error().message};
  return {};
}

Status write_map(DuckSession& duck, const Release& release, const Table& table, const std::string& path) {
  const MapAxes at = *map_axes_of(table, release.domain);
  const Axis &x = release.domain.axis(table.axes[at.x]), &y = release.domain.axis(table.axes[at.y]);
  const std::vector<bool> leaves = table.leaves();
  std::vector<std::uint32_t> rows;
  std::vector<std::uint64_t> cells;
  std::vector<double> estimates;
  Places places;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!leaves[row]) continue;
    const std::uint32_t x0 = table.lo[at.x][row], x1 = table.hi[at.x][row];
    const std::uint32_t y0 = table.lo[at.y][row], y1 = table.hi[at.y][row];
    const PlanePoint low{x.edge(x0), y.edge(y0)}, high{x.edge(x1), y.edge(y1)};
    rows.push_back(static_cast<std::uint32_t>(row));
    cells.push_back(std::uint64_t{x1 - x0} * (y1 - y0));
    estimates.push_back(table.estimate[row]);
    places.add(wkb_of_rectangle(low, high), low, high);
  }
  const std::vector<std::string> stops(rows.size(), release.domain.stops()[at.stop].name);
  return write_places(duck,
                      {DuckColumn::of("stop", stops), DuckColumn::of("row", rows), DuckColumn::of("cells", cells),
                       DuckColumn::of("estimate", estimates)},
                      places, "Polygon", path);
}

Status write_zones(DuckSession& duck, const ZoneSet& zones, const std::string& path) {
  const std::vector<std::string> names = level_columns(zones), ids = zones.ids();
  std::vector<std::vector<std::string>> groups(names.size());
  Places places;
  for (const ZoneRecord& zone : zones.all()) {
    for (std::size_t level = 0; level < names.size(); ++level) groups[level].push_back(zone.groups[level]);
    if (zones.form() == ZoneForm::points) {
      places.add(wkb_of_point(zone.place), zone.place, zone.place);
      continue;
    }
    constexpr double kFar = std::numeric_limits<double>::infinity();
    PlanePoint low{kFar, kFar}, high{-kFar, -kFar};
    for (const std::vector<Ring>& rings : zone.polygons) {
      for (const PlanePoint& corner : rings.front()) {
        low = {std::min(low.x, corner.x), std::min(low.y, corner.y)};
        high = {std::max(high.x, corner.x), std::max(high.y, corner.y)};
      }
    }
    places.add(wkb_of_areas(zone.polygons), low, high);
  }
  std::vector<DuckColumn> columns = {DuckColumn::of("id", ids)};
  for (std::size_t level = 0; level < names.size(); ++level) {
    columns.push_back(DuckColumn::of(names[level], groups[level]));
  }
  return write_places(duck, std::move(columns), places, zones.form() == ZoneForm::points ? "Point" : "MultiPolygon",
                      path);
}

// The one value of a query.
Result<bool> is_true(DuckSession& duck, const std::string& sql) {
  Result<DuckRows> rows = duck.query(sql);
  if (!rows) return rows.error();
  const Result<bool> more = rows->next();
  if (!more) return more.error();
  return *more && rows->size() == 1 && rows->column<bool>(0)[0];
}

}  // namespace

std::vector<std::string> geo_files(const Release& release) {
  std::vector<std::string> names;
  for (const Table& table : release.tables) {
    if (map_axes_of(table, release.domain)) names.push_back(map_file(table));
  }
  if (has_zones_table(release)) names.emplace_back(kZonesTable);
  return names;
}

std::vector<FileColumn> geo_columns(const Release& release, const std::string& name) {
  std::vector<FileColumn> columns;
  if (name == kZonesTable) {
    columns.push_back({"id", DUCKDB_TYPE_VARCHAR});
    for (const std::string& level : level_columns(*release.domain.zones())) {
      columns.push_back({level, DUCKDB_TYPE_VARCHAR});
    }
  } else {
    columns = {{"stop", DUCKDB_TYPE_VARCHAR},
               {"row", DUCKDB_TYPE_UINTEGER},
               {"cells", DUCKDB_TYPE_UBIGINT},
               {"estimate", DUCKDB_TYPE_DOUBLE}};
  }
  columns.push_back({"geometry", DUCKDB_TYPE_BLOB});
  columns.push_back({"bbox", DUCKDB_TYPE_STRUCT});
  return columns;
}

Status write_geo_file(DuckSession& duck, const Release& release, const std::string& name,
                      const std::string& directory) {
  const std::string path = (fs::path(directory) / name).string();
  if (name == kZonesTable) return write_zones(duck, *release.domain.zones(), path);
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  if (failed) return Error{Failure::internal, fmt::format("cannot make a folder for {}: {}", path, failed.message())};
  for (const Table& table : release.tables) {
    if (map_file(table) == name) return write_map(duck, release, table, path);
  }
  return Error{Failure::internal, name + " is no file of this release"};
}

Status same_geo_content(DuckSession& duck, const std::string& one, const std::string& other) {
  const auto rows = [](const std::string& path) {
    return fmt::format(
        "(SELECT list(t ORDER BY t.file_row_number) FROM read_parquet({}, hive_partitioning = false, file_row_number = "
        "true) t)",
        quote_input(path));
  };
  const auto metadata = [](const std::string& path) {
    return fmt::format("(SELECT list(decode(value)) FROM parquet_kv_metadata({}) WHERE decode(key) = 'geo')",
                       quote_input(path));
  };
  for (const auto& part : {std::function<std::string(const std::string&)>(rows),
                           std::function<std::string(const std::string&)>(metadata)}) {
    const Result<bool> same = is_true(duck, fmt::format("SELECT {} IS NOT DISTINCT FROM {}", part(one), part(other)));
    if (!same || !*same) {
      return Error{Failure::check_failed, "it does not follow from the tables"};
    }
  }
  return {};
}

}  // namespace stopover
