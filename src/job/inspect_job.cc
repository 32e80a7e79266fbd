#include "job/inspect_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/grouped.h"
#include "geo/json_fwd.h"
#include "ingest/user_column.h"
#include "job/private_facts.h"
#include "job/private_page.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

constexpr std::size_t kWidth = 80 - 9;  // beside the mark

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string cut(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

std::string columns_text(const std::vector<ColumnShape>& columns) {
  std::size_t name = 4, type = 4;
  for (const ColumnShape& column : columns) {
    name = std::max(name, std::min<std::size_t>(column.name.size(), 24));
    type = std::max(type, std::min<std::size_t>(column.type.size(), 16));
  }
  std::string text;
  for (const ColumnShape& column : columns) {
    const std::string shapes = fmt::format("{}", fmt::join(column.shapes, "  "));
    text += fmt::format("  {:<{}}  {:<{}}  {}\n", cut(column.name, 24), name, cut(column.type, 16), type,
                        cut(shapes, kWidth - 6 - name - type));
  }
  return text;
}

std::string users_text(const TripStatistics::Users& users) {
  std::string text = fmt::format("\ntrips per user: {} users with an id, {} usable trips\n  ", grouped(users.users),
                                 grouped(users.trips));
  for (const char* head : {"least", "10 %", "25 %", "half", "75 %", "90 %", "99 %", "most"})
    text += fmt::format("{:>8}", head);
  text += "\n  ";
  for (const std::uint64_t trips : users.trips_per_user) text += fmt::format("{:>8}", grouped(trips));
  text += fmt::format("\n\nwhat a bound of K trips per user would keep\n  {:>8}{:>14}{:>10}\n", "K", "trips", "share");
  for (const auto& [k, kept] : users.kept)
    text += fmt::format("  {:>8}{:>14}{:>10}\n", grouped(k), grouped(kept), share_text(kept, users.trips));
  return text +
         "A K that is read off this table is not covered by the guarantee.\nHow to choose one: docs/guide/plan.md and "
         "stopover plan with `people`\n";
}

std::string stops_text(const TripStatistics& trips) {
  std::uint64_t all = 0;
  for (const auto& [stops, count] : trips.trips_by_stops) all += count;
  std::string text = fmt::format("\ntrips by their number of stops\n  {:>8}{:>14}{:>10}\n", "stops", "trips", "share");
  for (const auto& [stops, count] : trips.trips_by_stops)
    text += fmt::format("  {:>8}{:>14}{:>10}\n", stops, grouped(count), share_text(count, all));
  return text;
}

}  // namespace

Result<Inspection> run_inspect(RowsSpec rows, const Observer& observer) {
  const bool boxed = rows.box || !rows.box_from.empty() || !rows.zones.file.empty();
  const SourceRequest& source = rows.source;
  observer.steps(boxed ? 4 : 1);
  observer.phase("looking at the columns");
  Inspection told{source.arrow         ? "the table in memory"
                  : source.sql.empty() ? source.input
                                       : "the query",
                  {},
                  {},
                  {},
                  {}};
  Result<std::vector<ColumnShape>> columns =
      column_shapes(source, {observer.threads, rows.memory_limit, observer.interrupted});
  if (!columns) return columns.error();
  told.columns = std::move(*columns);
  if (!boxed) return told;
  if (!rows.grid && rows.zones.file.empty()) rows.grid = {1000, 1000};
  if (Status s = observer.check(); !s) return s.error();
  observer.phase("reading rows");
  Result<Ingest> in = open_rows(rows, observer, true);
  if (!in) return in.error();
  Result<PrivateFacts> facts = in->row_facts();
  if (!facts) return facts.error();
  told.rows = std::move(*facts);
  if (Status s = observer.check(); !s) return s.error();
  observer.phase("finding trips");
  Result<PrivateFacts> users = in->trip_facts();
  if (!users) return users.error();
  told.users = std::move(*users);
  if (Status s = observer.check(); !s) return s.error();
  observer.phase("counting trips per user");
  Result<TripStatistics> trips = trip_statistics(*in);
  if (!trips) return trips.error();
  told.trips = std::move(*trips);
  return told;
}

Result<RowsSpec> read_inspect(const FieldValues& values) {
  FieldReader fields(values);
  RowsSpec spec;
  read_rows(fields, spec);
  if (Status s = fields.done(); !s) return s.error();
  return spec;
}

std::string Inspection::json() const {
  Json shapes = Json::array();
  for (const ColumnShape& column : columns) {
    shapes.push_back({{"name", column.name},
                      {"type", column.type},
                      {"shapes", column.shapes},
                      {"like_a_user", looks_like_user(column.name)}});
  }
  Json told = {{"private", true}, {"source", source}, {"columns", shapes}};
  if (!trips) return told.dump(2);
  told["rows"] = Json::parse(facts_json(rows));
  told["users_and_trips"] = Json::parse(facts_json(users));
  told["trips_per_user"] = nullptr;
  told["kept_by_k"] = Json::array();
  if (trips->users) {
    Json quantiles = Json::object();
    for (std::size_t q = 0; q < TripStatistics::kQuantiles.size(); ++q) {
      quantiles[fmt::format("{:g}", TripStatistics::kQuantiles[q])] = trips->users->trips_per_user[q];
    }
    told["trips_per_user"] = {{"users", trips->users->users}, {"trips", trips->users->trips}, {"quantiles", quantiles}};
    for (const auto& [k, kept] : trips->users->kept) told["kept_by_k"].push_back({{"k", k}, {"trips", kept}});
  }
  told["trips_by_stops"] = Json::array();
  for (const auto& [stops, count] : trips->trips_by_stops)
    told["trips_by_stops"].push_back({{"stops", stops}, {"trips", count}});
  told["stays"] = nullptr;
  if (trips->stays) {
    told["stays"] = {{"pings", trips->stays->pings},
                     {"stays", trips->stays->stays},
                     {"users", trips->stays->users},
                     {"median_minutes", trips->stays->median_minutes}};
  }
  return told.dump(2);
}

std::string Inspection::text(Face face) const {
  std::string text = fmt::format(
      "true figures, for the curator alone; nothing was spent or written\n\ncolumns of {}, and how their first "
      "values are\nwritten (9 a digit, a A letters, x another letter):\n{}",
      cut(source, 30), columns_text(columns));
  std::vector<std::string> names;
  for (const ColumnShape& column : columns) names.push_back(column.name);
  if (const std::optional<std::string> user = find_user_column(names)) {
    text += fmt::format("{} looks like a user id: publish will want to know the `unit`.\n", cut(*user, 24));
  }
  if (!trips) {
    text += "\nWith `bbox W,S,E,N` or `zones FILE` there is more: unusable rows, trips per user.\n";
  } else {
    text += "\n";
    for (const PrivateFacts* facts : {&rows, &users}) {
      for (const std::string& line : fact_lines(*facts, true)) text += line + "\n";
    }
    if (trips->stays) {
      text += fmt::format("{} stays of {} users in {} usable pings; half last {} minutes or less\n",
                          grouped(trips->stays->stays), grouped(trips->stays->users), grouped(trips->stays->pings),
                          grouped(trips->stays->median_minutes));
    }
    if (trips->users) text += users_text(*trips->users);
    if (!trips->trips_by_stops.empty()) text += stops_text(*trips);
  }
  text.pop_back();
  return private_page(in_words_of(face, text));
}

}  // namespace stopover
