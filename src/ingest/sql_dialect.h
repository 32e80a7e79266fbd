// SqlDialect: the few words in which DuckDB's and Spark's SQL differ. The plan (trip_plan.h) is otherwise the same text
// for both, so what is said here in two ways must mean the same; spark/ tests compare the outcomes on nasty values.
//
// Values of a source column become texts, numbers and times by rule, never by a cast that can fail:
//   text    not empty; a whole number is its digits
//   number  finite decimal digits with an optional exponent, blanks around it ignored; everything else is missing
//   time    milliseconds since 1970 UTC, from 1970 to 2099: a number in the declared unit, or yyyy-mm-dd[(T|
//   )hh:mm[:ss[.f]]]
//           and then Z, UTC, +hh, +hhmm, +hh:mm or nothing, which means local time
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stopover {

// The type of a Parquet file's times in milliseconds, in place of DuckDB's name for it: no engine can turn a far-off
// one into its own microseconds, or skip it.
inline constexpr std::string_view kMilliseconds = "TIMESTAMP in milliseconds";
// The same of times in nanoseconds for Spark, which cannot read any.
inline constexpr std::string_view kNanoseconds = "TIMESTAMP in nanoseconds";

// A time in milliseconds since 1970, and whether (1) it is local time or (0) UTC.
struct SqlTime {
  std::string ms, local;
};

class SqlDialect {
 public:
  enum class Engine { duckdb, spark };
  // `decimal_comma`: in a text, a comma is a decimal point too.
  explicit SqlDialect(Engine engine, bool decimal_comma = false) : engine_(engine), decimal_comma_(decimal_comma) {}

  Engine engine() const { return engine_; }
  std::string identifier(std::string_view name) const;
  std::string literal(std::string_view text) const;
  // The lot (lot.h) of these expressions: texts, INTEGERs and BIGINTs.
  std::string lot(const std::vector<std::string>& values) const;

  // Of a column of this DuckDB type. Fail (bad_input) on a type that cannot hold such values.
  Result<std::string> text(std::string_view column, std::string_view type) const;
  // The same for an id: 7.0, as programs write whole numbers of a column in which some are missing, is 7.
  Result<std::string> id(std::string_view column, std::string_view type) const;
  // Whether every value of this type is a BIGINT.
  static bool holds_bigints(std::string_view type);
  Result<std::string> number(std::string_view column, std::string_view type) const;
  // A bare number is in units of unit_ms, 0 for microseconds.
  Result<SqlTime> time(std::string_view column, std::string_view type, std::int64_t unit_ms) const;

 private:
  // The whole of the text fits the pattern. REQUIRES: a pattern without backslashes.
  std::string matches(const std::string& text, std::string_view pattern) const;
  // A TIMESTAMP in milliseconds as if it were UTC.
  std::string millis(const std::string& timestamp) const;
  SqlTime iso_time(const std::string& text) const;
  // A column of texts, ready to be looked at for a number or a time.
  std::string trimmed(const std::string& column) const;

  Engine engine_;
  bool decimal_comma_;
};

// A double in SQL: exactly this value, of type DOUBLE, in both engines.
std::string sql_double(double value);

}  // namespace stopover
