#include "question/region_text.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "base/split.h"
#include "question/nearest.h"

namespace stopover {
namespace {

// A plain decimal, nothing around it.
std::optional<double> decimal(const std::string& text) {
  if (text.empty() || text.find_first_not_of("+-.0123456789eE") != std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' || !is_finite(value)) return std::nullopt;
  return value;
}

Error usage(std::string_view text, const std::string& why, const std::string& instead) {
  return {Failure::usage, "\"" + std::string(text.substr(0, 200)) + "\" " + why + "\n  " + instead};
}

// Numbers by place, or by name as in lat=..,lon=..
std::optional<std::vector<double>> numbers(std::string_view text, const std::vector<std::string>& names) {
  const std::vector<std::string> parts = split(text, ',');
  if (parts.size() != names.size()) return std::nullopt;
  std::vector<double> values(names.size());
  std::vector<bool> found(names.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    std::size_t at = i;
    if (equals != std::string::npos) {
      at = 0;
      while (at < names.size() && names[at] != parts[i].substr(0, equals)) ++at;
      if (at == names.size()) return std::nullopt;
    }
    const std::optional<double> value = decimal(equals == std::string::npos ? parts[i] : parts[i].substr(equals + 1));
    if (!value || found[at]) return std::nullopt;
    values[at] = *value;
    found[at] = true;
  }
  return values;
}

Result<Json> cells(std::string_view text, std::string_view value) {
  Json list = Json::array();
  for (const std::string& part : split(value, ',')) {
    Json cell = Json::array();
    for (const std::string& index : split(part, '/')) {
      const std::optional<double> number = decimal(index);
      if (!number) return usage(text, "has \"" + part + "\" for a cell", "Write cells as in cells:12/40,12/41.");
      cell.push_back(*number);
    }
    list.push_back(std::move(cell));
  }
  return Json{{"cells", std::move(list)}};
}

Result<Json> box(std::string_view text, std::string_view value) {
  Json list = Json::array();
  for (const std::string& part : split(value, ',')) {
    const std::vector<std::string> ends = split(part, ':');
    const std::optional<double> lo = decimal(ends[0]);
    const std::optional<double> hi = ends.size() == 2 ? decimal(ends[1]) : std::nullopt;
    if (!lo || !hi) return usage(text, "has \"" + part + "\" for an interval", "Write half-open cells as in box:0:16,4:20.");
    list.push_back(Json::array({*lo, *hi}));
  }
  return Json{{"box", std::move(list)}};
}

}  // namespace

Result<Json> region_of_text(std::string_view text) {
  static const std::vector<std::string> kinds = {"circle", "bbox", "polygon", "zone",  "box",
                                                 "cells",  "time", "category", "range", "anywhere"};
  const std::size_t colon = text.find(':');
  const std::string kind(text.substr(0, colon));
  const std::string_view value = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (text == "anywhere") return Json::object();
  if (colon != std::string_view::npos && !value.empty()) {
    if (kind == "circle") {
      const auto v = numbers(value, {"lat", "lon", "km"});
      if (!v) return usage(text, "is no circle", "Write circle:LAT,LON,KM, as in circle:37.795,-122.393,1.");
      return Json{{"circle", *v}};
    }
    if (kind == "bbox") {
      const auto v = numbers(value, {"west", "south", "east", "north"});
      if (!v) return usage(text, "is no bbox", "Write bbox:W,S,E,N in degrees, as in bbox:-122.45,37.74,-122.38,37.80.");
      return Json{{"bbox", *v}};
    }
    if (kind == "zone") return Json{{"zone", std::string(value)}};
    if (kind == "time") return Json{{"time", split(value, ',')}};
    if (kind == "category") return Json{{"category", split(value, ',')}};
    if (kind == "cells") return cells(text, value);
    if (kind == "box") return box(text, value);
    if (kind == "range") {
      const std::vector<std::string> ends = split(value, ':');
      const std::optional<double> lo = decimal(ends[0]);
      const std::optional<double> hi = ends.size() == 2 ? decimal(ends[1]) : std::nullopt;
      if (!lo || !hi) return usage(text, "is no range", "Write range:LO:HI.");
      return Json{{"range", {*lo, *hi}}};
    }
    if (kind == "polygon") {
      return usage(text, "names a file, which cannot be read here", "Give the area itself: {\"polygon\": {GeoJSON}}.");
    }
  }
  return usage(text, "is no region",
               "Regions are circle:LAT,LON,KM, bbox:W,S,E,N, polygon:FILE, zone:NAME, box:LO:HI,LO:HI, cells:X/Y,..., "
               "time:HH:MM-HH:MM, category:LABEL, range:LO:HI and anywhere." +
                   did_you_mean(kind, kinds));
}

}  // namespace stopover
