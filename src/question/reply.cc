#include "question/reply.h"

#include <algorithm>

namespace stopover {

Json json_of(const Answer& a) {
  return Json{{"estimate", twelve_digits(a.estimate)},
              {"noise_lower", twelve_digits(a.noise_lower)},
              {"noise_upper", twelve_digits(a.noise_upper)},
              {"level", a.level},
              {"partitions_cut", a.partitions_cut},
              {"aligned", a.aligned},
              {"bounds_lower", twelve_digits(a.bounds_lower)},
              {"bounds_upper", twelve_digits(a.bounds_upper)},
              {"lower", twelve_digits(a.lower)},
              {"upper", twelve_digits(a.upper)},
              {"calibrated", a.calibrated},
              {"claimed", a.claimed},
              {"projected", a.projected()},
              {"unprojected", twelve_digits(a.unprojected)}};
}

void add_claim_note(const QueryEngine& engine, const AnswerOptions& options, std::vector<std::string>& notes) {
  const CoverageClaim& claim = engine.index().claim();
  if (!engine.index().calibration() || options.estimates != Estimates::consistent || claim.holds_at(options.each_level())) return;
  const std::string where = claim.made ? "at levels other than 80 to 99 % an answer" : "with " + std::string(claim.why_not);
  notes.push_back("calibrated intervals are not claimed to hold as often as they say " + where + "; the bounds are");
}

Json json_of_notes(std::vector<std::string> notes) {
  Json list = Json::array();
  for (std::size_t i = 0; i < notes.size(); ++i) {
    if (std::find(notes.begin(), notes.begin() + static_cast<std::ptrdiff_t>(i), notes[i]) ==
        notes.begin() + static_cast<std::ptrdiff_t>(i)) {
      list.push_back(notes[i]);
    }
  }
  return list;
}

}  // namespace stopover
