#include "ingest/row_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/nearest.h"
#include "base/usage_error.h"

namespace stopover {
namespace {

using nlohmann::json;

Error refused(const std::string& text, const std::string& why) {
  return usage_error(fmt::format(
      "`where {}`: {}\n  It may look at the columns of one row alone, as in `where fare > 0 AND kind = 'bike'`", text,
      why));
}

// The only value of the only row, as a text. Read to the end: an unfinished query would take back what is registered
// next.
Result<std::string> one_text(DuckSession& duck, const std::string& sql) {
  Result<DuckRows> rows = duck.query(sql);
  if (!rows) return rows.error();
  for (std::string text;;) {
    const Result<bool> more = rows->next();
    if (!more) return more.error();
    if (!*more) return text;
    if (rows->size() > 0 && rows->valid(0, 0)) text = rows->text(0, 0);
  }
}

// What may be called: its value is no larger than what it is given, times a number that stands in the condition. Were a
// number of the row to say how large a text or list becomes, one row could use up memory, and whether the run ends
// would tell of it.
const std::vector<std::string>& functions() {
  static const std::vector<std::string> kFunctions = {
      // numbers
      "+", "-", "*", "/", "//", "%", "^", "**", "&", "|", "~", "<<", ">>", "@", "abs", "ceil", "ceiling", "even",
      "floor", "round", "trunc", "sign", "sqrt", "cbrt", "exp", "ln", "log", "log2", "log10", "pow", "power", "mod",
      "fmod", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "degrees", "radians", "pi", "isnan", "isinf",
      "isfinite", "greatest", "least", "coalesce", "ifnull", "nullif", "hash", "xor",
      // texts
      "||", "concat", "lower", "lcase", "upper", "ucase", "trim", "ltrim", "rtrim", "substr", "substring", "left",
      "right", "length", "len", "strlen", "char_length", "character_length", "starts_with", "ends_with", "prefix",
      "suffix", "contains", "position", "strpos", "instr", "split_part", "ascii", "ord", "unicode", "reverse",
      "strip_accents", "md5", "sha256", "replace", "~~", "!~~", "~~*", "!~~*", "~~~", "like_escape", "ilike_escape",
      "not_like_escape", "not_ilike_escape", "regexp_matches", "regexp_full_match", "regexp_extract", "list_contains",
      "array_contains",
      // times
      "date_part", "datepart", "date_trunc", "datetrunc", "date_add", "year", "quarter", "month", "week", "weekofyear",
      "yearweek", "isoyear", "day", "dayofmonth", "dayofyear",
      "dayofweek", "weekday", "isodow", "hour", "minute", "second", "millisecond", "microsecond", "dayname",
      "monthname", "last_day", "epoch", "epoch_ms", "epoch_us", "epoch_ns", "make_date", "make_time", "make_timestamp",
      "strftime", "strptime", "try_strptime", "to_timestamp", "to_years", "to_months", "to_weeks", "to_days",
      "to_hours",
      "to_minutes", "to_seconds", "to_milliseconds"};
  return kFunctions;
}

// Of these all that stands behind the first is written in the condition, not taken from the row.
bool has_written_pattern(std::string_view function) {
  static const std::set<std::string, std::less<>> kPatterns = {
      "~~",           "!~~",            "~~*",
      "!~~*",         "~~~",            "like_escape",
      "ilike_escape", "not_like_escape", "not_ilike_escape",
      "replace",      "regexp_matches", "regexp_full_match",
      "regexp_extract", "strftime",     "strptime",
      "try_strptime"};
  return kPatterns.contains(function);
}

// The text of a constant; nothing where it is none.
std::optional<std::string> constant_text(const json& node) {
  if (node.value("class", "") != "CONSTANT" || !node["value"].contains("value")) return std::nullopt;
  const json& value = node["value"]["value"];
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Whether it is a time of the calendar, whatever the row holds.
bool is_calendar_time(const json& node) {
  static const std::set<std::string> kTypes = {"DATE", "TIMESTAMP"};
  return node.value("class", "") == "CAST" && kTypes.contains(node["cast_type"].value("id", ""));
}

// What is taken of a time. DuckDB knows some parts of some types alone and ends the query at the first row where it
// does not, which TRY does not catch: so the part is written in the condition, and one of those.
std::string fault_of_part(const std::string& name, const json& arguments) {
  static const std::set<std::string> kPlain = {"year",   "quarter", "month",       "day",         "hour",
                                               "minute", "second",  "millisecond", "milliseconds", "microsecond",
                                               "microseconds", "decade", "century", "millennium",  "epoch"};
  static const std::set<std::string> kOfDays = {"week", "dow", "isodow", "doy", "isoyear", "yearweek",
                                                "weekday", "dayofweek", "dayofyear", "weekofyear"};
  static const std::set<std::string> kOneOfDays = {"week", "weekofyear", "isoyear", "yearweek"};
  const auto of_days = [&](const std::string& part, const json& time) {
    if (is_calendar_time(time)) return std::string();
    return fmt::format("{} is of a day, so it must be of CAST(... AS DATE) or CAST(... AS TIMESTAMP)", part);
  };
  if (kOneOfDays.contains(name)) return arguments.size() == 1 ? of_days(name, arguments[0]) : "";
  if (name != "date_part" && name != "datepart" && name != "date_trunc" && name != "datetrunc") return "";
  if (arguments.size() != 2) return "";
  const std::optional<std::string> part = constant_text(arguments[0]);
  if (!part) return fmt::format("what {} takes of a time must be written there, not taken from a column", name);
  if (kPlain.contains(lower(*part))) return "";
  if (kOfDays.contains(lower(*part))) return of_days(lower(*part), arguments[1]);
  return fmt::format("{} is no part of a time that {} may take.{}", *part, name,
                     did_you_mean(*part, std::vector<std::string>(kPlain.begin(), kPlain.end())));
}

// `a LIKE pattern ESCAPE escape`: a pattern that ends in the middle of an escape, or an escape of two characters, ends
// the query at the first row that is looked at.
std::string fault_of_escape(const std::string& name, const json& arguments) {
  if (!name.ends_with("like_escape") || arguments.size() != 3) return "";
  const auto pattern = constant_text(arguments[1]), escape = constant_text(arguments[2]);
  if (!pattern || !escape || escape->size() != 1) return "the ESCAPE of a LIKE is one character";
  std::size_t at = 0;
  while (at < pattern->size()) at += (*pattern)[at] == (*escape)[0] ? 2 : 1;
  return at == pattern->size() ? "" : "the pattern of a LIKE ends with its ESCAPE";
}

// Why a call is not among those that may stand there; "" where it is.
std::string fault_of_call(const json& node) {
  const std::string name = lower(node.value("function_name", ""));
  const std::vector<std::string>& known = functions();
  static const std::set<std::string> kBetween = {"date_diff", "datediff", "date_sub", "datesub", "age"};
  if (kBetween.contains(name))
    return fmt::format("{} is none of the functions that may stand there: write epoch(b) - epoch(a), in seconds", name);
  if (std::find(known.begin(), known.end(), name) == known.end())
    return fmt::format("{} is none of the functions that may stand there.{}", name, did_you_mean(name, known));
  const json arguments = node.value("children", json::array());
  if (std::string fault = fault_of_part(name, arguments); !fault.empty()) return fault;
  if (std::string fault = fault_of_escape(name, arguments); !fault.empty()) return fault;
  if (!has_written_pattern(name)) return "";
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i].value("class", "") == "CONSTANT") continue;
    return fmt::format("what {} looks for must be written there, not taken from a column", name);
  }
  if (name != "replace" || arguments.size() != 3) return "";
  const auto from = constant_text(arguments[1]), to = constant_text(arguments[2]);
  if (from && to && to->size() <= from->size()) return "";
  return "replace may not put in more than it takes out";
}

// The first type of a cast that is none of a number, a text, a truth or a time; "" where there is none.
std::string odd_type(const json& node) {
  static const std::set<std::string> kTypes = {
      "BOOLEAN",   "TINYINT",  "SMALLINT", "INTEGER",      "BIGINT",        "HUGEINT",      "UTINYINT",
      "USMALLINT", "UINTEGER", "UBIGINT",  "UHUGEINT",     "FLOAT",         "DOUBLE",       "DECIMAL",
      "VARCHAR",   "DATE",     "TIME",     "TIMESTAMP",    "TIMESTAMP_SEC", "TIMESTAMP_MS", "TIMESTAMP_NS",
      "INTERVAL",  "UUID",     "TIMESTAMP WITH TIME ZONE"};
  const std::string type = node["cast_type"].value("id", "");
  return kTypes.contains(type) ? "" : type;
}

struct Found {
  std::set<std::string> columns, functions;
  std::string fault;  // the first
};

// Everything in the parsed condition that is an expression says what it is by its class.
void look(const json& node, Found& found) {
  static const std::set<std::string> harmless = {"CONSTANT", "COMPARISON", "CONJUNCTION", "OPERATOR",   "CAST",
                                                 "BETWEEN",  "CASE",       "COLLATE",     "COLUMN_REF", "FUNCTION"};
  if (node.is_object() && node.contains("class") && node["class"].is_string()) {
    const std::string kind = node["class"];
    if (!harmless.contains(kind) && found.fault.empty()) {
      found.fault = kind == "SUBQUERY" ? "it holds a query"
                    : kind == "WINDOW" ? "it looks at other rows"
                                       : "it cannot hold such a thing";
    }
    if (kind == "COLUMN_REF") {
      const json names = node.value("column_names", json::array());
      if (names.size() == 1) found.columns.insert(names[0].get<std::string>());
      if (names.size() != 1 && found.fault.empty()) found.fault = "a column has a plain name";
    }
    if (kind == "FUNCTION") {
      found.functions.insert(node.value("function_name", ""));
      if (found.fault.empty()) found.fault = fault_of_call(node);
    }
    if (kind == "CAST" && found.fault.empty()) {
      if (const std::string type = odd_type(node); !type.empty())
        found.fault = fmt::format("it cannot be cast to {}: to numbers, VARCHAR, BOOLEAN and times alone", type);
    }
  }
  if (node.is_structured()) {
    for (const json& child : node) look(child, found);
  }
}

// Whether the statement is SELECT 1 WHERE ... and has no other clause.
bool is_bare(const json& parsed) {
  if (parsed.value("error", true) || parsed["statements"].size() != 1) return false;
  const json& node = parsed["statements"][0]["node"];
  const auto none = [&](const char* clause) {
    return !node.contains(clause) || node[clause].is_null() || node[clause].empty();
  };
  return node.value("type", "") == "SELECT_NODE" && node["from_table"].value("type", "") == "EMPTY" &&
         none("modifiers") && none("group_expressions") && none("having") && none("qualify") && none("sample") &&
         node["select_list"].size() == 1 && node.contains("where_clause") && node["where_clause"].is_object();
}

}  // namespace

Result<std::vector<std::string>> columns_of_condition(DuckSession& duck, const std::string& text) {
  if (text.empty()) return std::vector<std::string>();
  const Result<std::string> tree =
      one_text(duck, fmt::format("SELECT CAST(json_serialize_sql({}) AS VARCHAR)",
                                 quote_literal(fmt::format("SELECT 1 WHERE (\n{}\n)", text))));
  if (!tree) return tree.error();
  const json parsed = json::parse(*tree, nullptr, false);
  if (parsed.is_discarded() || !is_bare(parsed)) return refused(text, "that is no condition");
  Found found;
  look(parsed["statements"][0]["node"]["where_clause"], found);
  for (const std::string& function : found.functions) {
    if (!found.fault.empty()) break;
    const Result<std::string> good = one_text(
        duck,
        fmt::format("SELECT CAST(count(*) > 0 AND bool_and(function_type = 'macro' OR (function_type = 'scalar' AND "
                    "stability = 'CONSISTENT')) AS VARCHAR) FROM duckdb_functions() WHERE function_name = {}",
                    quote_literal(function)));
    if (!good) return good.error();
    if (*good != "true") found.fault = fmt::format("{} is no function of one row's values", function);
  }
  if (!found.fault.empty()) return refused(text, found.fault);
  return std::vector<std::string>(found.columns.begin(), found.columns.end());
}

}  // namespace stopover
