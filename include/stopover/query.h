// Ask a release. One of three headers that programs include; see <stopover/publish.h>.
//
//   #include <stopover/query.h>
//   #include <iostream>
//
//   int main() {
//     const stopover::Result<stopover::ReadyRelease> city = stopover::ReadyRelease::open("city.odr");
//     if (!city) {
//       std::cerr << city.error().message << '\n';
//       return static_cast<int>(city.error().failure);
//     }
//     stopover::Question question;                                   // how many trips begin within 2 km of here?
//     question.where = {{"origin", stopover::RegionTree::circle({37.79, -122.40, 2})}};
//     const stopover::Result<stopover::Answer> answer = stopover::count(city->engine, question);
//     if (answer) std::cout << answer->estimate << ", likely " << answer->lower << " to " << answer->upper << '\n';
//
//     question.ask = stopover::Ask::top;                             // and which flows are the largest?
//     const stopover::Result<stopover::Reply> reply = stopover::ask(city->engine, question);
//     if (reply) std::cout << stopover::json_of(*reply) << '\n';
//
//     const char* json = R"({"where": {"origin": {"circle": [37.79, -122.40, 2]}}})";
//     std::cout << stopover::answer_question(city->engine, json) << '\n';
//   }
//
// A QueryEngine is built once and then read only: any number of threads may ask it. Kinds of questions and regions, and
// what the numbers mean, are in docs/guide/answers.md.
#pragma once

#include "job/open_release.h"
#include "query/query_engine.h"
#include "question/question.h"
#include "question/question_json.h"
