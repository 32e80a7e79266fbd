// What the codecs of questions and of series share. Internal to this room.
#pragma once

#include <string>

#include "geo/json.h"
#include "question/question.h"
#include "question/reply.h"

namespace stopover {

// As question_of_json does, of what parse_json gave.
Result<Question> question_of(const Json& q, const Patience& patience);

Json json_of(const Answer& answer);
Json json_of(const Quotient& ratio);
Json json_of(const CountRatio& ratio);
// Without its rate.
Json json_of(const TableRow& row);
void add_one_sided(const OneSided& sides, Json& to);
// All but notes.
Json members_of(const Reply& reply);

std::string dumped(const Json& json);

}  // namespace stopover
