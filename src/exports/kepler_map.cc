#include "exports/kepler_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/portable_math.h"
#include "geo/json_fwd.h"

namespace stopover {
namespace {

struct Extent {
  double west = 180, south = 90, east = -180, north = -90;

  void add(const Json& coordinates) {
    if (!coordinates.is_array() || coordinates.empty()) return;
    if (!coordinates[0].is_number()) {
      for (const Json& part : coordinates) add(part);
      return;
    }
    west = std::min(west, coordinates[0].get<double>());
    east = std::max(east, coordinates[0].get<double>());
    south = std::min(south, coordinates[1].get<double>());
    north = std::max(north, coordinates[1].get<double>());
  }
};

struct Column {
  std::string name, type;  // as kepler.gl names types
};

// Properties of the features that a table can hold, by what they are in all of them.
std::vector<Column> columns_of(const Json& features) {
  std::vector<Column> columns;
  for (const Json& feature : features) {
    for (const auto& [name, value] : feature["properties"].items()) {
      if (value.is_null()) continue;
      const auto known = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
      if (known == columns.end()) columns.push_back({name, value.is_number() ? "real" : "string"});
    }
  }
  return columns;
}

Json field_of(const Column& column) {
  const std::string analyzer = column.type == "real" ? "FLOAT" : column.type == "geojson" ? "GEOMETRY" : "STRING";
  return {{"name", column.name}, {"type", column.type}, {"format", ""}, {"analyzerType", analyzer}};
}

Json property(const Json& feature, const std::string& name) {
  const Json& properties = feature["properties"];
  const auto found = properties.find(name);
  return found == properties.end() ? Json() : *found;
}

struct Shown {
  Json dataset, layer;
};

constexpr std::array<const char*, 6> kColours = {"#f7fbff", "#c6dbef", "#9ecae1", "#4292c6", "#2171b5", "#084594"};

Json colour_range() {
  return {{"name", "stopover"}, {"type", "sequential"}, {"category", "Custom"}, {"colors", kColours}};
}

Shown show(const KeplerLayer& layer, const Json& features, std::size_t number) {
  const std::string id = "stopover_" + std::to_string(number);
  std::vector<Column> columns = columns_of(features);
  Json fields = Json::array(), rows = Json::array();
  const bool flows = layer.kind == KeplerLayer::Kind::flows;
  if (flows) {
    for (const char* name : {"from_lng", "from_lat", "to_lng", "to_lat"}) fields.push_back(field_of({name, "real"}));
  } else {
    fields.push_back(field_of({"_geojson", "geojson"}));
  }
  for (const Column& column : columns) fields.push_back(field_of(column));
  for (const Json& feature : features) {
    Json row = Json::array();
    if (flows) {
      const Json& line = feature["geometry"]["coordinates"];
      if (feature["geometry"]["type"] != "LineString") continue;
      row = {line.front()[0], line.front()[1], line.back()[0], line.back()[1]};
    } else {
      row.push_back({{"type", "Feature"}, {"properties", Json::object()}, {"geometry", feature["geometry"]}});
    }
    for (const Column& column : columns) row.push_back(property(feature, column.name));
    rows.push_back(std::move(row));
  }
  Json dataset = {{"version", "v1"},
                  {"data",
                   {{"id", id},
                    {"label", layer.name},
                    {"color", {66, 146, 198}},
                    {"allData", std::move(rows)},
                    {"fields", std::move(fields)}}}};
  const Json shown_field = {{"name", layer.value}, {"type", "real"}};
  Json config = {{"dataId", id}, {"label", layer.name}, {"color", {66, 146, 198}}, {"isVisible", layer.visible}};
  Json channels = Json::object();
  if (flows) {
    config["columns"] = {{"lat0", "from_lat"}, {"lng0", "from_lng"}, {"lat1", "to_lat"}, {"lng1", "to_lng"}};
    config["visConfig"] = {{"opacity", 0.6}, {"thickness", 2}, {"sizeRange", {0, 12}}, {"colorRange", colour_range()}};
    channels = {
        {"colorField", shown_field}, {"colorScale", "quantile"}, {"sizeField", shown_field}, {"sizeScale", "linear"}};
  } else {
    config["columns"] = {{"geojson", "_geojson"}};
    config["visConfig"] = {{"opacity", 0.6},
                           {"thickness", 0.3},
                           {"stroked", true},
                           {"filled", true},
                           {"enable3d", false},
                           {"wireframe", false},
                           {"colorRange", colour_range()}};
    channels = {{"colorField", shown_field}, {"colorScale", "quantile"}};
  }
  config["hidden"] = false;
  return {
      std::move(dataset),
      {{"id", id + "_layer"}, {"type", flows ? "arc" : "geojson"}, {"config", config}, {"visualChannels", channels}}};
}

}  // namespace

Result<std::string> kepler_map(const std::vector<KeplerLayer>& layers, const std::string& title,
                               const std::string& date, const std::string& card) {
  Json datasets = Json::array(), shown_layers = Json::array(), tips = Json::object();
  Extent extent;
  for (const KeplerLayer& layer : layers) {
    const Json json = Json::parse(layer.geojson, nullptr, false);
    if (json.is_discarded() || !json.contains("features"))
      return Error{Failure::internal, layer.name + " is no GeoJSON"};
    for (const Json& feature : json["features"]) extent.add(feature["geometry"].value("coordinates", Json::array()));
    Shown one = show(layer, json["features"], datasets.size() + 1);
    Json told = Json::array();
    for (const Json& field : one.dataset["data"]["fields"]) {
      if (field["type"] != "geojson") told.push_back({{"name", field["name"]}, {"format", nullptr}});
    }
    tips[one.dataset["data"]["id"].get<std::string>()] = told;
    datasets.push_back(std::move(one.dataset));
    shown_layers.push_back(std::move(one.layer));
  }
  const double width = std::max({extent.east - extent.west, extent.north - extent.south, 1e-4});
  const double zoom = std::clamp(portable_log(360 / width) / portable_log(2), 1.0, 18.0);
  const Json document = {{"stopover", Json::parse(card)},
                         {"datasets", datasets},
                         {"config",
                          {{"version", "v1"},
                           {"config",
                            {{"visState",
                              {{"filters", Json::array()},
                               {"layers", shown_layers},
                               {"interactionConfig",
                                {{"tooltip", {{"fieldsToShow", tips}, {"enabled", true}}},
                                 {"brush", {{"size", 0.5}, {"enabled", false}}},
                                 {"geocoder", {{"enabled", false}}},
                                 {"coordinate", {{"enabled", false}}}}},
                               {"layerBlending", "normal"},
                               {"splitMaps", Json::array()}}},
                             {"mapState",
                              {{"bearing", 0},
                               {"dragRotate", false},
                               {"latitude", (extent.south + extent.north) / 2},
                               {"longitude", (extent.west + extent.east) / 2},
                               {"pitch", 0},
                               {"zoom", zoom},
                               {"isSplit", false}}},
                             {"mapStyle", {{"styleType", "positron"}, {"topLayerGroups", Json::object()}}}}}}},
                         {"info", {{"app", "kepler.gl"}, {"created_at", date}, {"title", title}, {"description", ""}}}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stopover
