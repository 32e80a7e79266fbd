// ExtraAxis: an axis besides places, as a curator declares it: of every stop (when one was there, for what purpose), or
// of the trip as a whole (the hour at which it began, who made it).
//
// Its kinds are a table (extra_axis.cc): how one is typed, what it needs of a row, the axis of the domain, and the cell
// in SQL, in words that DuckDB and Spark share. A new kind is a row there.
//
//   Result<ExtraAxis> axis = parse_extra_axis("category:purpose=home,work,*");
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/axis.h"

namespace stopover {

struct ExtraAxis;

struct ExtraAxisKind {
  std::string_view name;   // what is typed before the colon
  std::string_view typed;  // the whole form, for messages and help
  bool needs_time;
  bool needs_column;  // a column of texts, which become numbers of labels
  bool of_trips_too;  // a trip can have it: a column is named, or it has one of its own
  // Reads what stands after the colon into an axis of this kind; `given`: whether there was one. False where it is
  // wrong.
  bool (*parse)(std::string_view rest, bool given, ExtraAxis& axis);
  // The domain's axis, without its name.
  Axis (*axis)(const ExtraAxis& axis);
  // The cell's number in SQL. `local_ms`: the local time in milliseconds since 1970; `label`: the number of the label.
  std::string (*cell)(const ExtraAxis& axis, const std::string& local_ms, const std::string& label);
};

struct ExtraAxis {
  const ExtraAxisKind* kind = nullptr;
  std::uint32_t cells = 0;
  std::string column;               // where its value stands (for stops of rows of trips, see PointColumns)
  std::vector<std::string> labels;  // the declared values; the label "*" takes all others
  std::vector<std::pair<double, double>> hours;  // of each cell, from and to; empty where they are even

  // What a trip's axis is called: the column of categories, else its kind.
  std::string name() const { return kind->needs_column ? column : std::string(kind->name); }
};

// An axis of every stop. Fails (usage).
Result<ExtraAxis> parse_extra_axis(std::string_view text);
// An axis of the trip: "hour:start=0-6,6-9,9-16,16-19,19-24", "weekday:start", "daytype:start",
// "category:member=casual,member". Fails (usage).
Result<ExtraAxis> parse_trip_axis(std::string_view text);

// The day of a local time in SQL, counted from 1970.
std::string sql_day_of(const std::string& local_ms);

}  // namespace stopover
