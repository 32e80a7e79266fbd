#include "question/notes.h"

#include <algorithm>

namespace stopover {

void add_claim_note(const QueryEngine& engine, const AnswerOptions& options, std::vector<std::string>& notes) {
  const CoverageClaim& claim = engine.index().claim();
  if (!engine.index().calibration() || options.estimates != Estimates::consistent ||
      claim.holds_at(options.each_level()))
    return;
  const std::string where =
      claim.made ? "at levels other than 80 to 99 % per answer" : "with " + std::string(claim.why_not);
  notes.push_back("likely intervals are not claimed to hold as often as they say " + where + "; the bounds are");
}

std::vector<std::string> each_once(const std::vector<std::string>& notes) {
  std::vector<std::string> list;
  for (const std::string& note : notes) {
    if (std::find(list.begin(), list.end(), note) == list.end()) list.push_back(note);
  }
  return list;
}

}  // namespace stopover
