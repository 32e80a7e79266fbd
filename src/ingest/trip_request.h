// TripRequest: what a curator declares so that rows become trips on a lattice. Everything that shapes the matrix is
// here, and nothing of it is ever taken from the data. docs/guide/publish.md states the rules in words.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/day_type.h"
#include "base/result.h"
#include "domain/degree_box.h"
#include "domain/domain.h"
#include "ingest/extra_axis.h"

namespace stopover {

// What a row is.
enum class RowShape {
  trips,  // a trip: columns for every one of its points
  stops,  // a stop of a trip, ordered by seq, else by time
  pings,  // a point in time; stays are found, and the day or a gap cuts them into trips
};

// Which stops of a trip become stops of the domain.
enum class StopModel {
  first,           // the first one: a map of origins
  last,            // the last one
  od,              // first and last
  first_mid_last,  // first, middle, last, of trips with at least three stops
  od_vias,         // first, `vias` more, last
  frames,          // where someone was in each of `frames`, a day a trip
  counts,          // all stops, of trips that have one of `counts` stops: a part, with a domain of its own, for each
};

// A window of the local day; the hours from 24:00 on are the next day's.
struct Frame {
  std::string name;
  std::int64_t since = 0, until = 0;  // milliseconds from midnight; since < until <= 48 h, at most 24 h long
};

// "morning=05:00-10:00,night=22:00-28:00". Fails (usage) on a bad text, repeated names, and frames of which two overlap
// on the clock's face (a night until 28:00 and a morning from 03:00 do).
Result<std::vector<Frame>> parse_frames(std::string_view text);

// The columns of one point of a wide trip; `time` and `category` may be empty. With zones by their ids `zone` instead
// of lat and lng.
struct PointColumns {
  std::string lat, lng, time, category, zone;
};

// "W,S,E,N" in degrees. Fails (privacy) for "auto", (usage) on anything else that is not a box on the globe.
Result<DegreeBox> parse_bounding_box(std::string_view text);
// Fails (usage) where it is not a box on the globe.
Status check_box(const DegreeBox& box);
// "1000x1000": columns and rows of a stop's map. Fails (usage).
Result<std::pair<std::uint32_t, std::uint32_t>> parse_grid(std::string_view text);

// From one moment of local time to another, in milliseconds since 1970-01-01 00:00 there.
struct TimeSpan {
  std::int64_t since = 0, until = 0;  // the second is outside
};

// In place of a span's number where a row is late.
inline constexpr std::int64_t kLateSpan = 1'000'000;

struct TripRequest {
  RowShape shape = RowShape::stops;
  // Columns; empty: there is none. For trips, `points` instead of lat and lng.
  std::string user, trip, seq, time, lat = "lat", lng = "lng";
  std::string zone;  // of zone ids, instead of lat and lng
  std::vector<PointColumns> points;

  StopModel model = StopModel::od;
  std::uint32_t vias = 0;             // od_vias
  bool spread = false;                // od_vias, counts: trips with more stops count too, their vias evenly spaced
  std::vector<Frame> frames;          // frames
  std::vector<std::uint32_t> counts;  // counts: at least two of them, ascending, each 2 or more
  std::vector<ExtraAxis> axes;        // of every stop
  std::vector<ExtraAxis> trip_axes;   // of the trip: each is a stop of its own in the domain, after those with places
  std::vector<std::string>
      names;  // of the stops, in order; empty: origin, via1, ..., destination, and those of the frames

  std::string timezone = "UTC";      // of days, frames, hours, and of times that name no zone
  std::int64_t time_unit_ms = 1000;  // a bare number is a time in this unit since 1970; 0: microseconds

  // Which rows count, by their time (for trips that of the trip, column `time`): those in one of these spans, which are
  // disjoint. What lies in different spans is never put together: rows are cut apart before trips are made of them, and
  // the bound of a user's trips is for each span. Empty: all rows.
  std::vector<TimeSpan> spans;
  // Every span apart by the day of the week as well; rows of other days are dropped. Trips are made of each by itself;
  // the bound of a user's trips is for the span, all of its day types together. Empty: spans are not divided.
  std::vector<DayType> day_types;
  bool spans_together = false;  // count the trips of all spans on one matrix
  std::vector<TimeSpan> late;   // rows here are dropped as others are, and told by themselves; apart from all spans
  std::string where;            // a condition on a row (row_condition.h); rows it is not true of are dropped
  std::vector<std::string> where_columns;  // that it reads; follows from it

  bool decimal_comma = false;  // numbers in text columns may be written 37,77

  // Pings: a run is consecutive pings of one user (and of one trip id, where there is such a column), each within
  // `stay_metres` of the former and at most `run_gap_ms` after it; it is a stay when it lasts `stay_ms` and fits in
  // twice stay_metres.
  double stay_metres = 200;
  std::int64_t stay_ms = 10 * 60'000;
  std::int64_t run_gap_ms = 6 * 3'600'000;
  bool cut_by_day = true;  // else by a pause of more than cut_gap_ms between two stays
  std::int64_t cut_gap_ms = 6 * 3'600'000;

  DegreeBox box;
  std::uint32_t columns = 1000, rows = 1000;  // cells of a stop's map
  // Instead of a map of cells: zones. Rows name them by id, or lie in them by their coordinates; `box` is then theirs.
  std::shared_ptr<const ZoneSet> zones;
  bool zones_by_id = false;

  // Unit user: at most so many trips of one user are kept. Unset: the unit is one trip.
  std::optional<std::uint32_t> max_trips_per_user;
  std::string bound_key = "stopover";  // which trips those are follows from this and the ids alone

  // Of the model; of `counts`, the most.
  std::size_t stops() const;
  // Whether the rules need a time at all.
  bool needs_time() const;
  // The extra axis of stops whose labels stand in a column; nullptr where there is none.
  const ExtraAxis* labelled_axis() const;
  // Whether a zone's id stands in the place of coordinates.
  bool by_zone_id() const { return zones != nullptr && zones_by_id; }
};

// The names of the columns that the rows must have, each once.
std::vector<std::string> wanted_columns(const TripRequest& request);

// Fails (usage) on what does not go together, in words of flags.
Status check_request(const TripRequest& request);

// "2,3,5": the counts of StopModel::counts. Fails (usage).
Result<std::vector<std::uint32_t>> parse_stop_counts(std::string_view text);

// The lattice: for every stop a longitude and a latitude axis, or one of zones, and the extra ones; then the trip's own
// axes, each a stop of its own. Named a0, a1, ... in this order. Of `counts` the widest one, see trip_parts.
Result<Domain> trip_domain(const TripRequest& request);

// Trips that are counted on one domain. A trip belongs to one part; the bound of a user's trips is over all parts
// together (of one span).
struct TripPart {
  std::uint32_t stops = 0;
  Domain domain;
  // "2-stops"
  std::string name() const { return std::to_string(stops) + "-stops"; }
  bool operator==(const TripPart&) const = default;
};
// One for each of `counts`; of the other models the only one.
Result<std::vector<TripPart>> trip_parts(const TripRequest& request);

}  // namespace stopover
