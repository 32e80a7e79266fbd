// Questions to a series and their replies as JSON: a question (question_json.h) with three members more.
//
//   {"series": "change", "period": "2019-03", "against": "2019-01", "where": {"origin": "zone:Mission"}}
//
// "series" is each (where it is left out), change, trend, changes or sum; "period" a period or "2019-01..2019-06". With
// "against", each is change. docs/guide/series.md has the replies.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "question/series_question.h"

namespace stopover {

// Fails as question_of_json does.
Result<SeriesQuestion> series_question_of_json(std::string_view text, const Patience& patience = {});

// `notes` of the series come first.
std::string json_of(const SeriesReply& reply, std::span<const std::string> notes = {});

// Names of periods, as `period` and `against` are typed. Fails (usage).
Result<PeriodRange> parse_asked_periods(std::string_view text);
Result<Period> parse_asked_period(std::string_view text);

}  // namespace stopover
