// PeriodRule: the terms of a ledger whose budget renews with every period. PeriodAccount: what was spent under them.
//
// A release is charged to every period whose trips it may hold. A unit of such a ledger is one trip, or all that one
// person did in one period, so the sum of a period's charges is what its units may have lost:
//
//   each   no period may be charged more
//   year   nor may any year: periods_of_a_year that follow each other, of somebody who travels in all of them. 0: none
//
// What all periods together may be charged is the ledger's budget, which need not be limited. A period whose own
// release is out is closed. It is never opened again, whatever it has left: rows that come late would be counted beside
// those that are published. Only a release over several periods, which is charged to each of them, may hold its trips
// again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/period.h"
#include "base/ticks.h"

namespace stopover {

struct PeriodRule {
  PeriodKind kind = PeriodKind::month;
  std::string timezone = "UTC";  // of the borders
  std::string unit = "trip";     // or user-month, of its own kind
  Ticks each = 0, year = 0;

  // As a ledger's first record has them; and back, nothing where they are not that.
  std::map<std::string, std::string> words() const;
  static std::optional<PeriodRule> of(const std::map<std::string, std::string>& words);
  bool operator==(const PeriodRule&) const = default;
};

// More than this many at once are refused.
inline constexpr std::int64_t kMostPeriods = 4000;

struct PeriodAccount {
  PeriodRule rule;
  std::map<Period, Ticks> spent;  // of periods that were charged at all
  std::set<Period> closed;

  Ticks spent_on(const Period& period) const;
  // The most that could be charged to this one alone, 0 for a closed one. Leaves the ledger's budget aside.
  Ticks open_to(const Period& period) const;
  // Why these cannot be charged so much each; nothing where they can.
  std::optional<std::string> objection(const PeriodRange& range, Ticks ticks) const;
  void charge(const PeriodRange& range, Ticks ticks);

 private:
  // The largest sum of a year that holds one of these, and the year's first period.
  std::pair<Ticks, Period> fullest_year(const PeriodRange& range) const;
};

}  // namespace stopover
