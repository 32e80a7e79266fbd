// PlanPart: what the parts of a trip plan (trip_plan.h) have in common: the request, the plan that views are added to,
// and the words of these views: names of columns, and the SQL of cells, places and spans of time. Columns: x, y (or z,
// a zone's number) a place; g the label of a stop's category; c0, c1, ... the cells of one stop, t0, t1, ... those of
// the trip's own axes, a0, a1, ... those of a whole trip; ms a time in UTC; span the period a row is in.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ingest/sql_dialect.h"
#include "ingest/time_zone.h"
#include "ingest/trip_plan.h"
#include "ingest/trip_request.h"

namespace stopover {

class PlanPart {
 protected:
  PlanPart(const TripRequest& request, const TimeZone& zone, const SqlDialect& dialect, TripPlan& plan)
      : r_(request), zone_(zone), dialect_(dialect), plan_(plan) {}

  void step(std::string name, std::string sql) { plan_.steps.push_back({std::move(name), std::move(sql)}); }
  std::size_t places() const { return r_.zones ? 1 : 2; }  // axes of a stop's place
  std::size_t width() const { return places() + r_.axes.size(); }
  std::size_t d() const { return r_.stops() * width() + r_.trip_axes.size(); }
  // Rows of different spans of time are as far apart as those of different people: they never meet.
  bool has_spans() const { return !r_.spans.empty(); }
  bool has_category() const { return r_.labelled_axis() != nullptr; }
  bool has_clock() const { return r_.needs_time(); }
  bool by_count() const { return r_.model == StopModel::counts; }
  bool by_day_type() const { return r_.day_types.size() > 1; }
  bool uses_seq() const { return r_.shape == RowShape::stops && r_.model != StopModel::frames && !r_.seq.empty(); }
  std::string who() const { return has_spans() ? "person, span" : "person"; }
  // Whose trips are bounded together: those of all day types of a span.
  std::string bounded() const;
  // What a place is told by in rows and stays: sorted by, it tells any two apart.
  const char* place_columns() const { return r_.by_zone_id() ? "z" : "x, y"; }
  // Labels of trips that rows of stops carry: ", trip_label0".
  std::string trip_labels() const;

  // "c0, c1" or "a0, a1, a2, a3"; "c0 IS NOT NULL AND c1 IS NOT NULL"
  static std::string names(char letter, std::size_t n);
  static std::string all_there(char letter, std::size_t n);

  std::string inside(const std::string& x, const std::string& y) const;
  // Whether a point can be counted at all, before its cell is known. `n` is the number of the point, or "".
  std::string usable_place(const std::string& n) const;
  // The cells of one stop, in the order of its axes.
  std::vector<std::string> stop_cells(const std::string& n, const std::string& local_ms,
                                      const std::string& category) const;
  // The cell of a trip's own axis. `local_ms`: its time, where the axis needs one.
  std::string trip_cell(std::size_t j, const std::string& local_ms) const;
  static std::string in_time();
  std::string in_a_span() const { return has_spans() ? " AND " + in_time() : ""; }

  const TripRequest& r_;
  const TimeZone& zone_;
  const SqlDialect& dialect_;
  TripPlan& plan_;

 private:
  std::vector<std::string> place_cells(const std::string& n) const;
};

}  // namespace stopover
