// SeriesQuestion: what may be asked of a series, a release for each period, as one thing; and the reply.
//
//   SeriesQuestion q{.question = where, .over = OverTime::trend};
//   Result<SeriesReply> reply = ask_series(months, q);
//
// Each release has noise of its own: no two periods have any in common. Two changes that follow each other do: the
// period in between is in both. What each member means is in docs/guide/series.md; series_json.h writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/period.h"
#include "base/result.h"
#include "query/query_engine.h"
#include "question/patience.h"
#include "question/question.h"
#include "question/reply.h"

namespace stopover {

enum class OverTime {
  each,     // the question's reply for every period
  change,   // how each period differs from the one before, or from `against`
  trend,    // the slope of a line through the counts
  changes,  // which combinations of zones or tiles changed most
  sum,      // of all periods
};

std::string_view to_string(OverTime over);
// Fails (usage) with the nearest one.
Result<OverTime> parse_over_time(std::string_view text);

struct SeriesQuestion {
  Question question;  // `together`: the intervals of all periods shall hold at once; changes always do
  OverTime over = OverTime::each;
  std::optional<PeriodRange> period;  // these alone; unset: all
  std::optional<Period> against;      // change, changes: the period that `period`, then a single one, is compared with
};

struct SeriesEngine {
  Period period;
  const QueryEngine* engine = nullptr;
};

struct PeriodReply {
  Period period;
  Reply reply;
};

struct EachReply {
  std::vector<PeriodReply> periods;
};

// A CompareReply or compared tables: `period` less `against`.
struct StepReply {
  Period against, period;
  Reply reply;
};

struct ChangeReply {
  std::vector<StepReply> steps;
};

struct PeriodAnswer {
  Period period;
  Answer answer;
  double fitted = 0;  // trend: where the line is
};

// By weighted least squares; a period weighs by one over the square of its interval's width. The interval is that of
// the same line through the true counts: it knows what the releases leave open, and forecasts nothing.
struct TrendReply {
  Answer slope;     // trips more for each period
  double mean = 0;  // weighted
  std::vector<PeriodAnswer> periods;
  OneSided one_sided;
};

// Of `among` changes that were looked at, those of which most is sure. All intervals hold at once.
struct ChangesReply {
  struct Row {
    Period against, period;
    TableRow row;
    bool sure = false;  // 0 is not in the interval
  };
  std::vector<std::string> stops;
  std::uint64_t among = 0;
  std::vector<Row> rows;
};

struct SumReply {
  Answer sum;
  std::vector<PeriodAnswer> periods;
  // The noise of one release of all these periods, at the same epsilon, against that of the sum.
  double one_release = 1;
  OneSided one_sided;
};

struct SeriesReply {
  PeriodKind kind = PeriodKind::month;
  std::variant<EachReply, ChangeReply, TrendReply, ChangesReply, SumReply> of;
  std::vector<std::string> notes;
  std::string not_private;

  OverTime over() const { return static_cast<OverTime>(of.index()); }
};

// REQUIRES: in order of periods, all of one kind, each once, at least one. Fails as `ask` does, naming the period;
// (usage) for periods that are not there, and questions that have no meaning over time.
Result<SeriesReply> ask_series(std::span<const SeriesEngine> series, const SeriesQuestion& question,
                               const Patience& patience = {});

}  // namespace stopover
