// `query` of a series: its flags as a SeriesQuestion, and replies as text for people and as tables.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/query_question.h"
#include "cli/terminal.h"
#include "question/series_question.h"

namespace stopover {

struct SeriesFlags {
  std::string period, against;
  bool change = false, trend = false, changes = false, sum = false;

  // The first flag that was given; "" where none was.
  std::string given() const;
};

// Fails (usage, bad_input) as question_of does.
Result<SeriesQuestion> series_question_of(const QueryFlags& flags, const SeriesFlags& series);

// With a column `period`; of a change `against` and `period`, of a trend or a sum `first` and `last`.
std::string csv_of_series(const SeriesReply& reply);

// What a person reads, 80 columns wide, without notes.
std::string text_of_series(const SeriesReply& reply, const Terminal& terminal);

}  // namespace stopover
