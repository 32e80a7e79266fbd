#include "ledger/period_account.h"

#include <fmt/format.h>

#include <algorithm>

#include "ledger/ledger_chain.h"

namespace stopover {

std::map<std::string, std::string> PeriodRule::words() const {
  std::map<std::string, std::string> words = {{"period", std::string(to_string(kind))},
                                              {"per_period", std::to_string(each)},
                                              {"timezone", timezone},
                                              {"unit", unit}};
  if (year > 0) words["per_year"] = std::to_string(year);
  return words;
}

std::optional<PeriodRule> PeriodRule::of(const std::map<std::string, std::string>& words) {
  const auto word = [&](const char* name) { return words.contains(name) ? words.at(name) : std::string(); };
  const std::optional<PeriodKind> kind = parse_period_kind(word("period"));
  if (!kind) return std::nullopt;
  const PeriodRule rule{*kind, word("timezone"), word("unit"), leading_number(word("per_period")),
                        leading_number(word("per_year"))};
  if (rule.each == 0 || rule.words() != words) return std::nullopt;
  return rule;
}

Ticks PeriodAccount::spent_on(const Period& period) const {
  const auto found = spent.find(period);
  return found == spent.end() ? 0 : found->second;
}

// Slides a year over the range: what comes in at its end is added, what falls out at its start is taken off.
std::pair<Ticks, Period> PeriodAccount::fullest_year(const PeriodRange& range) const {
  const std::int64_t year = periods_of_a_year(rule.kind);
  Period start = range.first.plus(1 - year);
  Ticks sum = 0;
  for (std::int64_t i = 0; i < year; ++i) sum += spent_on(start.plus(i));
  std::pair<Ticks, Period> fullest(sum, start);
  for (; start < range.last; start = start.plus(1)) {
    sum += spent_on(start.plus(year));
    sum -= spent_on(start);
    if (sum > fullest.first) fullest = {sum, start.plus(1)};
  }
  return fullest;
}

Ticks PeriodAccount::open_to(const Period& period) const {
  if (closed.contains(period)) return 0;
  Ticks open = rule.each - std::min(rule.each, spent_on(period));
  if (rule.year > 0) open = std::min(open, rule.year - std::min(rule.year, fullest_year({period, period}).first));
  return open;
}

std::optional<std::string> PeriodAccount::objection(const PeriodRange& range, Ticks ticks) const {
  if (range.first.kind != rule.kind) {
    return fmt::format("it counts by the {}, and {} is a {}", to_string(rule.kind), range.first.name(),
                       to_string(range.first.kind));
  }
  if (range.size() > kMostPeriods) return fmt::format("{} are too many periods at once", range.size());
  if (range.size() == 1 && closed.contains(range.first))
    return fmt::format("{} is closed: its release is out, and no period is opened again", range.first.name());
  for (Period p = range.first; p <= range.last; p = p.plus(1)) {
    const Ticks left = rule.each - std::min(rule.each, spent_on(p));
    if (ticks > left)
      return fmt::format("{} has {} of {} left", p.name(), format_epsilon(left), format_epsilon(rule.each));
  }
  if (rule.year == 0) return std::nullopt;
  PeriodAccount after = *this;
  after.charge(range, ticks);
  const auto [sum, start] = after.fullest_year(range);
  if (sum <= rule.year) return std::nullopt;
  return fmt::format("the year from {} to {} would come to {} of {}", start.name(),
                     start.plus(periods_of_a_year(rule.kind) - 1).name(), format_epsilon(sum),
                     format_epsilon(rule.year));
}

void PeriodAccount::charge(const PeriodRange& range, Ticks ticks) {
  for (Period p = range.first; p <= range.last; p = p.plus(1)) spent[p] += ticks;
}

}  // namespace stopover
