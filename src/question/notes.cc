#include "question/notes.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/grouped.h"
#include "query/question_doubts.h"
#include "query/unforeseen_flow.h"

namespace stopover {
namespace {

std::string not_claimed(std::string_view why) {
  return "likely intervals are not claimed here (" + std::string(why) +
         "): they may fail more often than they say; for a safe statement quote the bounds";
}

}  // namespace

void add_claim_note(const QueryEngine& engine, const AnswerOptions& options, std::vector<std::string>& notes) {
  const CoverageClaim& claim = engine.index().claim();
  if (engine.index().lists_cells()) {
    notes.emplace_back(
        "only cells with a noisy count beyond a threshold are listed; trips in all others are in no interval, nor in "
        "the bounds: sums over many cells may be far off");
    return;
  }
  if (engine.index().unread_probes() && options.estimates == Estimates::consistent) {
    notes.push_back(
        "there are no likely intervals here (" + std::string(claim.why_not) +
        "): the bounds hold; for likely intervals ask with the program that published it, or publish again");
    return;
  }
  if (!engine.index().has_likely_intervals() || options.estimates != Estimates::consistent ||
      claim.holds_at(options.each_level()))
    return;
  notes.push_back(not_claimed(claim.made ? "a level other than 80 to 99 % per answer" : claim.why_not));
}

void add_claim_note(const QueryEngine& engine, const AnswerOptions& options, const Answer& answer,
                    std::vector<std::string>& notes) {
  add_claim_note(engine, options, notes);
  if (engine.index().claim().made && !answer.unclaimed.empty()) notes.push_back(not_claimed(answer.unclaimed));
}

void add_claim_note(const QueryEngine& engine, std::span<const Answer> entries, std::vector<std::string>& notes) {
  if (!engine.index().claim().made) return;
  std::map<std::string_view, std::uint64_t> whys;
  for (const Answer& entry : entries) {
    if (!entry.unclaimed.empty()) ++whys[entry.unclaimed];
  }
  for (const auto& [why, times] : whys) {
    notes.push_back("likely intervals of " + grouped(times) + " of " + grouped(entries.size()) +
                    " entries are not claimed (" + std::string(why) + ")");
  }
}

void add_flow_note(const QueryEngine& engine, const Selection& asked, const Answer& answer,
                   std::vector<std::string>& notes) {
  const BoxIndex& index = engine.index();
  if (!index.probes() || !answer.calibrated || answer.aligned || !asked.single()) return;
  if (doubts_of(index, asked).shape.free_stops > 0) return;
  const double trips = unforeseen_flow(engine.domain(), index.stops().size(), engine.rate());
  if (answer.estimate >= trips || answer.upper >= std::min(answer.bounds_upper, answer.estimate + trips)) return;
  notes.push_back("a single flow that nobody foresaw may be missing here if it has fewer than about " +
                  grouped(static_cast<std::uint64_t>(trips + 0.5)) +
                  " trips: the release hardly shows it, and likely intervals do not reach to it");
}

void add_joined_note(const QueryEngine& engine, const AnswerOptions& options, std::vector<std::string>& notes) {
  if (!engine.index().has_likely_intervals() || options.estimates != Estimates::consistent) return;
  notes.emplace_back(
      "likely intervals of what is put together over several stops are not claimed here (how often they hold was not "
      "measured); for a safe statement quote the bounds");
}

std::vector<std::string> each_once(const std::vector<std::string>& notes) {
  std::vector<std::string> list;
  for (const std::string& note : notes) {
    if (std::find(list.begin(), list.end(), note) == list.end()) list.push_back(note);
  }
  return list;
}

}  // namespace stopover
