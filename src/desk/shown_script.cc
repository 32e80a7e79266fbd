#include "desk/shown_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/field_words.h"
#include "base/split.h"
#include "desk/repeated_fields.h"

namespace stopover {
namespace {

using Words = std::vector<std::string>;

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// As a shell takes it for one word.
std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./:=,+@%").find(c) != std::string_view::npos;
  });
  if (plain) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string python_text(const std::string& text) { return Json(text).dump(); }

// A number stands for itself.
std::string python_value(const std::string& text) {
  const Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_number() ? text : python_text(text);
}

bool is_empty(const Json& value) {
  return value.is_null() || value == "" || value == false || (value.is_array() && value.empty());
}

// Lines of one flag each, broken as a shell wants it.
std::string joined_lines(const std::string& head, const Words& parts) {
  std::string text = head;
  for (const std::string& part : parts) text += " \\\n  " + part;
  return text;
}

void add_flag(Words& words, const std::string& field, const Json& value) {
  const std::string flag = field_in_words_of(Face::command_line, field);
  if (field == "calibrate") {
    if (value == false || value == "false") words.push_back(flag);
    return;
  }
  if (is_empty(value)) return;
  if (value == true) {
    words.push_back(flag);
  } else if (value.is_array() && is_repeated(field)) {
    for (const Json& one : value) add_flag(words, field, one);
  } else if (value.is_array()) {
    std::string joined;
    for (const Json& one : value) joined += (joined.empty() ? "" : ",") + text_of(one);
    add_flag(words, field, Json(joined));
  } else {
    const std::string text = text_of(value);
    words.push_back(flag + (text.starts_with("-") && flag.size() > 2 ? "=" : " ") + shell_word(text));
  }
}

std::string command_line(const std::string& command, const std::string& first, const Json& fields) {
  Words words;
  std::string head = "stopover " + command;
  if (!first.empty() && fields.contains(first)) head += " " + shell_word(text_of(fields[first]));
  for (const auto& [field, value] : fields.items()) {
    if (field != first) add_flag(words, field, value);
  }
  return joined_lines(head, words);
}

// "(a, b)" of "a,b" or "axb".
std::string python_tuple(const std::string& text, char between) {
  std::string tuple;
  for (const std::string& part : split(text, between)) tuple += (tuple.empty() ? "" : ", ") + python_value(part);
  return "(" + tuple + ")";
}

std::string python_list(const Json& value) {
  std::string list;
  if (value.is_array()) {
    for (const Json& one : value) list += (list.empty() ? "" : ", ") + python_text(text_of(one));
  } else {
    for (const std::string& part : split(text_of(value), ',')) list += (list.empty() ? "" : ", ") + python_text(part);
  }
  return "[" + list + "]";
}

std::string python_frames(const std::string& text) {
  std::string frames;
  for (const std::string& one : split(text, ',')) {
    const std::size_t equals = std::min(one.find('='), one.size());
    frames += (frames.empty() ? "" : ", ") + python_text(one.substr(0, equals)) + ": " +
              python_text(one.substr(std::min(equals + 1, one.size())));
  }
  return "{" + frames + "}";
}

const Words kOfDomain = {"bbox",  "bbox_from", "grid",   "stops", "stop_names", "frames",
                         "zones", "zone_id",   "levels", "axes",  "trip_axes",  "timezone"};
const Words kDescribing = {"title", "about", "covers", "credit", "licence", "contact"};
const Words kLists = {"points", "witnesses", "zone_columns", "axes", "trip_axes", "levels"};

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string python_domain(const Json& fields) {
  std::string inside;
  const auto add = [&](const std::string& name, const std::string& value) {
    inside += (inside.empty() ? "" : ", ") + name + "=" + value;
  };
  for (const auto& [field, value] : fields.items()) {
    if (!has(kOfDomain, field) || is_empty(value)) continue;
    const std::string text = text_of(value);
    if (field == "bbox") add("bbox", python_tuple(text, ','));
    if (field == "bbox_from") add("bbox", python_text(text));
    if (field == "grid") add("grid", python_tuple(text, 'x'));
    if (field == "stop_names") add("stops", python_list(value));
    if (field == "frames") add("stops", python_frames(text));
    if (field == "stops" && text != "frames" && !fields.contains("stop_names")) {
      add("stops", text.find_first_not_of("0123456789,") == std::string::npos ? python_tuple(text + ",", ',')
                                                                              : python_text(text));
    }
    if (field == "zones" || field == "zone_id" || field == "timezone") add(field, python_text(text));
    if (field == "levels" || field == "axes" || field == "trip_axes") add(field, python_list(value));
  }
  return "so.Domain(" + inside + ")";
}

// The arguments behind the domain.
Words python_arguments(const Json& fields, const std::string& first) {
  Words words;
  std::string description;
  for (const auto& [field, value] : fields.items()) {
    if (field == first || has(kOfDomain, field) || is_empty(value)) continue;
    if (has(kDescribing, field)) {
      description += (description.empty() ? "" : ", ") + python_text(field) + ": " + python_text(text_of(value));
      continue;
    }
    const std::string name = field_in_words_of(Face::python, field);
    if (has(kLists, field)) {
      words.push_back(name + python_list(value));
    } else if (value.is_boolean() || value == "true" || value == "false") {
      words.push_back(name + (value == true || value == "true" ? "True" : "False"));
    } else {
      words.push_back(name + python_value(text_of(value)));
    }
  }
  if (!description.empty()) words.push_back("description={" + description + "}");
  return words;
}

std::string python_call(const std::string& head, const Words& arguments) {
  std::string text = "import stopover as so\n\n" + head;
  for (const std::string& argument : arguments) text += ",\n    " + argument;
  return text + ")";
}

std::string python_rows(const std::string& name, const Json& fields, const Words& more) {
  Words arguments = python_arguments(fields, "input");
  arguments.insert(arguments.end(), more.begin(), more.end());
  return python_call(
      fmt::format("{}so.{}({},\n    {}", name == "publish" ? "release = " : "", name,
                  python_text(fields.contains("input") ? text_of(fields["input"]) : ""), python_domain(fields)),
      arguments);
}

std::string release_of(const Json& fields) {
  return python_text(fields.contains("release") ? text_of(fields["release"]) : "");
}

std::string python_export(const Json& fields) {
  Words arguments;
  for (const auto& [field, value] : fields.items()) {
    if (field == "release" || field == "as" || field == "output" || is_empty(value)) continue;
    arguments.push_back(field + "=" + (value == true ? "True" : python_value(text_of(value))));
  }
  return python_call(fmt::format("so.Release({}).export({}, {}", release_of(fields), python_text(text_of(fields["as"])),
                                 python_text(text_of(fields["output"]))),
                     arguments);
}

}  // namespace

ShownScript shown_script(std::string_view job, const Json& fields) {
  if (!fields.is_object()) return {};
  if (job == "publish") return {command_line("publish", "input", fields), python_rows("publish", fields, {})};
  if (job == "rehearse") {
    return {command_line("publish", "input", fields) + " \\\n  " + field_in_words_of(Face::command_line, "dry_run"),
            python_rows("publish", fields, {"dry_run=True"})};
  }
  if (job == "inspect") return {command_line("inspect", "input", fields), python_rows("inspect", fields, {})};
  if (job == "plan") return {command_line("plan", "", fields), ""};
  if (job == "export" && fields.contains("as") && fields.contains("output")) {
    return {command_line("export", "release", fields), python_export(fields)};
  }
  if (job == "explorer") {
    return {command_line("html", "release", fields), fmt::format("so.Release({}).explore()", release_of(fields))};
  }
  if (job == "card") {
    return {command_line("info", "release", fields), fmt::format("print(so.Release({}).card)", release_of(fields))};
  }
  if (job == "verify") {
    return {command_line("verify", "release", fields), fmt::format("so.Release({}).verify()", release_of(fields))};
  }
  if (job == "ledger") return {command_line("ledger", "ledger", fields), ""};
  return {};
}

}  // namespace stopover
