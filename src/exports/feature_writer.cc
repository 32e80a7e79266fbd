#include "exports/feature_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace stopover {

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{:.12g}", value) : "null"; }

FeatureWriter::FeatureWriter(const std::string& card)
    : text_("{\n\"type\": \"FeatureCollection\",\n\"stopover\": " + card + ",\n\"features\": [") {}

void FeatureWriter::feature(std::string_view geometry, const Properties& properties) {
  text_ += first_ ? "\n" : ",\n";
  first_ = false;
  text_.append("{\"type\":\"Feature\",\"geometry\":").append(geometry).append(",\"properties\":{");
  for (std::size_t i = 0; i < properties.size(); ++i) {
    text_.append(i == 0 ? "" : ",").append(json_text(properties[i].first)).append(":").append(properties[i].second);
  }
  text_ += "}}";
}

void FeatureWriter::polygon(const GeoBox& b, const Properties& properties) {
  feature(fmt::format("{{\"type\":\"Polygon\",\"coordinates\":[[[{0},{1}],[{2},{1}],[{2},{3}],[{0},{3}],[{0},{1}]]]}}",
                      b.west, b.south, b.east, b.north),
          properties);
}

void FeatureWriter::line(const std::vector<GeoBox>& boxes, const Properties& properties) {
  const bool still = std::all_of(boxes.begin(), boxes.end(), [&](const GeoBox& b) {
    return b.lon() == boxes[0].lon() && b.lat() == boxes[0].lat();
  });
  if (still) {
    feature(fmt::format("{{\"type\":\"Point\",\"coordinates\":[{},{}]}}", boxes[0].lon(), boxes[0].lat()), properties);
    return;
  }
  std::string points;
  for (const GeoBox& b : boxes) points += fmt::format("{}[{},{}]", points.empty() ? "" : ",", b.lon(), b.lat());
  feature("{\"type\":\"LineString\",\"coordinates\":[" + points + "]}", properties);
}

std::string FeatureWriter::finish() && {
  text_ += "\n]\n}\n";
  return std::move(text_);
}

}  // namespace stopover
