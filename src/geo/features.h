// The features of a GeoJSON FeatureCollection and their properties as texts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "geo/json_fwd.h"

namespace stopover {

// The list of features. Fails (bad_input), naming `what`, where there is no collection or nothing in it, or it is in
// another coordinate system. Points into `json`.
Result<const Json*> features_of(const Json& json, std::string_view what);

// A text, or a number as text (12.0 as 12); "" where there is none.
std::string text_or_number(const Json* value);
// A feature's property as text; "" where it has none.
std::string property_of(const Json& feature, const std::string& name);

std::vector<std::string> property_names(const Json& feature);

// Fails where some feature lacks the property, naming the feature, with the nearest names (bad_input; usage where all
// lack it and it is the value of `field`).
Status require_property(const Json& features, const std::string& name, std::string_view what,
                        std::string_view field = {});
// The property that names features: the one asked for, which is required, else the first of `usual` that every feature
// has, else "".
Result<std::string> naming_property(const Json& features, std::string_view what, std::string_view asked,
                                    std::span<const char* const> usual, std::string_view field = {});

}  // namespace stopover
