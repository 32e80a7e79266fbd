#include "zones/zone_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "duck/duck.h"
#include "geo/shape.h"
#include "geo/zone_locator.h"
#include "zones/zone_overlap.h"

namespace stopover {
namespace {

class ZoneFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("zone_file_test_" + std::to_string(std::random_device()()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  ZoneSet read(ZoneFile file) const {
    const Result<ZoneSet> zones = read_zones(file);
    if (zones) return *zones;
    ADD_FAILURE() << zones.error().message;
    return *ZoneSet::make({{"none", {0, 0}, {}, {}}}, {}, ZoneForm::names);
  }
  // The error of a file, without the folder; it starts with the file's name.
  std::string error(ZoneFile file, Failure failure = Failure::bad_input) const {
    const Result<ZoneSet> zones = read_zones(file);
    if (zones) {
      ADD_FAILURE() << "was read";
      return "";
    }
    EXPECT_EQ(zones.error().failure, failure) << zones.error().message;
    EXPECT_TRUE(zones.error().message.starts_with(file.path)) << zones.error().message;
    EXPECT_NE(zones.error().message.find("\n  "), std::string::npos) << zones.error().message;
    return zones.error().message.substr(folder_.string().size() + 1);
  }

  std::filesystem::path folder_;
};

std::string square(double west, double south, double side = 1) {
  const auto at = [&](double x, double y) {
    return "[" + std::to_string(west + x * side) + "," + std::to_string(south + y * side) + "]";
  };
  return R"({"type":"Polygon","coordinates":[[)" + at(0, 0) + "," + at(1, 0) + "," + at(1, 1) + "," + at(0, 1) + "," +
         at(0, 0) + "]]}";
}

std::string feature(const std::string& properties, const std::string& geometry) {
  return R"({"type":"Feature","properties":{)" + properties + R"(},"geometry":)" + geometry + "}";
}

std::string collection(const std::vector<std::string>& features, const std::string& more = "") {
  std::string text = R"({"type":"FeatureCollection",)" + more + R"("features":[)";
  for (std::size_t i = 0; i < features.size(); ++i) text += (i > 0 ? "," : "") + features[i];
  return text + "]}";
}

std::string id(const std::string& value) { return R"("id":")" + value + "\""; }

#define EXPECT_SAYS(text, words) EXPECT_NE((text).find(words), std::string::npos) << (text)

TEST_F(ZoneFileTest, GeoJsonAreas) {
  const ZoneSet zones =
      read({.path = write("z.geojson", collection({feature(id("b"), square(1, 0)), feature(id("a"), square(0, 0))}))});
  ASSERT_EQ(zones.size(), 2u);
  EXPECT_EQ(zones.form(), ZoneForm::polygons);
  EXPECT_EQ(zones.ids(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(zones[0].place, (PlanePoint{0.5, 0.5}));
  EXPECT_EQ(zones[1].polygons[0][0].size(), 5u);
}

TEST_F(ZoneFileTest, GeoJsonPointsAreStations) {
  const auto point = [](const char* at) { return std::string(R"({"type":"Point","coordinates":)") + at + "}"; };
  const ZoneSet zones = read({.path = write("z.geojson", collection({feature(id("a"), point("[8.5, 47.3]")),
                                                                     feature(id("b"), point("[8.6, 47.3]"))}))});
  EXPECT_EQ(zones.form(), ZoneForm::points);
  EXPECT_EQ(zones[1].place, (PlanePoint{8.6, 47.3}));
  EXPECT_SAYS(error({.path = write("p.geojson", collection({feature(id("a"), point("[551000, 4180000]"))}))}),
              "not metres");
  EXPECT_SAYS(error({.path = write("p.geojson", collection({feature(id("a"), point("[null, 1]"))}))}),
              "no pair of numbers");
}

TEST_F(ZoneFileTest, IdsAreFoundOrNamed) {
  const auto ids = [&](const std::string& p, const std::string& q, const std::string& name = "") {
    return read({.path = write("z.geojson", collection({feature(p, square(0, 0)), feature(q, square(1, 0))})),
                 .id = name})
        .ids();
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids(R"("TAZ":12.0,"NAME":"x")", R"("TAZ":13,"NAME":"y")"), (Ids{"12", "13"}));
  EXPECT_EQ(ids(R"("id":null,"GEOID":"06075")", R"("id":3,"GEOID":"06076")"), (Ids{"06075", "06076"}));
  EXPECT_EQ(ids(R"("id":1,"borough":"A")", R"("id":2,"borough":"B")", "borough"), (Ids{"A", "B"}));
  const std::string own = R"({"type":"Feature","id":"own","properties":null,"geometry":)" + square(0, 0) + "}";
  EXPECT_EQ(read({.path = write("z.geojson", collection({own}))}).ids(), Ids{"own"});
  const std::string file =
      write("z.geojson", collection({feature(R"("area":4)", square(0, 0)), feature(R"("area":5)", square(1, 0))}));
  EXPECT_SAYS(error({.path = file}, Failure::usage), "`zone_id`");
  EXPECT_SAYS(error({.path = file, .field = "borders"}, Failure::usage), "for `borders`");
  EXPECT_SAYS(error({.path = "nowhere.geojson", .field = "borders"}, Failure::bad_input), "(`borders`)");
  EXPECT_SAYS(error({.path = file, .id = "aera"}, Failure::usage), "Did you mean area");
}

TEST_F(ZoneFileTest, NamesInAnyScript) {
  const std::vector<std::string> names = {"東京駅", "محطة القاهرة", "Zürich Café–Süd",
                                          "Київ",   "🚲 1",         "\"quoted\", name"};
  std::vector<std::string> features;
  std::string csv = "\xEF\xBB\xBFstation,lat,lng,区\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string json, quoted;
    for (const char c : names[i]) {
      json += c == '"' ? "\\\"" : std::string(1, c);
      quoted += c == '"' ? "\"\"" : std::string(1, c);
    }
    features.push_back(feature(R"("名前":")" + json + R"(","区":"北")", square(static_cast<double>(i), 0)));
    csv += "\"" + quoted + "\",1," + std::to_string(i) + ",北\n";
  }
  const ZoneSet areas = read({.path = write("z.geojson", collection(features)), .id = "名前", .levels = {"区"}});
  const ZoneSet points = read({.path = write("z.csv", csv), .levels = {"区"}});
  EXPECT_EQ(points.form(), ZoneForm::points);
  for (const std::string& name : names) {
    EXPECT_GE(areas.find(name), 0) << name;
    EXPECT_GE(points.find(name), 0) << name;
  }
  EXPECT_EQ(points.find_group("北"), (Interval{0, 6}));
}

TEST_F(ZoneFileTest, PartsOfOneIdAreJoined) {
  const ZoneSet zones =
      read({.path = write("z.geojson", collection({feature(id("a"), square(0, 0)), feature(id("b"), square(2, 0)),
                                                   feature(id("a"), square(1, 0)), feature(id("a"), square(5, 5))}))});
  ASSERT_EQ(zones.size(), 2u);
  const ZoneRecord& a = zones[static_cast<std::size_t>(zones.find("a"))];
  EXPECT_NEAR(area({a.polygons}), 3, 1e-12);
  EXPECT_EQ(a.polygons.size(), 2u);
  EXPECT_SAYS(error({.path = write("d.geojson",
                                   collection({feature(id("a"), square(0, 0)), feature(id("a"), square(0, 0.5))}))}),
              "two areas have the id \"a\" and overlap (features 2 and 1, 50 %");
  EXPECT_SAYS(error({.path = write("l.geojson", collection({feature(id("a") + R"(,"d":"x")", square(0, 0)),
                                                            feature(id("a") + R"(,"d":"y")", square(1, 0))})),
                     .levels = {"d"}}),
              "different groups");
}

TEST_F(ZoneFileTest, HolesAndIslands) {
  const std::string ring =
      R"({"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[2,1],[2,2],[1,2],[1,1]]]})";
  const ZoneSet zones =
      read({.path = write("z.geojson", collection({feature(id("ring"), ring), feature(id("island"), square(1, 1))}))});
  const Result<ZoneLocator> at = ZoneLocator::make(zones);
  ASSERT_TRUE(at);
  EXPECT_EQ(at->locate(1.5, 1.5), zones.find("island"));
  EXPECT_EQ(at->locate(3, 3), zones.find("ring"));
}

TEST_F(ZoneFileTest, OverlapsAreNamedWithTheirShare) {
  const std::string file =
      write("z.geojson", collection({feature(id("a"), square(0, 0)), feature(id("b"), square(3, 0)),
                                     feature(id("c"), square(3.75, 0)), feature(id("d"), square(0.25, 0.25, 0.5))}));
  const std::string text = error({.path = file});
  EXPECT_SAYS(text, "zone \"d\" overlaps zone \"a\" by 100 % of its area (features 4 and 1)");
  EXPECT_SAYS(text, "2 pairs overlap in all");
  EXPECT_SAYS(text, "`overlaps`");
  EXPECT_EQ(read({.path = file, .allow_overlaps = true}).size(), 4u);
  EXPECT_SAYS(error({.path = write("same.geojson",
                                   collection({feature(id("a"), square(0, 0)), feature(id("b"), square(0, 0))}))}),
              "by 100 %");
  // A sliver that digitising leaves is no overlap.
  EXPECT_EQ(read({.path = write("s.geojson",
                                collection({feature(id("a"), square(0, 0)), feature(id("b"), square(0.9999, 0.25))}))})
                .size(),
            2u);
}

TEST_F(ZoneFileTest, BadAreas) {
  const auto says = [&](const std::string& geometry) {
    return error(
        {.path = write("z.geojson", collection({feature(id("ok"), square(9, 9)), feature(id("Bow"), geometry)}))});
  };
  EXPECT_SAYS(says(R"({"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]})"),
              "z.geojson: zone \"Bow\" (feature 2) crosses itself near longitude 1, latitude 1");
  EXPECT_SAYS(says(R"({"type":"LineString","coordinates":[[0,0],[2,2]]})"), "LineString");
  EXPECT_SAYS(says(R"({"type":"Point","coordinates":[0,0]})"), "is of type Point, which has no area");
  EXPECT_SAYS(says("null"), "without geometry");
  EXPECT_SAYS(
      says(
          R"({"type":"Polygon","coordinates":[[[551000,4180000],[552000,4180000],[552000,4181000],[551000,4180000]]]})"),
      "ogr2ogr -t_srs EPSG:4326");
  EXPECT_SAYS(says(R"({"type":"Polygon","coordinates":[[[0,0],[1,null],[1,1],[0,0]]]})"), "position 2");
  EXPECT_SAYS(
      error({.path = write("nan.geojson", R"({"type":"FeatureCollection","features":[{"type":"Feature","x":NaN}]})")}),
      "not valid JSON");
}

TEST_F(ZoneFileTest, OtherCoordinateSystems) {
  const auto with = [&](const std::string& name) {
    return write("z.geojson", collection({feature(id("a"), square(0, 0))},
                                         R"("crs":{"type":"name","properties":{"name":")" + name + R"("}},)"));
  };
  EXPECT_SAYS(error({.path = with("urn:ogc:def:crs:EPSG::3857")}), "coordinate system \"urn:ogc:def:crs:EPSG::3857\"");
  EXPECT_SAYS(error({.path = with("EPSG:14326")}), "EPSG:14326");
  for (const char* fine : {"urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326", "urn:ogc:def:crs:EPSG::4269"}) {
    EXPECT_EQ(read({.path = with(fine)}).size(), 1u);
  }
}

TEST_F(ZoneFileTest, NothingInIt) {
  EXPECT_SAYS(error({.path = write("z.geojson", "")}), "is empty");
  EXPECT_SAYS(error({.path = path("none.csv")}), "cannot be read");
  EXPECT_SAYS(error({.path = write("z.geojson", collection({}))}), "no feature");
  EXPECT_SAYS(error({.path = write("z.geojson", square(0, 0))}), "FeatureCollection");
  EXPECT_SAYS(error({.path = write("z.csv", "id,lat,lng\n")}), "no zones");
  EXPECT_SAYS(error({.path = write("z.shp", "binary")}), "ogr2ogr -t_srs EPSG:4326 zones.geojson");
  EXPECT_SAYS(error({.path = write("bad.parquet", "PAR1 and nothing else")}), "cannot be read");
}

TEST_F(ZoneFileTest, AHundredThousandZonesAndOneMore) {
  std::string csv = "id,lat,lng\n";
  for (int i = 0; i < 100'000; ++i) {
    csv += std::to_string(i) + "," + std::to_string(i % 317 * 0.1) + "," + std::to_string(i / 317 * 0.1) + "\n";
  }
  EXPECT_EQ(read({.path = write("z.csv", csv)}).size(), 100'000u);
  EXPECT_SAYS(error({.path = write("z.csv", csv + "x,1,1\n")}), "more than 100000");
}

TEST_F(ZoneFileTest, CsvOfStations) {
  const std::string file =
      write("z.csv", "Station_ID;Latitude;Longitude;district\n7;37.8;-122.4;N\n8;37.7;-122.4;S\n9;37.7;-122.4;S\n");
  const ZoneSet zones = read({.path = file, .levels = {"district"}});
  EXPECT_EQ(zones.form(), ZoneForm::points);
  EXPECT_EQ(zones.ids(), (std::vector<std::string>{"8", "9", "7"}));  // two at one place: by id
  EXPECT_EQ(zones[2].place, (PlanePoint{-122.4, 37.8}));
  EXPECT_EQ(zones.find_group("S"), (Interval{0, 2}));
  EXPECT_SAYS(error({.path = file, .levels = {"distrct"}}, Failure::usage), "no column \"distrct\" (`levels`)");
  EXPECT_SAYS(error({.path = file, .id = "id"}, Failure::usage), "`zone_id`");
}

TEST_F(ZoneFileTest, CsvAsPeopleHaveIt) {
  const std::string odd =
      "id\tname\tlat\tlng\n1\tO'Farrell at 2nd, \"east\"\t37.7\t-122.4\n#2\tFisherman's; Wharf\t37.8\t-122.4\n";
  EXPECT_EQ(read({.path = write("t.tsv", odd)}).ids(), (std::vector<std::string>{"1", "#2"}));
  EXPECT_EQ(read({.path = write("t.tsv", odd), .id = "name"}).ids()[1], "Fisherman's; Wharf");
  const std::string names = "name\nO'Farrell\n\"Smith, Sons\"\nD'Arcy\n#4\n";
  EXPECT_EQ(read({.path = write("n.csv", names)}).ids(),
            (std::vector<std::string>{"O'Farrell", "Smith, Sons", "D'Arcy", "#4"}));
  EXPECT_EQ(read({.path = write("w.csv", "id,lat,lng\r\na,1,2\r\nb,1,3\r\n")}).ids(),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_SAYS(error({.path = write("q.csv", "\"id\",\"lat\",\"lng\"\n\"two\nlines\",1,2\n")}), "line break");
  EXPECT_SAYS(error({.path = write("l.csv", "id,lat,lng\nZ\xfcrich,1,2\n")}), "UTF-8");
  EXPECT_SAYS(error({.path = write("r.csv", "id,lat,lng\na,1,2\nb,1\n")}), "cannot be read");
}

TEST_F(ZoneFileTest, BadRows) {
  const auto says = [&](const std::string& rows, const std::vector<std::string>& levels = {}) {
    return error({.path = write("z.csv", "id,lat,lng,d,r\na,1,1,x,X\n" + rows), .levels = levels});
  };
  EXPECT_SAYS(says("a,2,2,x,X\n"), "two zones have the id \"a\" (rows 1 and 2)");
  EXPECT_SAYS(says(",2,2,x,X\n"), "row 2, has no id");
  EXPECT_SAYS(says("b,nan,2,x,X\n"), "zone \"b\" (row 2) has \"nan\" as its lat");
  EXPECT_SAYS(says("b,,2,x,X\n"), "has \"\" as its lat");
  EXPECT_SAYS(says("b,37.7N,2,x,X\n"), "\"37.7N\"");
  EXPECT_SAYS(says("b,-122.4,37.7,x,X\n"), "swapped");
  EXPECT_SAYS(says("b,4180000,551000,x,X\n"), "not metres");
  EXPECT_SAYS(says("b,2,2,,X\n", {"d"}), "zone \"b\" (row 2) has no d");
  EXPECT_SAYS(says("b,2,2,x,Y\n", {"d", "r"}), "d \"x\" lies in two of r: \"X\" (zone \"a\") and \"Y\" (zone \"b\")");
  EXPECT_SAYS(error({.path = write("h.csv", "id,lat\na,1\n")}, Failure::usage), "longitude");
  EXPECT_SAYS(error({.path = write("w.csv", "p,q\na,1\n")}, Failure::usage), "which column");
}

TEST_F(ZoneFileTest, NamesAloneKeepTheirOrder) {
  const ZoneSet zones = read({.path = write("z.csv", "name,district\nZ,1\nB,2\nA,1\n"), .levels = {"district"}});
  EXPECT_EQ(zones.form(), ZoneForm::names);
  EXPECT_EQ(zones.ids(), (std::vector<std::string>{"Z", "A", "B"}));
  // Whether the first line is a zone or a header is not guessed.
  EXPECT_SAYS(error({.path = write("n.csv", "Z\nB\nA\n")}, Failure::usage), "is \"Z\" in its first line a zone");
  EXPECT_EQ(read({.path = write("n.csv", "place\nZ\nB\nA\n"), .id = "place"}).ids(),
            (std::vector<std::string>{"Z", "B", "A"}));
}

TEST_F(ZoneFileTest, OneMistypedCellDoesNotMakeNamesOfAll) {
  EXPECT_SAYS(error({.path = write("h.csv", "h3\n89283082803ffff\n8929a1d7557fffg\n")}),
              "zone \"8929a1d7557fffg\" (row 2) is no cell of H3");
}

TEST_F(ZoneFileTest, AreasOverTheAntimeridianMustBeCut) {
  const auto ring = [&](const std::string& corners) {
    return write("z.geojson", R"({"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"fiji"},)"
                              R"("geometry":{"type":"Polygon","coordinates":[[)" + corners + "]]}}]}");
  };
  EXPECT_SAYS(error({.path = ring("[179.9,-17],[-179.9,-17],[-179.9,-16],[179.9,-16],[179.9,-17]")}),
              "zone \"fiji\" (feature 1) is more than 180 degrees wide");
  EXPECT_SAYS(error({.path = ring("[179.9,-17],[180.1,-17],[180.1,-16],[179.9,-16],[179.9,-17]")}), "antimeridian");
}

TEST_F(ZoneFileTest, H3Cells) {
  const std::string cells = "8928308280fffff\n8928308280bffff\n89283082807ffff\n";
  for (const std::string& file : {write("z.txt", cells), write("z.csv", "h3_cell\n" + cells)}) {
    const ZoneSet zones = read({.path = file});
    ASSERT_EQ(zones.size(), 3u);
    EXPECT_EQ(zones.form(), ZoneForm::polygons);
    EXPECT_EQ(ZoneLocator::make(zones)->locate(-122.4184593232, 37.7767023494), zones.find("8928308280fffff"));
  }
  EXPECT_SAYS(error({.path = write("m.csv", "h3\n" + cells + "elsewhere\n")}), "\"elsewhere\" (row 4) is no cell of H3");
  EXPECT_SAYS(error({.path = write("o.csv", "h3\n8928308280fffff\n8828308281fffff\n")}), "overlaps");
}

TEST_F(ZoneFileTest, GeoParquet) {
  Result<DuckSession> duck = DuckSession::open();
  ASSERT_TRUE(duck);
  const auto write_parquet = [&](const std::string& name, const std::string& select, const std::string& geo = "") {
    const std::string extra = geo.empty() ? "" : ", KV_METADATA {geo: " + quote_literal(geo) + "}";
    const Status done =
        duck->run("COPY (" + select + ") TO " + quote_output(path(name)) + " (FORMAT parquet" + extra + ")");
    EXPECT_TRUE(done) << done.error().message;
    return path(name);
  };
  // Squares from (x, 0) to (x + 1, 1), little endian: x is 0, 1 or 2.
  const auto number = [](int x) {
    return std::string(x == 0   ? "0000000000000000"
                       : x == 1 ? "000000000000F03F"
                       : x == 2 ? "0000000000000040"
                                : "0000000000000840");
  };
  const auto blob = [&](int x) {
    std::string hex = "01030000000100000005000000";
    for (const auto& [i, j] : {std::pair(0, 0), {1, 0}, {1, 1}, {0, 1}, {0, 0}}) hex += number(x + i) + number(j);
    return "unhex('" + hex + "')";
  };
  const std::string select = "SELECT 3.0::DOUBLE AS TAZ, 'E' AS d, [1, 2] AS list, " + blob(2) +
                             " AS shape UNION ALL SELECT 2, 'W', [1], " + blob(0) + " UNION ALL SELECT 1, 'W', [], " +
                             blob(1);
  const std::string meta = R"({"version":"1.1.0","primary_column":"shape","columns":{"shape":{"encoding":"WKB")";
  const ZoneSet zones = read({.path = write_parquet("z.parquet", select, meta + "}}}"), .levels = {"d"}});
  ASSERT_EQ(zones.size(), 3u);
  EXPECT_EQ(zones.form(), ZoneForm::polygons);
  EXPECT_EQ(zones.ids(), (std::vector<std::string>{"2", "1", "3"}));
  EXPECT_EQ(zones[2].place, (PlanePoint{2.5, 0.5}));
  EXPECT_EQ(read({.path = write_parquet("n.parquet", "SELECT TAZ, shape AS geometry FROM (" + select + ")")}).form(),
            ZoneForm::polygons);

  const std::string mercator = R"(,"crs":{"id":{"authority":"EPSG","code":3857}}}}})";
  EXPECT_SAYS(error({.path = write_parquet("c.parquet", select, meta + mercator)}), "EPSG:3857");
  EXPECT_EQ(read({.path = write_parquet("w.parquet", select,
                                        meta + R"(,"crs":{"id":{"authority":"OGC","code":"CRS84"}}}}})")})
                .size(),
            3u);
  EXPECT_SAYS(error({.path = write_parquet("b.parquet", "SELECT 1 AS id, 'abc'::BLOB AS geometry")}),
              "zone \"1\" (row 1)");
  EXPECT_SAYS(error({.path = write_parquet("e.parquet", "SELECT 1 AS id, NULL::BLOB AS geometry")}), "no geometry");
  EXPECT_EQ(read({.path = write_parquet("p.parquet", "SELECT 'a' AS id, 47.5 AS lat, 8.5 AS lon")})[0].place,
            (PlanePoint{8.5, 47.5}));
}

TEST(ZoneOverlapTest, TellsNeighboursFromOverlaps) {
  // Squares that fill a plane have none; every way of lying over each other is one.
  const auto at = [](double x, double y, double w, double h) { return of_box(x, y, x + w, y + h); };
  std::vector<Shape> plane;
  for (int i = 0; i < 70; ++i) {
    for (int j = 0; j < 70; ++j)
      plane.push_back(at(i / 7.0, j / 7.0, (i + 1) / 7.0 - i / 7.0, (j + 1) / 7.0 - j / 7.0));
  }
  const auto count = [](const std::vector<Shape>& shapes) {
    std::vector<const Shape*> all;
    for (const Shape& shape : shapes) all.push_back(&shape);
    return find_overlaps(all).size();
  };
  EXPECT_EQ(count(plane), 0u);
  plane.push_back(at(3.01, 3.01, 0.1, 0.1));
  EXPECT_EQ(count(plane), 1u);
  const Shape big = at(0, 0, 4, 4);
  EXPECT_EQ(count({big, big}), 1u);
  EXPECT_EQ(count({big, at(0, 0, 4, 2)}), 1u);                          // half of it, on its borders
  EXPECT_EQ(count({big, at(1, -1, 1, 6)}), 1u);                         // a cross
  EXPECT_EQ(count({at(0, 0, 4, 1), at(0.5, -9, 0.2, 10.5)}), 1u);       // only edges cross
  EXPECT_EQ(count({big, at(1, 1, 1, 1)}), 1u);                          // inside
  EXPECT_EQ(count({big, {{{{{0, 0}, {4, 4}, {0, 4}, {0, 0}}}}}}), 1u);  // corners on its corners
  EXPECT_EQ(count({big, {{{{{2, 0}, {4, 2}, {2, 4}, {0, 2}, {2, 0}}}}}}), 1u);
  EXPECT_EQ(count({big, at(4, 1, 1, 1), at(1, 4, 1, 1), at(4, 4, 1, 1)}), 0u);
  const Shape ring{{{of_box(0, 0, 4, 4).polygons[0][0], {{1, 1}, {1, 2}, {2, 2}, {2, 1}, {1, 1}}}}};
  EXPECT_EQ(count({ring, at(1, 1, 1, 1)}), 0u);  // an island in its hole
  EXPECT_EQ(count({ring, at(1, 1, 1.5, 1)}), 1u);
}

}  // namespace
}  // namespace stopover
