// Which flows changed most between periods. Internal to this room.
#pragma once

#include <cstddef>
#include <span>

#include "question/series_notes.h"
#include "question/series_question.h"

namespace stopover {

// Numbers of two engines that are compared: `to` less `from`.
struct Step {
  std::size_t from = 0, to = 0;
};

// The order of changes: by how many trips at least it changed, more or fewer; of those that may not have changed, by
// the estimate. Whether `a` comes before `b`.
bool changed_more_surely(const Answer& a, const Answer& b);

// REQUIRES: question.ask is top, question.together; at least one step. Fails (usage) where the releases are not divided
// alike.
Result<ChangesReply> most_changed(std::span<const SeriesEngine> series, std::span<const Step> steps,
                                  const Question& question, const Patience& patience, SeriesNotes& notes);

}  // namespace stopover
