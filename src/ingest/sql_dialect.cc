#include "ingest/sql_dialect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

#include "duck/duck.h"

namespace stopover {
namespace {

constexpr std::string_view kNumber = "[+-]?([0-9]{1,40}[.]?[0-9]{0,40}|[.][0-9]{1,40})([eE][+-]?[0-9]{1,3})?";
constexpr std::string_view kIso =
    "(19[7-9]|20[0-9])[0-9]-[0-9][0-9]-[0-9][0-9]"
    "([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,12})?)?( "
    "?(Z|UTC|[+-](0[0-9]|1[0-8])(:?[0-5][0-9])?))?)?";
constexpr double kUntil = 4102444800000;  // 2100-01-01 in milliseconds

bool is_one_of(std::string_view type, std::initializer_list<std::string_view> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

bool is_whole(std::string_view type) {
  return is_one_of(
      type, {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT"});
}

bool is_fractional(std::string_view type) { return is_one_of(type, {"FLOAT", "DOUBLE"}); }

Error wrong_type(std::string_view column, std::string_view type, std::string_view wanted) {
  return {Failure::bad_input,
          fmt::format("column {} holds {}, not {}\n  Name another column, or convert it with `sql`.", column, type,
                      wanted)};
}

}  // namespace

std::string sql_double(double value) { return fmt::format("{:.17E}", value); }

std::string SqlDialect::identifier(std::string_view name) const {
  if (engine_ == Engine::duckdb) return quote_identifier(name);
  std::string result = "`";
  for (const char c : name) result.append(c == '`' ? 2 : 1, c);
  return result += '`';
}

std::string SqlDialect::literal(std::string_view text) const {
  if (engine_ == Engine::duckdb) return quote_literal(text);
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result += '\'';
}

std::string SqlDialect::lot(const std::vector<std::string>& values) const {
  if (engine_ == Engine::duckdb) return fmt::format("lot({})", fmt::join(values, ", "));
  std::vector<std::string> texts;
  for (const std::string& value : values) {
    texts.push_back(fmt::format(
        "coalesce(concat(CAST(octet_length(CAST({0} AS STRING)) AS STRING), ':', CAST({0} AS STRING)), '-')", value));
  }
  return fmt::format("CAST(conv(substr(sha2(concat({}), 256), 1, 15), 16, 10) AS BIGINT)", fmt::join(texts, ", "));
}

std::string SqlDialect::matches(const std::string& text, std::string_view pattern) const {
  if (engine_ == Engine::duckdb) return fmt::format("regexp_full_match({}, '{}')", text, pattern);
  return fmt::format("({} RLIKE '^(?:{})\\\\z')", text, pattern);
}

std::string SqlDialect::millis(const std::string& timestamp) const {
  if (engine_ == Engine::spark) return fmt::format("unix_millis(TRY_CAST({} AS TIMESTAMP))", timestamp);
  const std::string plain = fmt::format("TRY_CAST({} AS TIMESTAMP)", timestamp);
  return fmt::format("CASE WHEN isfinite({0}) THEN epoch_ms({0}) END", plain);
}

std::string SqlDialect::trimmed(const std::string& column) const {
  return decimal_comma_ ? fmt::format("replace(trim({}), ',', '.')", column) : fmt::format("trim({})", column);
}

Result<std::string> SqlDialect::text(std::string_view name, std::string_view type) const {
  const std::string column = identifier(name);
  if (type == "VARCHAR") return fmt::format("NULLIF({}, '')", column);
  if (type == "UUID" && engine_ == Engine::spark) {
    return fmt::format("regexp_replace(lower(hex({})), '(.{{8}})(.{{4}})(.{{4}})(.{{4}})(.{{12}})', '$1-$2-$3-$4-$5')",
                       column);
  }
  if (is_whole(type) || type == "UUID") return fmt::format("CAST({} AS STRING)", column);
  if (is_fractional(type)) {
    return fmt::format(
        "CASE WHEN {0} = floor({0}) AND abs({0}) < 9E15 THEN CAST(TRY_CAST({0} AS BIGINT) AS STRING) END", column);
  }
  return wrong_type(name, type, "ids or names");
}

Result<std::string> SqlDialect::id(std::string_view name, std::string_view type) const {
  Result<std::string> value = text(name, type);
  if (!value || type != "VARCHAR") return value;
  const std::string column = identifier(name), ends = engine_ == Engine::duckdb ? "ends_with" : "endswith";
  return fmt::format("CASE WHEN {0}({1}, '0') AND {2} THEN split_part({1}, '.', 1) ELSE {3} END", ends, column,
                     matches(column, "-?[0-9]{1,40}[.]0{1,40}"), *value);
}

bool SqlDialect::holds_bigints(std::string_view type) {
  return is_one_of(type, {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"});
}

Result<std::string> SqlDialect::number(std::string_view name, std::string_view type) const {
  const std::string column = identifier(name);
  if (is_whole(type) || is_fractional(type)) return fmt::format("TRY_CAST({} AS DOUBLE)", column);
  if (type.starts_with("DECIMAL")) return fmt::format("TRY_CAST(CAST({} AS STRING) AS DOUBLE)", column);
  if (type != "VARCHAR") return wrong_type(name, type, "numbers");
  const std::string text = trimmed(column);
  return fmt::format("CASE WHEN {} THEN TRY_CAST({} AS DOUBLE) END", matches(text, kNumber), text);
}

SqlTime SqlDialect::iso_time(const std::string& text) const {
  const auto whole = [](const std::string& digits) {
    return fmt::format("coalesce(TRY_CAST(NULLIF({}, '') AS BIGINT), 0)", digits);
  };
  const auto part = [&](int from, int size) { return whole(fmt::format("substr({}, {}, {})", text, from, size)); };
  const std::string fraction =
      whole(fmt::format("substr(concat(regexp_extract({}, '[.]([0-9]+)', 1), '000'), 1, 3)", text));
  const std::string local = fmt::format(
      "({} + {} * 3600000 + {} * 60000 + {} + CASE WHEN substr({}, 20, 1) = '.' THEN {} ELSE 0 END)",
      millis(fmt::format("substr({}, 1, 10)", text)), part(12, 2), part(15, 2),
      fmt::format("CASE WHEN substr({}, 17, 1) = ':' THEN {} * 1000 ELSE 0 END", text, part(18, 2)), text, fraction);
  const std::string tail =
      fmt::format("replace(regexp_extract(substr({}, 17), '(Z|UTC|[+-][0-9:]+)$', 1), ':', '')", text);
  const std::string shift = fmt::format("({} * 3600000 + {} * 60000)", whole(fmt::format("substr({}, 2, 2)", tail)),
                                        whole(fmt::format("substr({}, 4, 2)", tail)));
  return {fmt::format("CASE substr({0}, 1, 1) WHEN '+' THEN {1} - {2} WHEN '-' THEN {1} + {2} ELSE {1} END", tail,
                      local, shift),
          fmt::format("CASE WHEN {} = '' THEN 1 ELSE 0 END", tail)};
}

Result<SqlTime> SqlDialect::time(std::string_view name, std::string_view type, std::int64_t unit_ms) const {
  const std::string column = identifier(name);
  const std::string scale = unit_ms > 0 ? fmt::format("* {}", sql_double(static_cast<double>(unit_ms))) : "/ 1E3";
  const auto since_1970 = [&](const std::string& number) {
    return fmt::format("TRY_CAST(floor(CASE WHEN ({0}) {1} >= 0E0 AND ({0}) {1} < {2} THEN ({0}) {1} END) AS BIGINT)",
                       number, scale, sql_double(kUntil));
  };
  if (is_whole(type) || is_fractional(type))
    return SqlTime{since_1970(fmt::format("TRY_CAST({} AS DOUBLE)", column)), "0"};
  if (is_one_of(type, {"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "DATE"}))
    return SqlTime{millis(column), "1"};
  if (type == "TIMESTAMP WITH TIME ZONE") {
    if (engine_ == Engine::spark) return SqlTime{fmt::format("unix_millis({})", column), "0"};
    return SqlTime{fmt::format("CASE WHEN isfinite({0}) THEN epoch_ms({0}) END", column), "0"};
  }
  if (type == kMilliseconds) {
    return Error{
        Failure::bad_input,
        fmt::format("column {} holds times in milliseconds\n  In Parquet, one far-off time among them would end "
                    "the run. Write them in microseconds, or as numbers with `time_unit ms`.",
                    name)};
  }
  if (type == kNanoseconds) {
    return Error{
        Failure::bad_input,
        fmt::format("column {} holds times in nanoseconds, which Spark cannot read\n  Write them in microseconds.",
                    name)};
  }
  if (type != "VARCHAR") return wrong_type(name, type, "times");
  const std::string text = trimmed(column);
  const std::string is_iso = matches(text, kIso);
  const SqlTime iso = iso_time(text);
  return SqlTime{fmt::format("CASE WHEN {} THEN {} WHEN {} THEN {} END", matches(text, kNumber),
                             since_1970(fmt::format("TRY_CAST({} AS DOUBLE)", text)), is_iso, iso.ms),
                 fmt::format("CASE WHEN {} THEN {} ELSE 0 END", is_iso, iso.local)};
}

}  // namespace stopover
