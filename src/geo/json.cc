#include "geo/json.h"

namespace stopover {

std::string kind_of(const Json& node) {
  if (node.is_null()) return "null";
  if (node.is_boolean()) return "a truth value";
  if (node.is_number()) return "a number";
  if (node.is_string()) return "a text";
  if (node.is_array()) return "a list";
  if (node.is_object()) return "an object";
  return "text that is not valid JSON";
}

std::string shown(const Json& node) {
  constexpr std::size_t kMost = 60;
  if (node.is_structured() && node.size() > 8) return kind_of(node) + " of " + std::to_string(node.size());
  std::string text = node.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

}  // namespace stopover
