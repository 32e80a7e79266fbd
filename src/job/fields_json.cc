#include "job/fields_json.h"

#include <algorithm>

#include "base/usage_error.h"
#include "geo/json.h"

namespace stopover {
namespace {

bool all_of(const Json& list, bool (Json::*is)() const noexcept) {
  return std::all_of(list.begin(), list.end(), [is](const Json& node) { return (node.*is)(); });
}

template <typename T>
std::vector<T> list_of(const Json& node) {
  std::vector<T> list;
  for (const Json& value : node) list.push_back(value.get<T>());
  return list;
}

Result<FieldValue> value_of(const std::string& field, const Json& node) {
  if (node.is_boolean()) return FieldValue(node.get<bool>());
  // Whole numbers too large for FieldValue are their digits: FieldReader takes both.
  if (node.is_number_unsigned() && node.get<std::uint64_t>() > INT64_MAX) return FieldValue(node.dump());
  if (node.is_number_integer()) return FieldValue(node.get<std::int64_t>());
  if (node.is_number()) return FieldValue(node.get<double>());
  if (node.is_string()) return FieldValue(text_of(&node));
  if (node.is_array() && all_of(node, &Json::is_number) && !node.empty()) return FieldValue(list_of<double>(node));
  if (node.is_array() && all_of(node, &Json::is_string)) return FieldValue(list_of<std::string>(node));
  return usage_error("`" + field + "` is " + shown(node) +
                     "\n  It must be a text, a number, true, false, a list of texts or a list of numbers.");
}

}  // namespace

Result<FieldValues> fields_of_json(std::string_view text) {
  const Json node = parse_json(text);
  const std::string instead = "\n  Write {\"FIELD\": value, ...}.";
  if (node.is_discarded()) return Error{Failure::bad_input, "the fields are not valid JSON" + instead};
  if (!node.is_object()) return usage_error("the fields are " + kind_of(node) + instead);
  FieldValues values;
  for (const auto& [field, given] : node.items()) {
    if (given.is_null()) continue;
    Result<FieldValue> value = value_of(field, given);
    if (!value) return value.error();
    values.insert_or_assign(field, std::move(*value));
  }
  return values;
}

}  // namespace stopover
