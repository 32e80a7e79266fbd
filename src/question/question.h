// Question: what may be asked of a release, and the engine's answer to it. One meaning for every face: the command line
// fills a Question from its flags; Python, the server and the page write it as JSON (question_json.h).
//
//   Question q;
//   q.where = {{"origin", RegionTree::circle({37.795, -122.393, 1})}};
//   Result<Answer> a = count(engine, q);
//   q.ask = Ask::top;
//   Result<Reply> table = ask(engine, q);
//
// A question knows no release: stops, axes, zones and labels are names, looked up when it is asked. What each member
// means is in docs/guide/answers.md. No file is read, nothing is thrown.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/answer.h"
#include "query/query_engine.h"
#include "question/patience.h"
#include "question/region.h"
#include "question/reply.h"
#include "question/zones.h"

namespace stopover {

// The region of a stop. Unset: the stop must be there, and may be anywhere.
struct StopWhere {
  std::string stop;
  std::optional<RegionTree> region;
};

struct Question {
  static constexpr std::size_t kMostTop = 10'000, kMostTiles = 256;

  Ask ask = Ask::count;
  std::vector<StopWhere> where;           // all must hold
  std::optional<std::string> box, range;  // hold besides; as parse_box and parse_range take them
  std::shared_ptr<const Zones> zones;     // named areas; nullptr: none
  double level = 0.95;                    // of all intervals
  Estimates estimates = Estimates::consistent;
  std::optional<std::vector<StopWhere>> of;  // share: the whole; unset: all trips
  std::vector<std::string> stops;            // that a table runs over; empty: it depends on the question
  std::optional<std::string> given;          // given: the stop
  std::optional<std::string> from, to;       // matrix; unset: the first and the last stop
  std::size_t top = 10;                      // rows of a table; at most kMostTop
  std::size_t tiles = 0;                     // a side of a stop's map without zones, at most kMostTiles; 0: a default
  bool overlaps = false;                     // zones that overlap are all right
  bool together = false;                     // the intervals of a table's rows shall all hold at once
};

// The reply, or the reason why there is none: usage for what cannot be asked. `other`: the release to compare with, or
// nullptr. Interrupted where it would take more than `patience` allows.
Result<Reply> ask(const QueryEngine& engine, const Question& question, const QueryEngine* other = nullptr,
                  const Patience& patience = {});

// How many: the same question as a plain count, without notes.
Result<Answer> count(const QueryEngine& engine, const Question& question, const Patience& patience = {});

// What is asked as the index reads it, for whoever adds up by themselves.
Result<Asked> asked_of(const QueryEngine& engine, const Question& question, const Patience& patience = {});

}  // namespace stopover
