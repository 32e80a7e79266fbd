#include "zones/zone_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

#include "base/nearest.h"
#include "base/usage_error.h"
#include "duck/duck.h"
#include "duck/small_table.h"
#include "geo/geojson.h"
#include "geo/h3_cell.h"
#include "geo/json.h"
#include "geo/wkb.h"
#include "zones/zone_names.h"

namespace stopover {
namespace {

// Texts by row; geometry is the column of hexadecimal well-known binary, -1 if there is none.
struct Table : SmallTable {
  std::ptrdiff_t geometry = -1;
};

constexpr std::array kLatNames = {"lat", "latitude", "stop_lat", "station_lat", "station_latitude", "y"};
constexpr std::array kLngNames = {
    "lng", "lon", "long", "longitude", "stop_lon", "station_lng", "station_lon", "station_longitude", "x"};

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// The first of the names that is a column, in any case; -1 where none is.
std::ptrdiff_t usual_column(const Table& table, std::span<const char* const> names) {
  for (const char* name : names) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (lower(table.columns[c]) == lower(name)) return static_cast<std::ptrdiff_t>(c);
    }
  }
  return -1;
}

Result<std::size_t> named_column(const Table& table, const std::string& name, const char* field,
                                 const std::string& path) {
  const auto at = std::find(table.columns.begin(), table.columns.end(), name);
  if (at != table.columns.end()) return static_cast<std::size_t>(at - table.columns.begin());
  return usage_error(path + " has no column \"" + name + "\" (`" + field + "`)\n  It has " + list_names(table.columns) +
                     "." + did_you_mean(name, table.columns));
}

Error unreadable(const std::string& path, const Error& error) {
  if (error.failure != Failure::bad_input) return error;
  return {Failure::bad_input,
          path + " cannot be read as a table\n  Give CSV in UTF-8 with a header, Parquet or GeoJSON. DuckDB says: " +
              error.message.substr(0, error.message.find('\n'))};
}

// All rows, at most one more than a ZoneSet may have.
Status fetch(DuckSession& duck, const std::string& sql, const std::string& path, Table& table) {
  Result<SmallTable> texts = text_rows(duck, "SELECT " + sql, ZoneSet::kMostZones + 1);
  if (!texts) return unreadable(path, texts.error());
  static_cast<SmallTable&>(table) = *std::move(texts);
  return {};
}

Result<Table> read_text_table(DuckSession& duck, const std::string& path) {
  const auto read = [&](bool header) -> Result<Table> {
    Result<SmallTable> texts = csv_texts(duck, path, header, ZoneSet::kMostZones + 1);
    if (!texts) return unreadable(path, texts.error());
    return Table{*std::move(texts)};
  };
  Result<Table> table = read(true);
  // A list of cells may come without a header.
  if (table && !table->columns.empty() && H3Cell::parse(table->columns[0])) return read(false);
  return table;
}

// The coordinate system that GeoParquet's metadata gives a column, and its encoding.
Status check_geo_column(const Json& column, const std::string& path) {
  const std::string encoding = text_of(member(column, "encoding"));
  if (!encoding.empty() && encoding != "WKB") {
    return Error{Failure::bad_input, path + " has geometries in the encoding \"" + encoding +
                                         "\"\n  Write them as WKB, as geopandas' to_parquet does."};
  }
  const Json* crs = member(column, "crs");
  if (crs == nullptr || crs->is_null()) return {};  // CRS84
  const Json* id = member(*crs, "id");
  if (id == nullptr) return check_crs_name(text_of(member(*crs, "name")), path);
  const Json* code = member(*id, "code");
  const std::string number = code == nullptr ? "" : code->is_number() ? code->dump() : text_of(code);
  return check_crs_name(text_of(member(*id, "authority")) + ":" + number, path);
}

Result<Table> read_parquet_table(DuckSession& duck, const std::string& path) {
  const std::string input = quote_input(path);
  Table types, meta, table;
  if (Status fine = fetch(duck,
                          "column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(" + input +
                              ", hive_partitioning = false))",
                          path, types);
      !fine) {
    return fine.error();
  }
  if (Status fine =
          fetch(duck, "decode(value) FROM parquet_kv_metadata(" + input + ") WHERE decode(key) = 'geo'", path, meta);
      !fine) {
    return fine.error();
  }
  std::string geometry;
  if (!meta.rows.empty()) {
    const Json geo = parse_json(meta.rows[0][0]);
    geometry = text_of(member(geo, "primary_column"));
    if (const Json* columns = member(geo, "columns")) {
      if (const Json* column = member(*columns, geometry.c_str())) {
        if (Status fine = check_geo_column(*column, path); !fine) return fine.error();
      }
    }
  }
  std::string list;
  std::ptrdiff_t found = -1, number = 0;
  for (const std::vector<std::string>& row : types.rows) {
    const std::string &name = row[0], &type = row[1], column = quote_identifier(name);
    const bool blob = type == "BLOB", real = type == "DOUBLE" || type == "FLOAT";
    if (blob && (name == geometry || (geometry.empty() && (name == "geometry" || name == "geom" || name == "wkb")))) {
      found = number;
    } else if (blob || type.find_first_of("([") != std::string::npos) {
      if (!type.starts_with("DECIMAL")) continue;  // lists and structures are of no use here
    }
    list += (list.empty() ? "" : ", ");
    if (blob) {
      list += "hex(" + column + ")";
    } else if (real) {  // 12.0 as 12: how pandas keeps whole numbers beside missing ones
      list += "CASE WHEN " + column + " = trunc(" + column + ") AND abs(" + column + ") < 9e15 THEN CAST(CAST(" +
              column + " AS BIGINT) AS VARCHAR) ELSE CAST(" + column + " AS VARCHAR) END";
    } else {
      list += "CAST(" + column + " AS VARCHAR)";
    }
    list += " AS " + column;
    ++number;
  }
  if (list.empty()) return Error{Failure::bad_input, path + " has no columns\n  Give one with ids and geometries."};
  if (Status fine = fetch(duck, list + " FROM read_parquet(" + input + ", hive_partitioning = false)", path, table);
      !fine) {
    return fine.error();
  }
  table.geometry = found;
  return table;
}

std::string from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1])));
  }
  return bytes;
}

Result<double> number_in(const std::string& text, const std::string& column, const std::string& what) {
  std::string_view digits = text;
  while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
  while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failed == std::errc() && end == digits.data() + digits.size() && is_finite(value)) return value;
  return Error{Failure::bad_input, what + " has \"" + text + "\" as its " + column +
                                       "\n  Latitude and longitude are numbers in degrees, as 37.77 and -122.42."};
}

// The id's column: named, usual and in every row, or the only one that could be. A file without a header has none of
// these: where the only one may as well be the first zone's name, it must be named.
Result<std::size_t> id_column(const Table& table, const ZoneFile& file, std::span<const std::size_t> others,
                              bool with_header) {
  if (!file.id.empty()) return named_column(table, file.id, "zone_id", file.path);
  const auto everywhere = [&](std::size_t c) {
    return std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return !row[c].empty(); });
  };
  for (const char* name : kIdNames) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (lower(table.columns[c]) == lower(name) && everywhere(c)) return c;
    }
  }
  // One that only some rows lack: the first of them is told.
  if (const std::ptrdiff_t usual = usual_column(table, kIdNames); usual >= 0) return static_cast<std::size_t>(usual);
  std::vector<std::size_t> left;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (std::find(others.begin(), others.end(), c) == others.end()) left.push_back(c);
  }
  if (left.size() == 1 && !with_header) {
    const std::string& name = table.columns[left[0]];
    return usage_error(file.path + ": is \"" + name + "\" in its first line a zone, or the name of the column?\n  " +
                       "A zone: write id in a line above it. The name of the column: say `zone_id " + name + "`.");
  }
  if (left.size() == 1) return left[0];
  return usage_error(file.path + ": which column is the " + file.id_words() + "It has " +
                     list_names(table.columns) + ".");
}

}  // namespace

Result<ZoneList> zones_of_table(const ZoneFile& file, bool parquet) {
  const std::string& path = file.path;
  DuckOptions options;
  options.threads = 1;
  Result<DuckSession> duck = DuckSession::open(options);
  if (!duck) return duck.error();
  const Result<Table> read = parquet ? read_parquet_table(*duck, path) : read_text_table(*duck, path);
  if (!read) return read.error();
  const Table& table = *read;
  if (table.rows.empty()) {
    return Error{Failure::bad_input, path + " has no zones: no row\n  Give one row per zone, after a header."};
  }

  std::vector<std::size_t> others, level_columns;
  for (const std::string& level : file.levels) {
    const Result<std::size_t> column = named_column(table, level, "levels", path);
    if (!column) return column.error();
    level_columns.push_back(*column);
  }
  others = level_columns;
  const std::ptrdiff_t lat = usual_column(table, kLatNames), lng = usual_column(table, kLngNames);
  for (const std::ptrdiff_t c : {lat, lng, table.geometry}) {
    if (c >= 0) others.push_back(static_cast<std::size_t>(c));
  }
  const bool geometry = table.geometry >= 0, places = !geometry && lat >= 0 && lng >= 0;
  if (!geometry && !places && (lat >= 0 || lng >= 0)) {
    const std::string has = table.columns[static_cast<std::size_t>(std::max(lat, lng))];
    if (has != "x" && has != "y" && has != "X" && has != "Y") {
      return usage_error(path + " has a column \"" + has + "\" but none for the " +
                         (lat >= 0 ? "longitude (lng, lon, longitude)" : "latitude (lat, latitude)") + "\n  It has " +
                         list_names(table.columns) + ".");
    }
  }
  const bool all_cells = std::all_of(table.rows.begin(), table.rows.end(), [](const auto& row) {
    return std::any_of(row.begin(), row.end(), [](const std::string& text) { return H3Cell::parse(text).has_value(); });
  });
  const bool with_header = parquet || geometry || places || all_cells || !file.levels.empty();
  const Result<std::size_t> id = id_column(table, file, others, with_header);
  if (!id) return id.error();
  const auto is_cell = [&](const auto& row) { return H3Cell::parse(row[*id]).has_value(); };
  const bool cells = !geometry && !places && std::all_of(table.rows.begin(), table.rows.end(), is_cell);
  if (!cells && !geometry && !places && std::any_of(table.rows.begin(), table.rows.end(), is_cell)) {
    const auto bad = static_cast<std::size_t>(
        std::find_if_not(table.rows.begin(), table.rows.end(), is_cell) - table.rows.begin());
    return Error{Failure::bad_input, called(path, table.rows[bad][*id], "row", bad) +
                                         " is no cell of H3, and others are\n  Cells and other names do not go together."};
  }

  ZoneList list;
  list.form = places ? ZoneForm::points : geometry || cells ? ZoneForm::polygons : ZoneForm::names;
  std::size_t points = 0;
  for (const std::vector<std::string>& row : table.rows) {
    const std::size_t number = list.entries.size();
    ZoneList::Entry& entry = list.entries.emplace_back();
    entry.id = row[*id];
    if (entry.id.empty()) {
      return Error{Failure::bad_input, path + ", row " + std::to_string(number + 1) + ", has no id in column \"" +
                                           table.columns[*id] + "\"\n  Every zone must have one."};
    }
    const std::string what = called(path, entry.id, "row", number);
    for (std::size_t l = 0; l < level_columns.size(); ++l) {
      entry.groups.push_back(row[level_columns[l]]);
      if (!entry.groups.back().empty()) continue;
      return Error{Failure::bad_input, what + " has no " + file.levels[l] + "\n  Every zone must have one (`levels`)."};
    }
    if (places) {
      const auto y = static_cast<std::size_t>(lat), x = static_cast<std::size_t>(lng);
      const Result<double> north = number_in(row[y], table.columns[y], what);
      if (!north) return north.error();
      const Result<double> east = number_in(row[x], table.columns[x], what);
      if (!east) return east.error();
      const std::string at =
          what + " is at " + table.columns[y] + " " + row[y] + ", " + table.columns[x] + " " + row[x] + ", ";
      if (Status fine = check_position(*east, *north, at); !fine) return fine.error();
      entry.place = {*east, *north};
    } else if (geometry) {
      const std::string& hex = row[static_cast<std::size_t>(table.geometry)];
      if (hex.empty()) return Error{Failure::bad_input, what + " has no geometry\n  Give it an area, or leave it out."};
      auto read_geometry = geometry_of_wkb(from_hex(hex), what);
      if (!read_geometry) return read_geometry.error();
      if (const PlanePoint* place = std::get_if<PlanePoint>(&*read_geometry)) {
        entry.place = *place;
        if (++points <= number) {
          return Error{Failure::bad_input, what + " is a point among areas\n  Zones are areas or points, not both."};
        }
      } else {
        entry.shape = std::move(std::get<Shape>(*read_geometry));
        if (points > 0) {
          return Error{Failure::bad_input, what + " is an area among points\n  Zones are areas or points, not both."};
        }
      }
    } else if (cells) {
      Result<Shape> shape = H3Cell::parse(entry.id)->shape(what);
      if (!shape) return shape.error();
      entry.shape = std::move(*shape);
    }
  }
  if (points > 0) list.form = ZoneForm::points;
  return list;
}

}  // namespace stopover
