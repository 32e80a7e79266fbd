// JSON inside this room: parsed without exceptions, looked at by type before it is taken.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "geo/json_fwd.h"

namespace stopover {

// Discarded (is_discarded()) when it is not valid JSON.
inline Json parse_json(std::string_view text) { return Json::parse(text, nullptr, false); }

// Members by name; nullptr where there is none or `node` is no object.
inline const Json* member(const Json& node, const char* name) {
  if (!node.is_object()) return nullptr;
  const auto found = node.find(name);
  return found == node.end() ? nullptr : &*found;
}

// A string's text, "" for anything else.
inline std::string text_of(const Json* node) {
  return node != nullptr && node->is_string() ? node->get_ref<const std::string&>() : std::string();
}

inline bool is_finite(double x) { return x - x == 0; }

// What it is, in an error: "a string", "a list", ...
std::string kind_of(const Json& node);
// The start of it as text, for an error.
std::string shown(const Json& node);

}  // namespace stopover
