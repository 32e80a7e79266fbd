// Answers as JSON. Internal to this room.
#pragma once

#include <string>
#include <vector>

#include "query/answer.h"
#include "query/query_engine.h"
#include "question/json.h"

namespace stopover {

// The members of an answer, in their order.
Json json_of(const Answer& answer);
// Why learned intervals at that level are not claimed to hold, as a note; none where they are, or there are none.
std::vector<std::string> claim_notes(const QueryEngine& engine, const AnswerOptions& options);
// [] or texts, each once.
Json json_of_notes(std::vector<std::string> notes);

}  // namespace stopover
