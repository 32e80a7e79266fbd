#include "desk/job_fields.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/usage_error.h"

namespace stopover {
namespace {

using Names = std::set<std::string>;

// None of these names a file.
const Names kRows = {"shape_of",
                     "bbox",
                     "grid",
                     "stops",
                     "more_stops",
                     "stop_names",
                     "frames",
                     "axes",
                     "trip_axes",
                     "time_unit",
                     "timezone",
                     "stay_metres",
                     "stay_minutes",
                     "run_gap_hours",
                     "cut",
                     "cut_hours",
                     "bound_key",
                     "decimal_comma",
                     "user",
                     "trip",
                     "seq",
                     "time",
                     "lat",
                     "lng",
                     "points",
                     "zone_id",
                     "levels",
                     "zone_columns",
                     "zone_column",
                     "overlaps",
                     "since",
                     "until",
                     "where",
                     "encoding",
                     "delimiter",
                     "unit",
                     "max_trips_per_user"};
const Names kPublish = {"epsilon",
                        "budget",
                        "note",
                        "title",
                        "about",
                        "covers",
                        "credit",
                        "licence",
                        "contact",
                        "mechanism",
                        "expect_trips",
                        "period",
                        "append",
                        "budget_per_period",
                        "wait",
                        "budget_per_year",
                        "accept_total_only",
                        "probe_share",
                        "one_release",
                        "independent",
                        "day_type",
                        "calibrate"};
const Names kPlan = {"n",
                     "people",
                     "trips_per_person",
                     "stops",
                     "grid",
                     "extent_km",
                     "bbox",
                     "unit",
                     "epsilon",
                     "max_trips_per_user",
                     "mechanism",
                     "query_side",
                     "series",
                     "period",
                     "budget_per_year",
                     "formulas",
                     "seed"};
const Names kExport = {"as",       "overwrite", "layer",    "top",  "tiles",  "zone_name", "where",
                       "overlaps", "summary",   "at_least", "from", "to",     "draws",     "n",
                       "seed",     "estimates", "hours",    "mode", "sparse", "integers"};
const Names kZones = {"zone_id", "levels", "overlaps"};

struct Rule {
  std::vector<const Names*> plain;
  Names read, ledger, write;  // paths
};

const std::map<std::string, Rule>& rules() {
  static const Rule rows{{&kRows}, {"input", "zones", "bbox_from"}, {}, {}};
  static const Rule publish{
      {&kRows, &kPublish}, {"input", "zones", "bbox_from", "borders", "prior"}, {"ledger"}, {"output"}};
  static const Rule release{{}, {"release"}, {}, {}};
  static const std::map<std::string, Rule> all = {{"columns", rows},
                                                  {"places", rows},
                                                  {"inspect", rows},
                                                  {"rehearse", publish},
                                                  {"publish", publish},
                                                  {"plan", {{&kPlan}, {}, {}, {}}},
                                                  {"export", {{&kExport}, {"release", "zones"}, {}, {"output"}}},
                                                  {"zones", {{&kZones}, {"zones"}, {}, {}}},
                                                  {"ledger", {{}, {"ledger"}, {}, {}}},
                                                  {"explorer", release},
                                                  {"card", release},
                                                  {"board", release},
                                                  {"verify", release}};
  return all;
}

bool is_plain(const Rule& rule, const std::string& field) {
  for (const Names* names : rule.plain) {
    if (names->contains(field)) return true;
  }
  return false;
}

// A value that names no file: cells of H3 stand for zones.
bool is_rule_of_cells(const std::string& field, const std::string& text) {
  return field == "zones" && text.starts_with("h3:") && text.size() < 6;
}

}  // namespace

Result<Json> checked_fields(const std::string& job, const Json& fields, const Folders& folders, bool allow_sql) {
  const auto rule = rules().find(job);
  if (rule == rules().end()) return usage_error(fmt::format("there is no job \"{}\"", job));
  if (!fields.is_object()) return usage_error("the fields of a job are an object");
  Json checked = Json::object();
  for (const auto& [field, value] : fields.items()) {
    if (value.is_null() || value == "" || (value.is_array() && value.empty())) continue;
    if (field == "sql" && rule->second.read.contains("input")) {
      if (!allow_sql) {
        return Error{Failure::privacy,
                     "`sql` reads whatever you can read on this machine, so it must be allowed when the desk is "
                     "started\n  With `allow_sql`."};
      }
      checked[field] = value;
      continue;
    }
    if (is_plain(rule->second, field)) {
      checked[field] = value;
      continue;
    }
    const bool read = rule->second.read.contains(field), ledger = rule->second.ledger.contains(field);
    if (!read && !ledger && !rule->second.write.contains(field)) {
      return usage_error(fmt::format("`{}` is no field of {} on the desk", field, job));
    }
    if (!value.is_string()) return usage_error(fmt::format("`{}` must be a path", field));
    const std::string text = value.get<std::string>();
    if (is_rule_of_cells(field, text)) {
      checked[field] = value;
      continue;
    }
    const Result<std::string> path = read ? folders.readable(text) : folders.writable(text, ledger);
    if (!path) return path.error();
    checked[field] = *path;
  }
  return checked;
}

}  // namespace stopover
