#include "desk/draft.h"

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/field_words.h"
#include "base/split.h"
#include "base/usage_error.h"
#include "desk/repeated_fields.h"

namespace stopover {
namespace {

constexpr std::array kSections = {"publish", "plan"};

// A field as a settings file calls it: max-trips-per-user, point; input and output have their own names there.
std::string key_of(const std::string& field) {
  if (field == "input" || field == "output") return field;
  const std::string flag = field_in_words_of(Face::command_line, field);
  return flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
}

// Lists, whose names differ.
std::string field_of(std::string_view key) {
  for (const std::string_view list : kRepeatedFields) {
    if (key_of(std::string(list)) == key) return std::string(list);
  }
  std::string field(key);
  std::replace(field.begin(), field.end(), '-', '_');
  return field;
}

bool is_field(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string toml_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

Result<std::string> value_text(const std::string& field, const Json& value) {
  if (value.is_string()) return toml_text(value.get<std::string>());
  if (value.is_boolean()) return std::string(value.get<bool>() ? "true" : "false");
  if (value.is_number()) return toml_text(value.dump());
  if (value.is_array()) {
    std::string list;
    for (const Json& one : value) {
      if (!one.is_string()) return usage_error(fmt::format("`{}` must be a list of texts", field));
      const std::string text = one.get<std::string>();
      list += is_repeated(field) ? (list.empty() ? "" : ", ") + toml_text(text) : (list.empty() ? "" : ",") + text;
    }
    return is_repeated(field) ? "[" + list + "]" : toml_text(list);
  }
  return usage_error(fmt::format("`{}` has a value that no draft can hold", field));
}

Result<Json> json_value(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return Json(*text);
  if (const auto truth = node.value_exact<bool>()) return Json(*truth);
  if (const auto whole = node.value_exact<std::int64_t>()) return Json(fmt::format("{}", *whole));
  if (const auto number = node.value_exact<double>()) return Json(fmt::format("{}", *number));
  if (const toml::array* list = node.as_array()) {
    Json all = Json::array();
    for (const toml::node& one : *list) {
      const auto text = one.value_exact<std::string>();
      if (!text) return Error{Failure::bad_input, "a list in the draft holds something that is no text"};
      all.push_back(*text);
    }
    return all;
  }
  return Error{Failure::bad_input, "the draft holds a value that no field can have"};
}

}  // namespace

Result<std::string> draft_toml(const Json& draft) {
  std::string text =
      "# Declared values, no data. The command line takes it too: stopover publish, with this as config\n";
  for (const char* section : kSections) {
    text += fmt::format("\n[{}]\n", section);
    if (!draft.is_object()) return usage_error("a draft is an object of fields");
    const auto found = draft.find(section);
    if (found == draft.end()) continue;
    if (!found->is_object()) return usage_error(fmt::format("\"{}\" of a draft is an object of fields", section));
    for (const auto& [field, value] : found->items()) {
      if (!is_field(field)) return usage_error(fmt::format("\"{}\" is no field", field));
      if (value.is_null() || value == "" || value == false || (value.is_array() && value.empty())) continue;
      const Result<std::string> one = value_text(field, value);
      if (!one) return one.error();
      text += fmt::format("{} = {}\n", key_of(field), *one);
    }
  }
  return text;
}

Result<Json> draft_json(std::string_view toml) {
  const toml::parse_result parsed = toml::parse(toml);
  if (!parsed) {
    return Error{Failure::bad_input,
                 fmt::format("the draft is not TOML: {}", std::string(parsed.error().description()))};
  }
  Json draft = {{"publish", Json::object()}, {"plan", Json::object()}};
  for (auto&& [key, node] : parsed.table()) {
    const std::string section(key.str());
    const toml::table* table = node.as_table();
    if (table == nullptr || !draft.contains(section)) {
      return Error{Failure::bad_input, fmt::format("[{}] is no part of a draft", section)};
    }
    for (auto&& [name, value] : *table) {
      Result<Json> one = json_value(value);
      if (!one) return one.error();
      const std::string field = field_of(name.str());
      if (is_joined(field) && one->is_string()) {
        draft[section][field] = split(one->get<std::string>(), ',');
      } else {
        draft[section][field] = std::move(*one);
      }
    }
  }
  return draft;
}

}  // namespace stopover
