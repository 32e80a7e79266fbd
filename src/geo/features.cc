#include "geo/features.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/nearest.h"
#include "geo/geojson.h"
#include "geo/json.h"

namespace stopover {
namespace {

Error fail(std::string_view what, const std::string& why, const std::string& instead) {
  return {Failure::bad_input, std::string(what) + " " + why + "\n  " + instead};
}

}  // namespace

Result<const Json*> features_of(const Json& json, std::string_view what) {
  const Json* features = member(json, "features");
  if (text_of(member(json, "type")) != "FeatureCollection" || features == nullptr || !features->is_array()) {
    return fail(what, "is not a FeatureCollection",
                "Zones are a GeoJSON FeatureCollection; each feature an area with a name.");
  }
  if (Status fine = check_crs(json, what); !fine) return fine.error();
  if (features->empty()) return fail(what, "has no feature", "Each zone is a feature with an area and a name.");
  return features;
}

std::string text_or_number(const Json* value) {
  if (value == nullptr) return "";
  if (value->is_string()) return text_of(value);
  if (!value->is_number()) return "";
  const double number = value->get<double>();
  const bool whole = value->is_number_float() && number >= -9e15 && number <= 9e15 &&
                     static_cast<double>(static_cast<std::int64_t>(number)) == number;
  return whole ? std::to_string(static_cast<std::int64_t>(number)) : value->dump();
}

std::string property_of(const Json& feature, const std::string& name) {
  const Json* properties = member(feature, "properties");
  return properties == nullptr ? "" : text_or_number(member(*properties, name.c_str()));
}

std::vector<std::string> property_names(const Json& feature) {
  std::vector<std::string> names;
  if (const Json* properties = member(feature, "properties"); properties != nullptr && properties->is_object()) {
    for (const auto& [key, value] : properties->items()) names.push_back(key);
  }
  return names;
}

Status require_property(const Json& features, const std::string& name, std::string_view what, std::string_view field) {
  const auto lacks = [&](const Json& feature) { return property_of(feature, name).empty(); };
  const auto without = std::find_if(features.begin(), features.end(), lacks);
  if (without == features.end()) return {};
  const bool none = std::all_of(features.begin(), features.end(), lacks);
  const std::vector<std::string> known = property_names(*without);
  const std::string where = none ? "" : ", feature " + std::to_string(without - features.begin() + 1) + ",";
  Error error = fail(std::string(what) + where,
                     "has no property \"" + name + "\"" + (field.empty() ? "" : " (`" + std::string(field) + "`)"),
                     (none ? "Its features have " : "Every feature must have it. This one has ") +
                         (known.empty() ? "none" : list_names(known)) + "." + did_you_mean(name, known));
  if (none && !field.empty()) error.failure = Failure::usage;
  return error;
}

Result<std::string> naming_property(const Json& features, std::string_view what, std::string_view asked,
                                    std::span<const char* const> usual, std::string_view field) {
  if (!asked.empty()) {
    std::string name(asked);
    if (Status fine = require_property(features, name, what, field); !fine) return fine.error();
    return name;
  }
  for (const char* name : usual) {
    if (std::none_of(features.begin(), features.end(), [&](const Json& f) { return property_of(f, name).empty(); })) {
      return std::string(name);
    }
  }
  return std::string();
}

}  // namespace stopover
