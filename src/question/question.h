// A question as JSON in, its answer as JSON out: one function for the command line, the server, the page and Python, so that
// they cannot disagree.
//
//   std::string reply = answer_question(engine, R"({"where": {"origin": {"circle": [37.795, -122.393, 1]}}})");
//
// The format, member by member, is in docs/answers.md. Numbers have at most 12 significant digits. No file is read, nothing
// is thrown.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "query/query_engine.h"
#include "question/patience.h"

namespace stopover {

// The reply, or the reason why there is none: usage for what cannot be asked, bad_input for GeoJSON that is none. `other`:
// the release to compare with, or nullptr. Interrupted where it would take more than `patience` allows.
Result<std::string> ask_question(const QueryEngine& engine, std::string_view question, const QueryEngine* other = nullptr,
                                 const Patience& patience = {});

// The same; a failure becomes {"error": {"code": 2, "message": "..."}}.
std::string answer_question(const QueryEngine& engine, std::string_view question, const QueryEngine* other = nullptr);

}  // namespace stopover
