#include "exports/geo_package.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace stopover {
namespace {

namespace fs = std::filesystem;

// The first column of a query, joined by commas.
std::string ask(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  std::string said;
  const auto take = [](void* to, int, char** values, char**) {
    std::string& text = *static_cast<std::string*>(to);
    text += (text.empty() ? "" : ",") + std::string(values[0] == nullptr ? "NULL" : values[0]);
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), take, &said, nullptr), SQLITE_OK) << sql;
  sqlite3_close(db);
  return said;
}

TEST(GeoPackage, HoldsWhatTheLayersSay) {
  const fs::path folder = fs::path(::testing::TempDir()) / ("gpkg_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string lines =
      R"({"type":"FeatureCollection","features":[
{"type":"Feature","geometry":{"type":"LineString","coordinates":[[0,1],[2,3]]},"properties":{"estimate":5.5,"what":"it's \"a\""}},
{"type":"Feature","geometry":{"type":"Point","coordinates":[0,1]},"properties":{"estimate":2,"what":null}}]})";
  const std::vector<PackageLayer> layers = {{"flows", "some", lines, LayerStyle::lines}};
  const Result<std::string> bytes = geo_package(layers, "{\"a\":1}", "2024-02-29");
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(*bytes, *geo_package(layers, "{\"a\":1}", "2024-02-29"));
  const std::string one = (folder / "one.gpkg").string();
  std::ofstream(one, std::ios::binary) << *bytes;
  EXPECT_EQ(ask(one, "SELECT table_name FROM gpkg_contents ORDER BY 1"), "flows,flows_stays,layer_styles,stopover");
  EXPECT_EQ(ask(one, "SELECT geometry_type_name FROM gpkg_geometry_columns ORDER BY 1"), "LINESTRING,POINT");
  EXPECT_EQ(ask(one, "SELECT what FROM flows"), "it's \"a\"");
  EXPECT_EQ(ask(one, "SELECT what FROM flows_stays"), "NULL");
  EXPECT_EQ(ask(one, "SELECT card FROM stopover"), "{\"a\":1}");
  EXPECT_EQ(ask(one, "SELECT max_x FROM gpkg_contents WHERE table_name = 'flows'"), "2.0");
  EXPECT_EQ(ask(one, "SELECT hex(substr(geom, 1, 8)) FROM flows"), "47500003E6100000");
  EXPECT_EQ(ask(one, "SELECT last_change FROM gpkg_contents LIMIT 1"), "2024-02-29T00:00:00.000Z");
  EXPECT_EQ(geo_package({{"x", "", "{}", LayerStyle::areas}}, "{}", "").error().failure, Failure::bad_input);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace stopover
