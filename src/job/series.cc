#include "job/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/usage_error.h"
#include "geo/json_fwd.h"
#include "job/series_folder.h"
#include "publish/unfinished_period.h"

namespace stopover {
namespace {

const std::string kAllDays = "all days";
constexpr std::int64_t kDayMillis = 86'400'000;

Error refused(std::string message) { return {Failure::privacy, std::move(message)}; }

// "month" or "month:2019-01..2019-12"
Result<SeriesSpec> parse_series(const std::string& text) {
  const std::size_t colon = std::min(text.size(), text.find(':'));
  const std::optional<PeriodKind> kind = parse_period_kind(text.substr(0, colon));
  if (!kind) {
    return usage_error(
        fmt::format("`period` must be day, week, month or quarter, as in month:2019-01..2019-12, not \"{}\"", text));
  }
  SeriesSpec spec;
  spec.kind = *kind;
  if (colon == text.size()) return spec;
  spec.range = parse_typed_range(text.substr(colon + 1));
  if (spec.range && spec.range->first.kind == *kind) return spec;
  const Period first = Period::holding(*kind, 17'897), last = Period::holding(*kind, 18'250);  // of 2019
  return usage_error(fmt::format("`period {}` does not name {}s\n  As in `period {}:{}..{}`, or one of them.", text,
                                 to_string(*kind), to_string(*kind), first.name(), last.name()));
}

Result<PeriodRange> range_of(const SeriesSpec& spec, const RowsSpec& rows) {
  if (spec.range) return *spec.range;
  if (rows.since && rows.until) {
    return PeriodRange{Period::holding(spec.kind, *rows.since), Period::holding(spec.kind, *rows.until)};
  }
  const std::string kind(to_string(spec.kind));
  return refused(
      fmt::format("the {0}s must be declared, not taken from the data.\n  That there is a release of a {0} would tell "
                  "that somebody travelled then.\n  Use `period {0}:FIRST..LAST`, or `since` and `until`.",
                  kind));
}

Result<std::string> unit_of(const SeriesSpec& spec, const UnitSpec& unit) {
  const std::string kind(to_string(spec.kind));
  if (unit.unit.value_or(Unit::trip) == Unit::trip) return std::string("trip");
  if (unit.per == spec.kind) return "user-" + kind;
  return usage_error(
      fmt::format("`unit {}` with `period {}`: say `unit user-{}`\n  At most K trips of a person are "
                  "kept for each {}. What all of them may cost is\n  `budget_per_year` and `budget`.",
                  unit.per ? fmt::format("user-{}", to_string(*unit.per)) : "user", kind, kind, kind));
}

Status check_day_types(const SeriesSpec& spec, const RowsSpec& rows) {
  if (spec.day_types.empty()) return {};
  if (spec.kind == PeriodKind::day) return usage_error("`day_type` divides weeks, months and quarters, not days");
  if (spec.one_release) {
    return usage_error("`day_type` goes with a release for each period, not with `one_release`");
  }
  if (rows.trips.model == StopModel::counts) {
    return usage_error("`day_type` goes with one number of stops, not with parts for each of several");
  }
  if (rows.trips.model != StopModel::frames) return {};
  return usage_error(
      "`day_type` does not go with frames of the day\n  A frame may reach into the next day, which may be of another "
      "type.");
}

// The ledger as it is, or as it would be made.
Result<LedgerChain> chain_of(FileSystem& files, const PublishRequest& request, const PeriodRule& rule) {
  if (files.exists(request.ledger)) {
    Result<LedgerChain> chain = Ledger::read(files, request.ledger, request.state_dir);
    if (!chain) return chain.error();
    if (Status s = check_rule(*chain, request.ledger, rule); !s) return s.error();
    return chain;
  }
  LedgerChain chain;
  chain.records.push_back({RecordKind::genesis, 1, request.budget.value_or(0), 3});
  chain.periods = PeriodAccount{rule, {}, {}};
  if (rule.each > 0) return chain;
  return usage_error(fmt::format(
      "`budget_per_period` is required: the ledger {} is new\n  It is all that may ever be spent on one {}. "
      "Give it once, as in `budget_per_period {}`.",
      request.ledger, to_string(rule.kind), format_epsilon(request.epsilon)));
}

// What to type to publish the others.
std::string way_without(const Series& series, const Period& period) {
  std::string text;
  const auto add = [&](const Period& first, const Period& last) {
    if (last < first) return;
    text += fmt::format("{}`period {}:{}`", text.empty() ? "" : ", then ", to_string(period.kind),
                        PeriodRange{first, last}.name());
  };
  add(series.periods.front(), period.plus(-1));
  add(period.plus(1), series.periods.back());
  return text.empty() ? "" : fmt::format("\n  Without {}: {}", period.name(), text);
}

// All of them or none: nothing is spent on a series that cannot be finished.
Status check_all(const Series& series, LedgerChain chain, const PublishRequest& request, FileSystem& files) {
  if (series.one_release) return may_reserve(chain, request.ledger, request.epsilon, series.range);
  const std::vector<LedgerRecord> fallen = fallen_in(request.output, chain, files);
  for (const Period& period : series.periods) {
    const PeriodRange one{period, period};
    Status may = may_reserve(chain, request.ledger, request.epsilon, one);
    if (may) may = check_finished(chain, request.ledger, period, fallen);
    if (!may) {
      std::string more;
      if (period != series.periods.front()) {
        more = fmt::format("\n  Nothing was spent. {} could be published.",
                           PeriodRange{series.periods.front(), period.plus(-1)}.name());
      }
      // Of the year or of all time there is no more by leaving one out.
      const Ticks spent = chain.periods->spent_on(period);
      if (spent > 0 && request.epsilon <= chain.periods->rule.each) more += way_without(series, period);
      return Error{may.error().failure, may.error().message + more};
    }
    chain.periods->charge(one, request.epsilon);
    chain.spent += request.epsilon;
  }
  return {};
}

std::string output_of(const PublishRequest& request, const Period& period) {
  return fmt::format("{}/{}{}", request.output, period.name(), request.parts.size() > 1 ? "" : ".odr");
}

// The day type of a release by its release.json; "all days" where it has none, nothing where it cannot be read.
std::optional<std::string> day_type_of(FileSystem& files, const std::string& release) {
  const Result<std::string> text = files.read_file(release + "/release.json");
  if (!text) return std::nullopt;
  const Json told = Json::parse(*text, nullptr, false);
  const Json params = told.is_object() ? told.value("params", Json()) : Json();
  if (!params.is_object()) return std::nullopt;
  const auto type = params.find("day_type");
  return type != params.end() && type->is_string() ? type->get<std::string>() : kAllDays;
}

// A folder with one release of some periods and several of others, or with other day types, would be asked as if it had
// only some of them, or as if they were alike.
Status check_form(const SeriesSpec& spec, const PublishRequest& request, FileSystem& files) {
  const SeriesFolder folder = SeriesFolder::read(request.output);
  const auto refuse = [&](const std::string& holds, const std::string& release, const std::string& remedy) {
    return usage_error(fmt::format("{} holds {}, as {}\n  {}, or choose another `output`; nothing was spent.",
                                   request.output, holds, release, remedy));
  };
  if (request.parts.size() > 1) {
    if (folder.releases.empty()) return {};
    return refuse("one release for each period", folder.releases.front(),
                  "Go on without `day_type` of several, and with one number of stops");
  }
  if (!folder.parts.empty()) {
    return refuse("several releases for each period", folder.parts.front(),
                  "Go on with the `day_type`, or numbers of stops, that they have");
  }
  const std::string own = spec.day_types.empty() ? kAllDays : spec.day_types.front().name;
  for (const std::string& release : folder.releases) {
    const std::optional<std::string> type = day_type_of(files, release);
    if (type && *type != own) return refuse("releases of " + *type, release, "Go on with the same `day_type`");
  }
  return {};
}

Status check_folder(const SeriesSpec& spec, const PublishRequest& request, FileSystem& files) {
  if (spec.one_release) return {};
  if (request.output.empty() || request.output.ends_with(".odr")) {
    return usage_error(
        fmt::format("a series is a folder of releases, so `output` must not end in .odr, as \"{}\" does\n  As in "
                    "`output city`",
                    request.output));
  }
  const bool there = files.exists(request.output);
  if (there && spec.append) {
    if (Status s = check_form(spec, request, files); !s) return s.error();
  }
  if (there && !spec.append) {
    return Error{Failure::output_exists, fmt::format("{} is there already\n  To go on with the series in it: `append`. "
                                                     "Else choose another name; nothing was spent.",
                                                     request.output)};
  }
  if (there || files.exists(parent_directory(request.output))) return {};
  return usage_error(fmt::format("there is no folder {} for {}\n  Make it first; nothing was spent.",
                                 parent_directory(request.output), request.output));
}

}  // namespace

void read_series(FieldReader& fields, std::optional<SeriesSpec>& series) {
  SeriesSpec spec;
  std::optional<SeriesSpec> given;
  fields.parsed("period", given, parse_series);
  fields.epsilon("budget_per_period", spec.each).epsilon("budget_per_year", spec.year);
  fields.truth("append", spec.append).truth("one_release", spec.one_release);
  fields.truth("independent", spec.independent).parsed("day_type", spec.day_types, parse_day_types);
  if (given) {
    given->each = spec.each;
    given->year = spec.year;
    given->append = spec.append;
    given->one_release = spec.one_release;
    given->independent = spec.independent;
    given->day_types = spec.day_types;
    series = given;
    return;
  }
  for (const auto& [said, field] :
       {std::pair{spec.each > 0, "budget_per_period"}, std::pair{spec.year > 0, "budget_per_year"},
        std::pair{spec.append, "append"}, std::pair{spec.one_release, "one_release"},
        std::pair{spec.independent, "independent"}, std::pair{!spec.day_types.empty(), "day_type"}}) {
    if (said)
      fields.fail(usage_error(fmt::format("`{}` goes with `period`\n  As in `period month:2019-01..2019-12`", field)));
  }
}

void Series::apply(RowsSpec& rows) const {
  const auto span_of = [](const Period& period) {
    return TimeSpan{period.first_day() * kDayMillis, period.end_day() * kDayMillis};
  };
  for (const Period& period : periods) {
    TimeSpan span = span_of(period);
    if (rows.since) span.since = std::max(span.since, *rows.since * kDayMillis);
    if (rows.until) span.until = std::min(span.until, (*rows.until + 1) * kDayMillis);
    rows.trips.spans.push_back({span.since, std::max(span.since, span.until)});
  }
  for (const Period& period : late) rows.trips.late.push_back(span_of(period));
  rows.trips.spans_together = one_release;
  rows.trips.day_types = day_types;
}

std::vector<PublishPart> Series::parts_of(const PublishPart& all) const {
  if (day_types.empty()) return {all};
  std::string names;
  for (const DayType& type : day_types) names += (names.empty() ? "" : ",") + type.name;
  std::vector<PublishPart> parts;
  for (const DayType& type : day_types) {
    PublishPart& part = parts.emplace_back(all);
    part.marks.emplace_back("day_type", type.name);
    if (day_types.size() == 1) continue;
    part.name = type.name;
    part.marks.emplace_back("one_epsilon_for_day_types", names);
  }
  return parts;
}

std::vector<std::pair<std::string, std::string>> Series::cuts_of(const PeriodRange& at) const {
  std::vector<std::pair<std::string, std::string>> cuts;
  const auto day = [](std::int64_t number) { return Period{PeriodKind::day, number}.name(); };
  if (since && *since > at.first.first_day()) cuts.emplace_back("since", day(*since));
  if (until && *until + 1 < at.last.end_day()) cuts.emplace_back("until", day(*until));
  return cuts;
}

PublishRequest Series::request_of(const PublishRequest& request, const Period& period) const {
  PublishRequest one = request;
  one.rule = rule;
  one.at = one_release ? range : PeriodRange{period, period};
  if (!one_release) one.output = output_of(request, period);
  for (PublishPart& part : one.parts) {
    part.marks.emplace_back("period", one.at->name());
    part.marks.emplace_back("period_timezone", rule.timezone);
    if (rule.year > 0) part.marks.emplace_back("budget_per_year", format_epsilon(rule.year));
    for (auto& [name, day] : cuts_of(*one.at)) part.marks.emplace_back(name, day);
    if (rule.unit != "trip") part.marks.emplace_back("unit_period", std::string(to_string(rule.kind)));
  }
  return one;
}

Status Series::all_published(const PublishRequest& request) const {
  std::string made_up;
  for (const Period& period : present) made_up += (made_up.empty() ? "" : ", ") + period.name();
  if (!made_up.empty()) made_up = fmt::format("\n  The ledger had no record of the end of {}: it has now.", made_up);
  return refused(fmt::format("all of {} is published already, in {}{}\n  No period is opened again: name later ones.",
                             range.name(), request.output, made_up));
}

Result<Series> plan_series(const SeriesSpec& spec, const RowsSpec& rows, const PublishRequest& request,
                           FileSystem& files) {
  Series series;
  series.one_release = spec.one_release;
  series.independent = spec.independent;
  series.append = spec.append;
  series.since = rows.since;
  series.until = rows.until;
  if (spec.one_release && spec.append)
    return usage_error("`append` goes on with a series of releases, which `one_release` does not make");
  if (Status s = check_day_types(spec, rows); !s) return s.error();
  series.day_types = spec.day_types;
  const Result<PeriodRange> range = range_of(spec, rows);
  if (!range) return range.error();
  if (range->size() > kMostPeriods) {
    return usage_error(fmt::format("`period` has {} {}s: more than {} at once are not published", range->size(),
                                   to_string(spec.kind), kMostPeriods));
  }
  series.range = *range;
  Result<std::string> unit = unit_of(spec, rows.unit);
  if (!unit) return unit.error();
  series.rule = {spec.kind, rows.trips.timezone, std::move(*unit), spec.each, spec.year};
  if (Status s = check_folder(spec, request, files); !s) return s.error();
  const Result<LedgerChain> chain = chain_of(files, request, series.rule);
  if (!chain) return chain.error();
  series.rule = chain->periods->rule;
  const std::set<Period>& closed = chain->periods->closed;
  if (!spec.one_release) series.late.assign(closed.begin(), closed.end());
  for (Period p = range->first; p <= range->last; p = p.plus(1)) {
    if (spec.append && closed.contains(p)) {
      series.closed.push_back(p);
    } else if (!spec.one_release && files.exists(output_of(request, p))) {
      series.present.push_back(p);
    } else {
      series.periods.push_back(p);
    }
  }
  if (series.periods.empty() && series.present.empty()) return series.all_published(request).error();
  if (Status s = check_all(series, *chain, request, files); !s) return s.error();
  return series;
}

}  // namespace stopover
