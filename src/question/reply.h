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
// Adds, as a note, why learned intervals asked with these options are not claimed to hold; nothing where they are, or there are
// none.
void add_claim_note(const QueryEngine& engine, const AnswerOptions& options, std::vector<std::string>& notes);
// [] or texts, each once.
Json json_of_notes(std::vector<std::string> notes);

}  // namespace stopover
