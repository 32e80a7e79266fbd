#include "exports/geo_package.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/markup.h"

namespace stopover {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kWgs84 = 4326;

constexpr const char* kSchema = R"sql(
PRAGMA application_id = 1196444487;
PRAGMA user_version = 10300;
CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY, organization TEXT NOT NULL,
  organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
INSERT INTO gpkg_spatial_ref_sys VALUES
  ('Undefined Cartesian SRS', -1, 'NONE', -1, 'undefined', 'undefined Cartesian coordinate reference system'),
  ('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', 'undefined geographic coordinate reference system'),
  ('WGS 84 geodetic', 4326, 'EPSG', 4326, 'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,'
   || 'AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],'
   || 'UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]',
   'longitude and latitude in degrees on the WGS 84 spheroid');
CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
  description TEXT DEFAULT '', last_change DATETIME NOT NULL, min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE,
  srs_id INTEGER, CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));
CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL,
  geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
  CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name), CONSTRAINT uk_gc_table_name UNIQUE (table_name),
  CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
  CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));
CREATE TABLE stopover (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, card TEXT);
CREATE TABLE layer_styles (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, f_table_catalog TEXT(256),
  f_table_schema TEXT(256), f_table_name TEXT(256), f_geometry_column TEXT(256), styleName TEXT(30), styleQML TEXT,
  styleSLD TEXT, useAsDefault BOOLEAN, description TEXT, owner TEXT(30), ui TEXT(30), update_time DATETIME);
)sql";

struct Close {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

class Database {
 public:
  // In memory: SQLite does not say when a disk is full.
  Database() {
    sqlite3* db = nullptr;
    code_ = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, nullptr);
    db_.reset(db);
  }

  // Once something failed, nothing is done any more.
  void run(const std::string& sql) {
    if (code_ == SQLITE_OK) code_ = sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  }
  void prepare(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (code_ == SQLITE_OK) code_ = sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &statement, nullptr);
    statement_.reset(statement);
    at_ = 0;
  }
  Database& blob(const std::string& bytes) {
    return bound(
        sqlite3_bind_blob(statement_.get(), ++at_, bytes.data(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT));
  }
  Database& text(const std::string& text) {
    return bound(
        sqlite3_bind_text(statement_.get(), ++at_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
  }
  Database& number(double value) { return bound(sqlite3_bind_double(statement_.get(), ++at_, value)); }
  Database& json(const Json& value) {
    if (value.is_string()) return text(value.get<std::string>());
    if (value.is_number_integer()) return bound(sqlite3_bind_int64(statement_.get(), ++at_, value.get<std::int64_t>()));
    if (value.is_number()) return number(value.get<double>());
    return bound(sqlite3_bind_null(statement_.get(), ++at_));
  }
  void step() {
    if (code_ != SQLITE_OK) return;
    const int done = sqlite3_step(statement_.get());
    code_ = done == SQLITE_DONE ? sqlite3_reset(statement_.get()) : done;
    at_ = 0;
  }
  // The bytes of the file.
  Result<std::string> bytes() {
    statement_.reset();
    if (code_ != SQLITE_OK) {
      return Error{Failure::internal, fmt::format("cannot make a GeoPackage: {}", sqlite3_errmsg(db_.get()))};
    }
    sqlite3_int64 size = 0;
    unsigned char* begin = sqlite3_serialize(db_.get(), "main", &size, 0);
    if (begin == nullptr) return Error{Failure::internal, "cannot make a GeoPackage: out of memory"};
    std::string copy(reinterpret_cast<const char*>(begin), static_cast<std::size_t>(size));
    sqlite3_free(begin);
    return copy;
  }

 private:
  Database& bound(int code) {
    if (code_ == SQLITE_OK) code_ = code;
    return *this;
  }
  std::unique_ptr<sqlite3, Close> db_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int code_ = SQLITE_OK;
  int at_ = 0;
};

// A geometry of GeoJSON as GeoPackages have them: a head with its box, then well-known binary.
class Geometry {
 public:
  explicit Geometry(const Json& geojson) : type_(geojson.at("type").get<std::string>()) {
    const Json& at = geojson.at("coordinates");
    byte(1);  // little-endian
    if (type_ == "Point") {
      whole(1);
      point(at);
    } else if (type_ == "LineString") {
      whole(2);
      points(at);
    } else {
      whole(type_ == "Polygon" ? 3 : 6);
      whole(static_cast<std::uint32_t>(at.size()));
      for (const Json& part : at) type_ == "Polygon" ? points(part) : polygon(part);
    }
  }

  const std::string& type() const { return type_; }
  double west() const { return west_; }
  double south() const { return south_; }
  double east() const { return east_; }
  double north() const { return north_; }

  std::string blob() const {
    std::string head("GP");
    head += '\0';    // version 1
    head += '\x03';  // little-endian, with a box of x and y
    put(head, static_cast<std::uint32_t>(kWgs84), 4);
    for (const double side : {west_, east_, south_, north_}) put(head, std::bit_cast<std::uint64_t>(side), 8);
    return head + wkb_;
  }

 private:
  static void put(std::string& bytes, std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  }
  void byte(unsigned char value) { wkb_ += static_cast<char>(value); }
  void whole(std::uint32_t value) { put(wkb_, value, 4); }
  void point(const Json& at) {
    const double x = at.at(0).get<double>(), y = at.at(1).get<double>();
    put(wkb_, std::bit_cast<std::uint64_t>(x), 8);
    put(wkb_, std::bit_cast<std::uint64_t>(y), 8);
    west_ = std::min(west_, x), east_ = std::max(east_, x);
    south_ = std::min(south_, y), north_ = std::max(north_, y);
  }
  void points(const Json& list) {
    whole(static_cast<std::uint32_t>(list.size()));
    for (const Json& at : list) point(at);
  }
  void polygon(const Json& rings) {
    byte(1);
    whole(3);
    whole(static_cast<std::uint32_t>(rings.size()));
    for (const Json& ring : rings) points(ring);
  }

  std::string type_, wkb_;
  double west_ = 1e9, south_ = 1e9, east_ = -1e9, north_ = -1e9;
};

struct Feature {
  Geometry geometry;
  Json properties;
};

const char* sql_type(const Json& value) {
  return value.is_string() ? "TEXT" : value.is_number_integer() ? "INTEGER" : "DOUBLE";
}

// The ends of classes with as many rows each, of what is above 0.
std::vector<double> class_ends(const std::vector<Feature>& features, const std::string& column, std::size_t classes) {
  std::vector<double> values;
  for (const Feature& feature : features) {
    const auto value = feature.properties.find(column);
    if (value == feature.properties.end() || !value->is_number() || value->get<double>() <= 0) continue;
    values.push_back(value->get<double>());
  }
  std::sort(values.begin(), values.end());
  std::vector<double> ends;
  for (std::size_t i = 1; i <= classes && !values.empty(); ++i)
    ends.push_back(values[(values.size() * i - 1) / classes]);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

// Light to dark, as ColorBrewer's Blues are (for classes of counts).
constexpr std::array<const char*, 5> kColours = {"222,235,247,255", "158,202,225,255", "107,174,214,255",
                                                 "49,130,189,255", "8,81,156,255"};

// A style as QGIS 3 saves them: classes of one column, by colour for areas, by width for lines and points.
std::string qgis_style(const std::vector<Feature>& features, const std::string& type, const std::string& column) {
  const std::vector<double> ends = class_ends(features, column, kColours.size());
  const bool areas = type.ends_with("olygon"), lines = type == "LineString";
  std::string ranges, symbols;
  double from = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::size_t shade = ends.size() == 1 ? kColours.size() - 1 : i * (kColours.size() - 1) / (ends.size() - 1);
    ranges += fmt::format("<range lower=\"{}\" upper=\"{}\" symbol=\"{}\" label=\"{:.4g} to {:.4g}\" render=\"true\"/>",
                          from, ends[i], i, from, ends[i]);
    const double size = 0.2 + 0.5 * static_cast<double>(i);
    std::string options;
    const auto option = [&](const char* name, const std::string& value) {
      options += fmt::format("<Option name=\"{}\" type=\"QString\" value=\"{}\"/>", name, value);
    };
    if (areas) {
      option("color", kColours[shade]);
      option("outline_style", "no");
      option("style", "solid");
    } else if (lines) {
      option("line_color", "8,81,156,160");
      option("line_width", fmt::format("{}", size));
      option("line_width_unit", "MM");
      option("capstyle", "round");
    } else {
      option("color", "8,81,156,160");
      option("name", "circle");
      option("outline_style", "no");
      option("size", fmt::format("{}", 1 + size));
    }
    symbols += fmt::format(
        "<symbol name=\"{}\" type=\"{}\" alpha=\"1\" clip_to_extent=\"1\" force_rhr=\"0\"><layer class=\"{}\" "
        "enabled=\"1\" locked=\"0\" pass=\"0\"><Option type=\"Map\">{}</Option></layer></symbol>",
        i,
        areas   ? "fill"
        : lines ? "line"
                : "marker",
        areas   ? "SimpleFill"
        : lines ? "SimpleLine"
                : "SimpleMarker",
        options);
    from = ends[i];
  }
  return fmt::format(
      "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n<qgis version=\"3.22\" "
      "styleCategories=\"Symbology\">"
      "<renderer-v2 type=\"graduatedSymbol\" attr=\"{}\" graduatedMethod=\"GraduatedColor\" symbollevels=\"0\" "
      "enableorderby=\"0\" forceraster=\"0\"><ranges>{}</ranges><symbols>{}</symbols></renderer-v2></qgis>",
      escape_markup(column), ranges, symbols);
}

void write_layer(Database& db, const std::string& name, const std::string& description, const std::string& column,
                 const std::vector<Feature>& features, const std::string& time) {
  std::string columns, names, places;
  for (const auto& [key, value] : features.front().properties.items()) {
    columns += fmt::format(", {} {}", quoted(key), sql_type(value));
    names += ", " + quoted(key);
    places += ", ?";
  }
  db.run(fmt::format("CREATE TABLE {} (fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, geom BLOB{})", quoted(name),
                     columns));
  db.prepare(fmt::format("INSERT INTO {} (geom{}) VALUES (?{})", quoted(name), names, places));
  std::array<double, 4> box = {1e9, 1e9, -1e9, -1e9};
  for (const Feature& feature : features) {
    const Geometry& g = feature.geometry;
    box = {std::min(box[0], g.west()), std::min(box[1], g.south()), std::max(box[2], g.east()),
           std::max(box[3], g.north())};
    db.blob(g.blob());
    for (const auto& [key, value] : feature.properties.items()) db.json(value);
    db.step();
  }
  db.prepare("INSERT INTO gpkg_contents VALUES (?, 'features', ?, ?, ?, ?, ?, ?, ?, 4326)");
  db.text(name).text(name).text(description).text(time);
  for (const double side : box) db.number(side);
  db.step();
  std::string type = features.front().geometry.type();
  const std::string style = qgis_style(features, type, column);
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::toupper(c); });
  db.prepare("INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', ?, 4326, 0, 0)");
  db.text(name).text(type).step();
  db.prepare(
      "INSERT INTO layer_styles (f_table_catalog, f_table_schema, f_table_name, f_geometry_column, styleName, "
      "styleQML, "
      "useAsDefault, description, owner, update_time) VALUES ('', '', ?, 'geom', ?, ?, 1, ?, '', ?)");
  db.text(name).text(column).text(style).text(description).text(time).step();
}

void write_other(Database& db, const std::string& card, const std::string& time) {
  db.prepare("INSERT INTO stopover (card) VALUES (?)");
  db.text(card).step();
  for (const auto& [name, what] : {std::pair{"stopover", "the guarantee card"}, {"layer_styles", "styles of QGIS"}}) {
    db.prepare(
        "INSERT INTO gpkg_contents (table_name, data_type, identifier, description, last_change) VALUES (?, "
        "'attributes', ?, ?, ?)");
    db.text(name).text(name).text(what).text(time).step();
  }
}

}  // namespace

Result<std::string> geo_package(const std::vector<PackageLayer>& layers, const std::string& card,
                                const std::string& date) {
  const std::string time = (date.empty() ? "1970-01-01" : date) + "T00:00:00.000Z";
  Database db;
  db.run("BEGIN");
  db.run(kSchema);
  for (const PackageLayer& layer : layers) {
    std::vector<Feature> features, stays;
    try {
      const Json json = Json::parse(layer.geojson);
      for (const Json& feature : json.at("features")) {
        Feature one{Geometry(feature.at("geometry")), feature.at("properties")};
        const bool stay = layer.style == LayerStyle::lines && one.geometry.type() == "Point";
        (stay ? stays : features).push_back(std::move(one));
      }
    } catch (const Json::exception& problem) {
      return Error{Failure::bad_input, fmt::format("layer {} is not GeoJSON: {}", layer.name, problem.what())};
    }
    if (!features.empty()) write_layer(db, layer.name, layer.description, layer.column, features, time);
    if (!stays.empty())
      write_layer(db, layer.name + "_stays", layer.description + ", from and to one place", layer.column, stays, time);
  }
  write_other(db, card, time);
  db.run("COMMIT");
  return db.bytes();
}

}  // namespace stopover
