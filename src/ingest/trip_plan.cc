#include "ingest/trip_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/portable_math.h"
#include "ingest/plan_part.h"
#include "ingest/row_views.h"

namespace stopover {
namespace {

constexpr std::int64_t kDay = 86'400'000;
constexpr int kMostStayDays = 8;
constexpr double kMetresPerDegree = 111'195;

// From `rows` to `cells`.
class TripViews : PlanPart {
 public:
  TripViews(const TripRequest& request, const TimeZone& zone, const SqlDialect& dialect, TripPlan& plan)
      : PlanPart(request, zone, dialect, plan) {}

  void make() {
    if (r_.shape == RowShape::trips) {
      wide_trips();
    } else {
      if (r_.shape == RowShape::pings) {
        stays();
      } else {
        stops();
      }
      if (r_.model == StopModel::frames) {
        frames();
      } else {
        sequences();
      }
    }
    bound();
  }

 private:
  void wide_trips() {
    std::vector<std::string> list = {who(), "trip"};
    for (std::size_t i = 0; i < r_.points.size(); ++i) {
      const std::string local = has_clock() ? zone_.to_local(fmt::format("ms{}", i)) : "";
      const std::vector<std::string> cells = stop_cells(std::to_string(i), local, fmt::format("g{}", i));
      for (std::size_t c = 0; c < cells.size(); ++c)
        list.push_back(fmt::format("{} AS a{}", cells[c], i * width() + c));
    }
    const std::size_t own = r_.stops() * width();  // the first of the trip's own axes
    for (std::size_t j = 0; j < r_.trip_axes.size(); ++j) {
      list.push_back(fmt::format("{} AS a{}", trip_cell(j, zone_.to_local(fmt::format("trip_ms{}", j))), own + j));
    }
    // Positions are judged before cells are made of them: cheaper than looking at the cells.
    std::vector<std::string> usable;
    for (std::size_t i = 0; i < r_.points.size(); ++i) usable.push_back(usable_place(std::to_string(i)));
    for (std::size_t i = 1; has_clock() && i < r_.points.size(); ++i)
      usable.push_back(fmt::format("ms{} <= ms{}", i - 1, i));
    if (r_.max_trips_per_user) usable.emplace_back("person IS NOT NULL");
    if (has_spans()) usable.push_back(in_time());
    step("located", fmt::format("SELECT {} FROM rows WHERE {}", fmt::join(list, ", "), fmt::join(usable, " AND ")));
    std::vector<std::string> there;
    for (std::size_t a = 0; a < d(); ++a) {
      // A cell of the grid or a zone by its id is there, once its position is usable; in a zone a point need not lie.
      const bool sure = a < own && a % width() < places() && (!r_.zones || r_.by_zone_id());
      if (!sure) there.push_back(fmt::format("a{} IS NOT NULL", a));
    }
    step("trips", fmt::format("SELECT {}, trip, {} FROM located{}{}", who(), names('a', d()),
                              there.empty() ? "" : " WHERE ", fmt::join(there, " AND ")));
  }

  // `visits`: person, trip, seq, ms, until_ms, x, y (or z), c0, c1, ..., t0, t1, ..., good. Of the t's, cells of the
  // trip's own axes, those of its first stop count.
  void visits_step(const std::string& from) {
    const bool time = !r_.time.empty();
    std::vector<std::string> cells = stop_cells("", "local_ms", "g");
    for (std::size_t c = 0; c < places(); ++c) {
      cells[c] = fmt::format("CASE WHEN {} THEN {} END", usable_place(""), cells[c]);
    }
    for (std::size_t c = 0; c < cells.size(); ++c) cells[c] += fmt::format(" AS c{}", c);
    for (std::size_t j = 0; j < r_.trip_axes.size(); ++j) {
      cells.push_back(fmt::format("{} AS t{}", trip_cell(j, "local_ms"), j));
    }
    step("timed", fmt::format("SELECT *, {} AS local_ms FROM {}", time ? zone_.to_local("ms") : "0", from));
    step("placed", fmt::format("SELECT *, {} FROM timed", fmt::join(cells, ", ")));
    step("visits",
         fmt::format(
             "SELECT *, CASE WHEN {} AND ms IS NOT NULL AND seq IS NOT NULL THEN 1 ELSE 0 END AS good FROM placed",
             all_there('c', width())));
  }

  void stops() {
    const bool frames = r_.model == StopModel::frames;
    // A stop that is told twice is one stop.
    step("distinct_rows",
         fmt::format(
             "SELECT DISTINCT {} AS trip, {} AS seq, {} AS ms, {}, {}{}{} FROM rows WHERE person IS NOT NULL{}{}",
             frames ? "''" : "trip", uses_seq() ? "seq" : "0E0", r_.time.empty() ? "0" : "ms", who(), place_columns(),
             has_category() ? ", g" : "", trip_labels(), frames ? "" : " AND trip IS NOT NULL", in_a_span()));
    visits_step("distinct_rows");
  }

  void stays() {
    const double middle = (r_.box.south + r_.box.north) / 2 * 3.14159265358979323846 / 180;
    const double north = kMetresPerDegree / 1e7, east = north * portable_cos(middle);
    const auto squared = [&](const std::string& dx, const std::string& dy) {
      return fmt::format("({0}) * {1} * (({0}) * {1}) + ({2}) * {3} * (({2}) * {3})", dx, sql_double(east), dy,
                         sql_double(north));
    };
    const std::string g = has_category() ? ", g" : "";
    const bool by_id = r_.by_zone_id();
    // Where a ping was, as whole numbers: sums of them do not depend on their order.
    const std::string at = by_id ? "z" : "ex, ny",
                      order = fmt::format("PARTITION BY {}, stream ORDER BY ms, {}{}", who(), at, g);
    step("points",
         fmt::format(
             "SELECT DISTINCT {}, coalesce(trip, '') AS stream, ms, {}{} FROM rows WHERE person IS NOT NULL AND ms "
             "IS NOT NULL AND {}{}{}",
             who(),
             by_id ? "z" : "CAST(floor(x * 1E7 + 5E-1) AS BIGINT) AS ex, CAST(floor(y * 1E7 + 5E-1) AS BIGINT) AS ny",
             g, usable_place(""), has_category() ? " AND g IS NOT NULL" : "", in_a_span()));
    step("steps",
         fmt::format("SELECT *, ms - lag(ms) OVER w AS pause, {}{} FROM points WINDOW w AS ({})",
                     by_id ? "lag(z) OVER w AS former_z" : "ex - lag(ex) OVER w AS dx, ny - lag(ny) OVER w AS dy",
                     has_category() ? ", lag(g) OVER w AS former_g" : "", order));
    const std::string near =
        by_id ? "z = former_z"
              : fmt::format("{} <= {}", squared("dx", "dy"), sql_double(r_.stay_metres * r_.stay_metres));
    step("breaks", fmt::format("SELECT *, CASE WHEN pause <= {} AND {}{} THEN 0 ELSE 1 END AS breaks FROM steps",
                               r_.run_gap_ms, near, has_category() ? " AND g = former_g" : ""));
    step("runs",
         fmt::format(
             "SELECT *, sum(breaks) OVER ({} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS run FROM breaks",
             order));
    const std::string small = by_id ? ""
                                    : fmt::format(" AND {} <= {}", squared("max(ex) - min(ex)", "max(ny) - min(ny)"),
                                                  sql_double(4 * r_.stay_metres * r_.stay_metres));
    step("stays",
         fmt::format(
             "SELECT {0}, stream, min(ms) AS ms, max(ms) AS until_ms, {1}{2} FROM runs GROUP BY {0}, stream, run "
             "HAVING max(ms) - min(ms) >= {3}{4}",
             who(),
             by_id ? "max(z) AS z"
                   : "CAST(sum(ex) AS DOUBLE) / count(*) / 1E7 AS x, CAST(sum(ny) AS DOUBLE) / count(*) / 1E7 AS y",
             has_category() ? ", max(g) AS g" : "", r_.stay_ms, small));
    if (r_.model == StopModel::frames) {
      step("cut", "SELECT *, '' AS trip, 0E0 AS seq FROM stays");
    } else if (r_.cut_by_day) {
      step("cut", fmt::format("SELECT *, concat(CAST({} AS STRING), ' ', stream) AS trip, 0E0 AS seq FROM stays",
                              sql_day_of(zone_.to_local("ms"))));
    } else {
      const std::string by_time =
          fmt::format("PARTITION BY {}, stream ORDER BY ms, until_ms, {}{}", who(), place_columns(), g);
      step("pauses",
           fmt::format("SELECT *, CASE WHEN ms - lag(until_ms) OVER ({}) <= {} THEN 0 ELSE 1 END AS opens FROM stays",
                       by_time, r_.cut_gap_ms));
      // A trip is named after the moment it begins, not counted: so others' trips and earlier ones leave its name
      // alone.
      step("numbered", fmt::format("SELECT *, max(CASE WHEN opens = 1 THEN ms END) OVER ({}, opens DESC ROWS BETWEEN "
                                   "UNBOUNDED PRECEDING AND "
                                   "CURRENT ROW) AS began FROM pauses",
                                   by_time));
      step("cut", "SELECT *, concat(CAST(began AS STRING), ' ', stream) AS trip, 0E0 AS seq FROM numbered");
    }
    visits_step("cut");
  }

  // A domain stop's place among the n stops of a trip.
  std::string place_of(std::size_t stop) const {
    if (r_.model == StopModel::first) return "1";
    if (r_.model == StopModel::last) return "n";
    if (by_count() && !r_.spread) return std::to_string(stop + 1);
    if (by_count()) {
      return fmt::format("CASE WHEN n <= {0} THEN {1} ELSE 1 + CAST(floor({2} * (n - 1) / {3}) AS BIGINT) END",
                         r_.stops(), stop + 1, stop, r_.stops() - 1);
    }
    return fmt::format("1 + CAST(floor({} * (n - 1) / {}) AS BIGINT)", stop, r_.stops() - 1);
  }

  void sequences() {
    const std::string trip = fmt::format("PARTITION BY {}, trip", who());
    const std::string order =
        fmt::format("{} ORDER BY seq, ms, {}{}{}", trip, place_columns(), has_category() ? ", g" : "", trip_labels());
    const std::string own = r_.trip_axes.empty() ? "" : ", " + names('t', r_.trip_axes.size());
    step("ordered",
         fmt::format("SELECT {}, trip, {}{}, good, row_number() OVER ({}) AS place, count(*) OVER ({}) AS n, CASE WHEN "
                     "ms < lag(ms) OVER ({}) THEN 1 ELSE 0 END AS backwards FROM visits",
                     who(), names('c', width()), own, order, trip, order));
    std::vector<std::string> list;
    for (std::size_t stop = 0; stop < r_.stops(); ++stop) {
      for (std::size_t c = 0; c < width(); ++c) {
        list.push_back(
            fmt::format("max(CASE WHEN place = {} THEN c{} END) AS a{}", place_of(stop), c, stop * width() + c));
      }
    }
    std::string whole;
    for (std::size_t j = 0; j < r_.trip_axes.size(); ++j) {
      const std::string first = fmt::format("max(CASE WHEN place = 1 THEN t{} END)", j);
      list.push_back(fmt::format("{} AS a{}", first, r_.stops() * width() + j));
      whole += fmt::format(" AND {} IS NOT NULL", first);
    }
    std::string enough =
        fmt::format("max(n) {} {}", r_.model == StopModel::od_vias && !r_.spread ? "=" : ">=", r_.stops());
    if (by_count()) {
      list.push_back(fmt::format("LEAST(max(n), {}) AS stops", r_.stops()));
      const std::string listed = fmt::format("max(n) IN ({})", fmt::join(r_.counts, ", "));
      enough = r_.spread ? fmt::format("({} OR {})", listed, enough) : listed;
    }
    step(
        "trips",
        fmt::format("SELECT {0}, trip, {1} FROM ordered GROUP BY {0}, trip HAVING min(good) = 1 AND max(backwards) = 0 "
                    "AND {2}{3}",
                    who(), fmt::join(list, ", "), enough, whole));
  }

  void frames() {
    std::vector<std::string> windows;
    const int last = r_.shape == RowShape::pings ? kMostStayDays - 1 : 0;
    for (std::size_t f = 0; f < r_.frames.size(); ++f) {
      for (int shift = -1; shift <= last; ++shift) {
        windows.push_back(fmt::format("({}, {}, {}, {})", f, shift, r_.frames[f].since + shift * kDay,
                                      r_.frames[f].until + shift * kDay));
      }
    }
    const std::string until = r_.shape == RowShape::pings ? zone_.to_local("until_ms") : "local_ms";
    step("days", fmt::format("SELECT *, {} AS day, {} AS local_until FROM visits WHERE good = 1",
                             sql_day_of("local_ms"), until));
    step(
        "framed",
        fmt::format(
            "SELECT {5}, frame, day + shift AS frame_day, {0}, local_ms, {4}{1}, LEAST(local_until, day * {2} + "
            "until) - "
            "GREATEST(local_ms, day * {2} + since) AS shared FROM days CROSS JOIN (VALUES {3}) AS f(frame, shift, "
            "since, until) "
            "WHERE local_ms < day * {2} + until AND (local_ms >= day * {2} + since OR local_until > day * {2} + since)",
            names('c', width()), has_category() ? ", g" : "", kDay, fmt::join(windows, ", "), place_columns(), who()));
    step("longest",
         fmt::format("SELECT *, row_number() OVER (PARTITION BY {}, frame_day, frame ORDER BY shared DESC, local_ms, "
                     "{}{}) AS place FROM framed",
                     who(), place_columns(), has_category() ? ", g" : ""));
    std::vector<std::string> list;
    for (std::size_t f = 0; f < r_.frames.size(); ++f) {
      for (std::size_t c = 0; c < width(); ++c) {
        list.push_back(fmt::format("max(CASE WHEN frame = {} THEN c{} END) AS a{}", f, c, f * width() + c));
      }
    }
    step("trips",
         fmt::format("SELECT {0}, CAST(frame_day AS STRING) AS trip, {1} FROM longest WHERE place = 1 GROUP BY {0}, "
                     "frame_day HAVING count(*) = {2}",
                     who(), fmt::join(list, ", "), r_.frames.size()));
  }

  void bound() {
    // The bound is over all parts: whoever has k trips of two stops has none of three, and who has k on weekdays none
    // on weekends.
    const std::string axes = (by_count() ? "stops, " : "") + names('a', d());
    const std::string kept = (has_spans() ? "span, " : "") + axes;
    std::string from = "trips";
    if (r_.max_trips_per_user) {
      std::vector<std::string> hashed = {dialect_.literal(r_.bound_key), "person", "trip"};
      if (by_count()) hashed.emplace_back("stops");
      const std::string type = by_day_type() ? fmt::format(", span % {}", r_.day_types.size()) : "";
      if (by_day_type()) hashed.push_back(type.substr(2));
      for (std::size_t a = 0; a < d(); ++a) hashed.push_back(fmt::format("a{}", a));
      step("hashed", fmt::format("SELECT {}, trip, {}, {} AS lot FROM trips", who(), axes, dialect_.lot(hashed)));
      // Behind the lot stands all that was hashed: trips that are still alike are interchangeable.
      step("ranked",
           fmt::format(
               "SELECT {0}, row_number() OVER (PARTITION BY {1} ORDER BY lot, trip NULLS FIRST, {2}{3}) AS place FROM "
               "hashed",
               kept, bounded(), axes, type));
      step("kept", fmt::format("SELECT {} FROM ranked WHERE place <= {}", kept, *r_.max_trips_per_user));
      from = "kept";
    }
    step("cells", fmt::format("SELECT {0}, count(*) AS count FROM {1} GROUP BY {0}", kept, from));
  }
};

}  // namespace

Result<TripPlan> plan_trips(const TripRequest& request, const std::vector<SourceView>& views, const TimeZone& zone,
                            const SqlDialect& dialect) {
  TripPlan plan;
  if (Status s = plan_rows(request, views, zone, dialect, plan); !s) return s.error();
  TripViews(request, zone, dialect, plan).make();
  return plan;
}

}  // namespace stopover
