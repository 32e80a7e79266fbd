#include "ledger/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/usage_error.h"
#include "geo/json_fwd.h"
#include "job/reports.h"
#include "publish/unfinished_period.h"

namespace stopover {
namespace {

std::string outcome_of(const LedgerChain& chain, const LedgerRecord& reserve) {
  for (const LedgerRecord& r : chain.records) {
    if (r.ref != reserve.number) continue;
    if (r.kind == RecordKind::commit || r.kind == RecordKind::close) return fmt::format("published {:.12}", r.note);
    if (r.kind == RecordKind::abort) return "failed, but spent";
  }
  return "not finished, but spent";
}

// 2025-03-01T09:30:00Z as 2025-03-01 09:30
std::string minute_text(std::string time) {
  if (time.size() != 20) return time;
  time[10] = ' ';
  return time.substr(0, 16);
}

Error no_periods(const std::string& path) {
  return usage_error(
      fmt::format("{} has one budget for all time, so there is no `calendar` of it\n  A ledger of periods "
                  "is made by publish with `period`.",
                  path));
}

struct CalendarRow {
  Period period;
  Ticks spent, open;  // the second: what may be spent on it alone
  bool closed, unfinished;  // the second: a run for it did not end, so its release may be out
};

// From the first period that was charged to a year behind the last one; of days a month. Without any, nothing.
std::vector<CalendarRow> calendar_of(const LedgerChain& chain) {
  const PeriodAccount& account = *chain.periods;
  std::vector<CalendarRow> rows;
  if (account.spent.empty()) return rows;
  const std::int64_t ahead = account.rule.kind == PeriodKind::day ? 31 : periods_of_a_year(account.rule.kind);
  const Period end = account.spent.rbegin()->first.plus(ahead);
  for (Period p = account.spent.begin()->first; p <= end; p = p.plus(1)) {
    rows.push_back({p, account.spent_on(p), std::min(account.open_to(p), chain.left()), account.closed.contains(p),
                    unfinished(chain, p) != nullptr});
  }
  return rows;
}

std::string limit_text(const LedgerChain& chain) {
  return chain.unlimited() ? "no limit" : format_epsilon(chain.budget());
}

// The terms of a ledger of periods, as lines.
std::string terms_text(const LedgerChain& chain) {
  const PeriodRule& rule = chain.periods->rule;
  std::string text = fmt::format("\n\n  for each {:<8}{:>11}   {}, unit {}\n", to_string(rule.kind),
                                 format_epsilon(rule.each), rule.timezone, rule.unit);
  text += fmt::format("  in any year {:>16}\n", rule.year > 0 ? format_epsilon(rule.year) : "no limit");
  text += fmt::format("  in all {:>21}   {} spent", limit_text(chain), format_epsilon(chain.spent));
  if (chain.reserved > 0) text += fmt::format(", of which {} without a release", format_epsilon(chain.reserved));
  return text + "\n";
}

Json totals_json(const LedgerChain& chain) {
  return Json{{"budget", limit_text(chain)},
              {"spent", format_epsilon(chain.spent)},
              {"reserved", format_epsilon(chain.reserved)},
              {"left", chain.unlimited() ? limit_text(chain) : format_epsilon(chain.left())}};
}

// The terms, and the calendar.
void add_periods(const LedgerChain& chain, Json& told) {
  const PeriodRule& rule = chain.periods->rule;
  told["period"] = to_string(rule.kind);
  told["timezone"] = rule.timezone;
  told["unit"] = rule.unit;
  told["budget_per_period"] = format_epsilon(rule.each);
  if (rule.year > 0) told["budget_per_year"] = format_epsilon(rule.year);
  told["periods"] = Json::array();
  for (const CalendarRow& row : calendar_of(chain)) {
    told["periods"].push_back({{"period", row.period.name()},
                               {"spent", format_epsilon(row.spent)},
                               {"may_spend", format_epsilon(row.open)},
                               {"closed", row.closed}});
    if (row.unfinished) told["periods"].back()["unfinished"] = true;
  }
}

}  // namespace

Result<std::string> calendar_json(const std::string& path, const LedgerChain& chain) {
  if (!chain.periods) return no_periods(path);
  Json told = totals_json(chain);
  add_periods(chain, told);
  return told.dump(2);
}

Result<std::string> calendar_text(const std::string& path, const LedgerChain& chain, const Paper& paper) {
  if (!chain.periods) return no_periods(path);
  std::string text = paper.paint(Tone::strong, path) + terms_text(chain);
  const std::vector<CalendarRow> rows = calendar_of(chain);
  if (!rows.empty()) text += fmt::format("\n  {:<12}{:>11}  {:>14}\n", "", "spent", "may be spent");
  for (const CalendarRow& row : rows) {
    const char* said = row.closed       ? "closed"
                       : row.unfinished ? "not finished: its release may be out"
                       : row.spent > 0  ? "without a release of its own"
                                        : "";
    std::string line =
        fmt::format("  {:<12}{:>11}  {:>14}  {}", row.period.name(), row.spent > 0 ? format_epsilon(row.spent) : "-",
                    row.closed ? "-" : format_epsilon(row.open), said);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  text.pop_back();
  return text;
}

std::string ledger_json(const LedgerChain& chain) {
  Json records = Json::array();
  for (const LedgerRecord& r : chain.records) {
    Json record = {{"number", r.number}, {"kind", kind_name(r.kind)}};
    if (r.ticks > 0) record["epsilon"] = format_epsilon(r.ticks);
    if (r.ref > 0 && r.kind != RecordKind::genesis) record["of"] = r.ref;
    if (const std::optional<PeriodRange> at = r.at()) record["period"] = at->name();
    if (r.time != "-") record["time"] = r.time;
    if (r.kind == RecordKind::genesis) record["id"] = r.note;
    if (r.kind == RecordKind::reserve) record["mechanism"] = r.note;
    for (const auto& [word, name] : {std::pair{"release", "release"}, std::pair{"comment", "note"}}) {
      if (const auto said = r.words.find(word); said != r.words.end()) record[name] = said->second;
    }
    if (r.kind == RecordKind::commit || r.kind == RecordKind::close) record["content_sha256"] = r.note;
    record["hash"] = r.hash;
    records.push_back(record);
  }
  Json told = totals_json(chain);
  if (chain.periods) add_periods(chain, told);
  told["records"] = records;
  return told.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string ledger_text(const std::string& path, const LedgerChain& chain, const Paper& paper) {
  const std::string one = fmt::format("{}\n\n  budget  {:>11}\n  spent   {:>11}", paper.paint(Tone::strong, path),
                                      format_epsilon(chain.budget()), format_epsilon(chain.spent));
  std::string text = chain.periods ? paper.paint(Tone::strong, path) + terms_text(chain) : one;
  if (!chain.periods && chain.reserved > 0)
    text += fmt::format("   of which {} without a release", format_epsilon(chain.reserved));
  if (!chain.periods)
    text += fmt::format("\n  left    {:>11}\n", paper.paint(chain.left() > 0 ? Tone::good : Tone::bad,
                                                            fmt::format("{:>11}", format_epsilon(chain.left()))));
  bool headed = false;
  for (const LedgerRecord& r : chain.records) {
    if (r.ticks == 0 || r.kind == RecordKind::genesis) continue;
    if (!headed)
      text +=
          fmt::format("\n  {:>4}  {:<16}  {:>11}  {:<15}  {}\n", "no", "when (UTC)", "epsilon", "mechanism", "outcome");
    headed = true;
    const bool torn = r.kind == RecordKind::repair;
    text += fmt::format("  {:>4}  {:<16}  {:>11}  {:<15}  {}\n", r.number, minute_text(r.time), format_epsilon(r.ticks),
                        torn ? "-" : r.note, torn ? "cut by a crash, but spent" : outcome_of(chain, r));
    if (r.at()) text += fmt::format("        {}\n", r.at()->name());
    for (const char* word : {"release", "comment"}) {
      if (const auto said = r.words.find(word); said != r.words.end())
        text += "        " + wrapped(said->second, 80, 8) + "\n";
    }
  }
  text.pop_back();
  return text;
}

}  // namespace stopover
