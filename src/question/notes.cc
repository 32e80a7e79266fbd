#include "question/notes.h"

#include <algorithm>

namespace stopover {

void add_claim_note(const QueryEngine& engine, const AnswerOptions& options, std::vector<std::string>& notes) {
  const CoverageClaim& claim = engine.index().claim();
  if (!engine.index().has_likely_intervals() || options.estimates != Estimates::consistent ||
      claim.holds_at(options.each_level()))
    return;
  const std::string why = claim.made ? "a level other than 80 to 99 % per answer" : std::string(claim.why_not);
  notes.push_back("likely intervals are not claimed here (" + why +
                  "): they may fail more often than they say; for a safe statement quote the bounds");
}

std::vector<std::string> each_once(const std::vector<std::string>& notes) {
  std::vector<std::string> list;
  for (const std::string& note : notes) {
    if (std::find(list.begin(), list.end(), note) == list.end()) list.push_back(note);
  }
  return list;
}

}  // namespace stopover
