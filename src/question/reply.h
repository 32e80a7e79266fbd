// Answers as JSON. Internal to this room.
#pragma once

#include <string>
#include <vector>

#include "query/answer.h"
#include "question/json.h"

namespace stopover {

// The members of an answer, in their order.
Json json_of(const Answer& answer);
// [] or texts, each once.
Json json_of_notes(std::vector<std::string> notes);

}  // namespace stopover
