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

void FeatureWriter::line(const std::vector<GeoPoint>& points, const Properties& properties) {
  // A billionth of a degree is a tenth of a millimetre.
  const auto written = [](const GeoPoint& p) { return fmt::format("[{:.9g},{:.9g}]", p.lon, p.lat); };
  std::string all;
  bool still = true;
  for (const GeoPoint& p : points) {
    all += (all.empty() ? "" : ",") + written(p);
    still = still && written(p) == written(points[0]);
  }
  feature(still ? "{\"type\":\"Point\",\"coordinates\":" + written(points[0]) + "}"
                : "{\"type\":\"LineString\",\"coordinates\":[" + all + "]}",
          properties);
}

std::string FeatureWriter::finish() && {
  text_ += "\n]\n}\n";
  return std::move(text_);
}

}  // namespace stopover
