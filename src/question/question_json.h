// Questions and replies as JSON: the codec of the server, the page, Python and `query --spec`.
//
//   std::string reply = answer_question(engine, R"({"where": {"origin": {"circle": [37.795, -122.393, 1]}}})");
//
// The format, member by member, is in docs/guide/answers.md. Numbers have at most 12 significant digits. No file is
// read, nothing is thrown.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "question/question.h"

namespace stopover {

// Fails (usage) naming the member that cannot be meant; (bad_input) on what is not valid JSON, and GeoJSON that is
// none; (interrupted) when patience is lost.
Result<Question> question_of_json(std::string_view text, const Patience& patience = {});

std::string json_of(const Reply& reply);

// {"error": {"code": 2, "message": ..., "field": "zones"}}, in the words of JSON; the field where one is named.
std::string json_of(const Error& error);

// Read, asked and written: the reply, or the reason why there is none, as question_of_json and `ask` fail.
Result<std::string> ask_question(const QueryEngine& engine, std::string_view question,
                                 const QueryEngine* other = nullptr, const Patience& patience = {});

// The same; a failure becomes json_of it.
std::string answer_question(const QueryEngine& engine, std::string_view question, const QueryEngine* other = nullptr);

}  // namespace stopover
