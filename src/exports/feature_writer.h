// FeatureWriter: a GeoJSON FeatureCollection, feature by feature. Writes text at once: there may be millions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exports/stop_places.h"
#include "exports/trip_centres.h"

namespace stopover {

// "a \"name\"" as JSON.
std::string json_text(std::string_view text);
// At most 12 significant digits; null unless finite.
std::string json_number(double value);

class FeatureWriter {
 public:
  // `card`: JSON text.
  explicit FeatureWriter(const std::string& card);

  // Properties are name and JSON text.
  using Properties = std::vector<std::pair<std::string, std::string>>;
  void polygon(const GeoBox& box, const Properties& properties);
  // Through the points; one point where all are the same. REQUIRES: at least two.
  void line(const std::vector<GeoPoint>& points, const Properties& properties);
  // `geometry`: JSON text of one.
  void feature(std::string_view geometry, const Properties& properties);

  std::string finish() &&;

 private:
  std::string text_;
  bool first_ = true;
};

}  // namespace stopover
