#include "ingest/time_zone.h"

#include <fmt/format.h>

#include <algorithm>

namespace stopover {
namespace {

constexpr std::string_view kSample =
    "SELECT s, CAST(epoch_ms(timezone({0}, to_timestamp(s))) - s * 1000 AS BIGINT) AS o FROM ({1})";
constexpr std::string_view kDays = "SELECT CAST(range AS BIGINT) AS s FROM range(-86400, 4102531200, 86400)";

}  // namespace

Result<TimeZone> TimeZone::named(DuckSession& duck, const std::string& name) {
  if (name == "UTC") return TimeZone();
  const Error unknown{Failure::usage,
                      fmt::format("there is no timezone \"{}\"\n  Use a name such as America/New_York or UTC.", name)};
  const std::string zone = quote_literal(name);
  {
    Result<DuckRows> known =
        duck.query(fmt::format("SELECT CAST(count(*) AS BIGINT) FROM pg_timezone_names() WHERE name = {}", zone));
    if (!known) return unknown;
    const Result<bool> more = known->next();
    if (!more || !*more || known->column<std::int64_t>(0)[0] == 0) return unknown;
  }
  // Days on which the offset changes, then the minute.
  const std::string days = fmt::format(kSample, zone, kDays);
  const std::string changed = fmt::format(
      "SELECT p + 60 * CAST(m.range AS BIGINT) AS s FROM (SELECT lag(s) OVER (ORDER BY s) AS p, o, lag(o) OVER "
      "(ORDER BY s) AS q FROM ({})), range(0, 1441) AS m WHERE o <> q",
      days);
  const std::string minutes = fmt::format(kSample, zone, changed);
  Result<DuckRows> rows = duck.query(fmt::format(
      "SELECT s * 1000, o FROM (SELECT s, o, lag(o) OVER (ORDER BY s) AS q FROM (SELECT DISTINCT s, o FROM ({}) "
      "UNION SELECT s, o FROM ({}) WHERE s <= 0)) WHERE q IS NULL OR o <> q ORDER BY s",
      minutes, days));
  if (!rows) return rows.error();
  TimeZone result;
  result.changes_.clear();
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return more.error();
    if (!*more) break;
    for (std::size_t i = 0; i < rows->size(); ++i) {
      result.changes_.push_back({rows->column<std::int64_t>(0)[i], rows->column<std::int64_t>(1)[i]});
    }
  }
  STOPOVER_CHECK(!result.changes_.empty(), "a timezone has no offset");
  return result;
}

std::string TimeZone::offset(const std::string& ms, const std::vector<Change>& changes, std::size_t begin,
                             std::size_t end) const {
  if (end - begin == 1) return fmt::format("{}", changes[begin].offset_ms);
  const std::size_t middle = begin + (end - begin) / 2;
  return fmt::format("CASE WHEN {} < {} THEN {} ELSE {} END", ms, changes[middle].at_ms,
                     offset(ms, changes, begin, middle), offset(ms, changes, middle, end));
}

std::string TimeZone::to_local(const std::string& utc_ms) const {
  if (changes_.size() == 1 && changes_[0].offset_ms == 0) return utc_ms;
  return fmt::format("({} + {})", utc_ms, offset(utc_ms, changes_, 0, changes_.size()));
}

std::int64_t TimeZone::local(std::int64_t utc_ms) const {
  const auto later = std::upper_bound(changes_.begin() + 1, changes_.end(), utc_ms,
                                      [](std::int64_t ms, const Change& change) { return ms < change.at_ms; });
  return utc_ms + std::prev(later)->offset_ms;
}

std::string TimeZone::to_utc(const std::string& local_ms) const {
  if (changes_.size() == 1 && changes_[0].offset_ms == 0) return local_ms;
  std::vector<Change> local = changes_;
  for (std::size_t i = 1; i < local.size(); ++i) {
    local[i].at_ms += std::max(changes_[i].offset_ms, changes_[i - 1].offset_ms);
  }
  return fmt::format("({} - {})", local_ms, offset(local_ms, local, 0, local.size()));
}

}  // namespace stopover
