#include "ingest/row_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

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
    if (kind == "FUNCTION") found.functions.insert(node.value("function_name", ""));
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
        fmt::format("SELECT CAST(count(*) > 0 AND bool_and(function_type = 'scalar' AND stability = 'CONSISTENT') AS "
                    "VARCHAR) FROM duckdb_functions() WHERE function_name = {}",
                    quote_literal(function)));
    if (!good) return good.error();
    if (*good != "true") found.fault = fmt::format("{} is no function of one row's values", function);
  }
  if (!found.fault.empty()) return refused(text, found.fault);
  return std::vector<std::string>(found.columns.begin(), found.columns.end());
}

}  // namespace stopover
