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
  static constexpr std::size_t kUsualTop = 10, kMostTop = 10'000, kMostTiles = 256;

  Ask ask = Ask::count;
  std::vector<StopWhere> where;  // all must hold
  // Over stops: each of these regions holds at one stop at least; none of these holds at any; these hold one after the
  // other, each at a later stop. Stops that cannot be in a region (a purpose, in a circle) do not count.
  std::vector<RegionTree> any_stop, no_stop, in_order;
  std::optional<std::string> box, range;  // hold besides; as parse_box and parse_range take them
  std::shared_ptr<const Zones> zones;     // named areas; nullptr: none
  double level = 0.95;                    // of all intervals
  Estimates estimates = Estimates::consistent;
  std::optional<std::vector<StopWhere>> of;  // share: the whole, in which the part lies too; unset: all trips
  // count: how many more than of these, and how many times as many. They are in the same `box` and `range`.
  std::optional<std::vector<StopWhere>> minus;
  // Of a count, or of a difference: how sure one may be that there are more; what it is at least and at most, each end
  // by itself at the level.
  std::optional<double> above;
  bool at_least = false, at_most = false;
  std::vector<std::string> stops;       // that a table runs over; empty: it depends on the question
  std::optional<std::string> given;     // given: the stop
  std::optional<std::string> from, to;  // matrix; unset: the first and the last stop
  std::optional<std::size_t> top;       // rows of a table, the largest; at most kMostTop. Unset: totals have all
  std::size_t tiles = 0;                // a side of a stop's map without zones, at most kMostTiles; 0: a default
  bool overlaps = false;                // zones that overlap are all right
  bool together = false;                // the intervals of a table's rows shall all hold at once
  std::size_t periods = 1;              // ... and those of so many questions like this one, of a series
  double in_common = 0;                 // AnswerOptions::in_common; a series sets it
};

// The reply, or the reason why there is none: usage for what cannot be asked. `other`: the release to compare with, or
// nullptr. Interrupted where it would take more than `patience` allows.
Result<Reply> ask(const QueryEngine& engine, const Question& question, const QueryEngine* other = nullptr,
                  const Patience& patience = {});

// How many: the same question as a plain count, without notes.
Result<Answer> count(const QueryEngine& engine, const Question& question, const Patience& patience = {});

// What is asked as the index reads it, for whoever adds up by themselves. Fails (usage) where it is no single region.
Result<Asked> asked_of(const QueryEngine& engine, const Question& question, const Patience& patience = {});

}  // namespace stopover
