#include "question/series_changes.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <utility>
#include <vector>

#include "base/largest.h"
#include "base/usage_error.h"
#include "query/pair_answer.h"
#include "question/request.h"
#include "question/table_maker.h"

namespace stopover {
namespace {

// Intervals are made of the changes that are largest by estimate, so many for each that is wanted, and at least so many
// in all; what is shown is picked among these by what is sure.
constexpr std::size_t kCandidates = 10, kLeastCandidates = 200;

struct Side {
  SeriesEngine of;
  Request request;
  TableMaker maker;
  TableMaker::Combinations all;

  Side(const SeriesEngine& engine, Request made) : of(engine), request(std::move(made)), maker(*of.engine, request) {}
};

// How many trips at least it changed by; 0 where it may not have.
double sure_part(const Answer& d) { return std::max({0.0, d.lower, -d.upper}); }

bool alike(const TableMaker::Combinations& a, const TableMaker::Combinations& b) {
  if (a.over.size() != b.over.size() || a.totals.size() != b.totals.size()) return false;
  for (std::size_t s = 0; s < a.stops.size(); ++s) {
    const auto &x = a.stops[s].all, &y = b.stops[s].all;
    if (!std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const StopPart& p, const StopPart& q) { return p.name == q.name && p.region == q.region; }))
      return false;
  }
  return true;
}

}  // namespace

bool changed_more_surely(const Answer& a, const Answer& b) {
  if (sure_part(a) != sure_part(b)) return sure_part(a) > sure_part(b);
  return std::abs(a.estimate) > std::abs(b.estimate);
}

Result<ChangesReply> most_changed(std::span<const SeriesEngine> series, std::span<const Step> steps,
                                  const Question& question, const Patience& patience, SeriesNotes& notes) {
  std::list<Side> held;  // a TableMaker points to its request
  std::vector<Side*> sides;
  for (const SeriesEngine& one : series) {
    const auto in_period = [&](const Error& e) { return Error{e.failure, one.period.name() + ": " + e.message}; };
    Result<Request> request = Request::make(*one.engine, question, patience);
    if (!request) return in_period(request.error());
    Side& side = held.emplace_back(one, std::move(*request));
    Result<TableMaker::Combinations> all = side.maker.combinations();
    if (!all) return in_period(all.error());
    side.all = std::move(*all);
    if (!alike(held.front().all, side.all)) {
      return usage_error(
          "the releases are not divided alike\n  Give `zones`: the same areas are then compared in all of them.");
    }
    sides.push_back(&side);
  }
  const std::size_t combinations = held.front().all.totals.size();
  ChangesReply made;
  made.among = static_cast<std::uint64_t>(combinations) * steps.size();
  std::vector<double> apart;
  apart.reserve(made.among);
  for (const Step& step : steps) {
    for (std::size_t i = 0; i < combinations; ++i) {
      apart.push_back(std::abs(sides[step.to]->all.totals[i] - sides[step.from]->all.totals[i]));
    }
  }
  const std::size_t wanted = held.front().request.top;
  std::vector<std::size_t> picked = largest(apart, std::max(kLeastCandidates, kCandidates * wanted));
  std::sort(picked.begin(), picked.end());
  for (std::size_t s = 0, at = 0; s < steps.size(); ++s) {
    std::vector<std::size_t> order;
    for (; at < picked.size() && picked[at] < (s + 1) * combinations; ++at) order.push_back(picked[at] % combinations);
    if (order.empty()) continue;
    Side &from = *sides[steps[s].from], &to = *sides[steps[s].to];
    AnswerOptions options = from.request.options;
    options.together = made.among;
    Result<TablesReply> first = from.maker.top_of(from.all, order, made.among);
    if (!first) return first.error();
    const Result<TablesReply> second = to.maker.top_of(to.all, order, made.among);
    if (!second) return second.error();
    made.stops = first->tables[0].stops;
    for (std::size_t i = 0; i < order.size(); ++i) {
      ChangesReply::Row row{from.of.period, to.of.period, std::move(first->tables[0].rows[i]), false};
      row.row.second = second->tables[0].rows[i].answer;
      row.row.difference = quick_difference(*row.row.second, row.row.answer, options);
      row.sure = sure_part(*row.row.difference) > 0;
      made.rows.push_back(std::move(row));
    }
  }
  std::stable_sort(made.rows.begin(), made.rows.end(), [](const ChangesReply::Row& a, const ChangesReply::Row& b) {
    return changed_more_surely(*a.row.difference, *b.row.difference);
  });
  if (made.rows.size() > wanted) made.rows.resize(wanted);
  if (made.stops.empty()) {
    for (const StopParts& units : held.front().all.stops) {
      made.stops.push_back(series[0].engine->domain().stops()[units.stop].name);
    }
  }
  for (const Side& side : held) notes.add(side.of.period, side.maker.notes());
  notes.add_for_all("looked at " + std::to_string(made.among) +
                    " changes, and the intervals hold for all of these at once: the more are looked at, the wider");
  return made;
}

}  // namespace stopover
