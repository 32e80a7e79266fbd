#include "exports/geo_layers.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "exports/flow_map_data.h"
#include "exports/trip_centres.h"
#include "exports/trip_model.h"
#include "release/sample_release.h"
#include "testing/city_release.h"

namespace stopover {
namespace {

constexpr const char* kCard = R"({"stopover": "geojson"})";

double doubled_area(const nlohmann::json& ring) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < ring.size(); ++i) {
    sum += ring[i][0].get<double>() * ring[i + 1][1].get<double>() -
           ring[i + 1][0].get<double>() * ring[i][1].get<double>();
  }
  return sum;
}

// Each closed and counterclockwise; the areas together.
double area_of(const nlohmann::json& features) {
  double area = 0;
  for (const nlohmann::json& feature : features) {
    const nlohmann::json& ring = feature["geometry"]["coordinates"][0];
    EXPECT_EQ(ring.front(), ring.back());
    EXPECT_GT(doubled_area(ring), 0);
    area += doubled_area(ring) / 2;
  }
  return area;
}

double sum_of(const nlohmann::json& features) {
  double sum = 0;
  for (const nlohmann::json& feature : features) sum += feature["properties"]["estimate"].get<double>();
  return sum;
}

TEST(GeoLayers, PartitionsHaveARectangleAStop) {
  const Release release = sample::city_release(2, 5000, 100, "daf-entropy");
  const nlohmann::json json = nlohmann::json::parse(*partitions_layer(release, kCard));
  EXPECT_EQ(json["type"], "FeatureCollection");
  EXPECT_EQ(json["stopover"]["stopover"], "geojson");
  const TripModel model = *TripModel::make(release);
  ASSERT_EQ(json["features"].size(), 2 * model.leaves());
  EXPECT_EQ(json["features"][1]["properties"]["stop"], "destination");
  EXPECT_NEAR(sum_of(json["features"]), 2 * model.total(), 1e-3);
  area_of(json["features"]);
  const nlohmann::json& ring = json["features"][0]["geometry"]["coordinates"][0];
  EXPECT_NEAR(ring[0][0].get<double>(), -123 + model.box(0)[0].lo / 100.0, 1e-12);
  EXPECT_NEAR(ring[2][1].get<double>(), 37 + model.box(0)[1].hi / 100.0, 1e-12);
}

TEST(GeoLayers, StopsAreTiled) {
  for (const char* mechanism : {"anchor", "daf-entropy"}) {
    const Release release = sample::city_release(2, 5000, 100, mechanism);
    const nlohmann::json features = nlohmann::json::parse(*stops_layer(release, kCard, 7))["features"];
    EXPECT_NEAR(area_of(features), 2, 1e-9) << mechanism;  // a square degree each
    EXPECT_NEAR(sum_of(features), 2 * TripModel::make(release)->total(), 1e-3) << mechanism;
    if (release.tables.size() == 1) {
      EXPECT_EQ(features.size(), 2u * 49);
    }
  }
}

TEST(GeoLayers, FlowsRunFromStopToStopLargestFirst) {
  const Release release = sample::city_release(3, 5000, 100, "anchor");
  const nlohmann::json features = nlohmann::json::parse(*flows_layer(release, kCard, 20))["features"];
  ASSERT_EQ(features.size(), 20u);
  for (std::size_t i = 0; i < features.size(); ++i) {
    const bool line = features[i]["geometry"]["type"] == "LineString";
    EXPECT_TRUE(line || features[i]["geometry"]["type"] == "Point");
    EXPECT_EQ(features[i]["geometry"]["coordinates"].size(), line ? 3u : 2u);
    if (i > 0) {
      EXPECT_LE(features[i]["properties"]["estimate"], features[i - 1]["properties"]["estimate"]);
    }
  }
  const nlohmann::json all = nlohmann::json::parse(*flows_layer(release, kCard, 0))["features"];
  EXPECT_NEAR(sum_of(all), TripModel::make(release)->total(), 1e-3);
}

// A partition as wide as the city at its destination: its trips end where the others do, not in the middle of the map.
TEST(GeoLayers, FlowsAreAnchoredAtTheCentreOfTheirTrips) {
  Release release = sample::over(sample::city_release(2, 100, 100, "uniform").domain, kTicksPerEpsilon);
  const Domain& domain = release.domain;
  Table table = sample::table("joint", {0, 1, 2, 3}, kTicksPerEpsilon);
  // Of those who start in the west the end is known, far in the north-east; of the others not.
  const Interval all{0, 100}, west{0, 2}, rest{2, 100}, corner{90, 94};
  table.append(sample::box({west, all, corner, corner}), -1, 900, kTicksPerEpsilon, 0);
  table.append(sample::box({rest, all, all, all}), -1, 100, kTicksPerEpsilon, 0);
  release.tables.push_back(std::move(table));
  sample::settle(release);
  const TripModel model = *TripModel::make(release);
  const TripCentres centres(model, *stop_places(domain));
  // 900 trips at 92 and 100 even over 100 cells, whose mean is 50.
  const GeoPoint wide = centres.of(1, model.box(1));
  EXPECT_NEAR(wide.lon, -123 + (0.9 * 92 + 0.1 * 50) / 100, 1e-9);
  EXPECT_NEAR(wide.lat, 37 + (0.9 * 92 + 0.1 * 50) / 100, 1e-9);
  EXPECT_NEAR(centres.of(0, model.box(0)).lon, -123 + 0.01, 1e-9);
  const nlohmann::json line = nlohmann::json::parse(*flows_layer(release, kCard, 0))["features"][1];
  EXPECT_NEAR(line["geometry"]["coordinates"][1][0].get<double>(), wide.lon, 1e-6);
  const FlowMapData data = *flow_map_data(release, 0, 1);
  EXPECT_NEAR(data.locations[data.flows[1].dest].lon, wide.lon, 1e-9);
}

TEST(GeoLayers, OtherAxesBecomeProperties) {
  Release release = sample::city();
  const Result<std::string> text = partitions_layer(release, kCard);
  ASSERT_FALSE(text);  // the stop "why" is not a place
  EXPECT_NE(text.error().message.find("why"), std::string::npos);
}

TEST(FlowMapData, FlowsAddUpAndNameTheirLocations) {
  const Release release = sample::city_release(3, 5000, 100, "anchor");
  const FlowMapData data = *flow_map_data(release, 0, 2);
  double sum = 0;
  for (const FlowBetween& flow : data.flows) {
    ASSERT_LT(flow.origin, data.locations.size());
    ASSERT_LT(flow.dest, data.locations.size());
    sum += flow.count;
  }
  EXPECT_NEAR(sum, TripModel::make(release)->total(), 1e-6 * sum);
  EXPECT_GE(data.flows.front().count, data.flows.back().count);
  EXPECT_TRUE(data.locations_csv().starts_with("id,name,lat,lon\np0,\""));
  EXPECT_TRUE(data.flows_csv().starts_with("origin,dest,count\np"));
  const nlohmann::json json = nlohmann::json::parse(data.json(kCard));
  EXPECT_EQ(json["locations"].size(), data.locations.size());
  EXPECT_EQ(json["flows"].size(), data.flows.size());
  EXPECT_EQ(json["flows"][0]["origin"], data.locations[data.flows[0].origin].id);
}

}  // namespace
}  // namespace stopover
