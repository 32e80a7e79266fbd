// Request: a question's JSON, read and checked against a release. Internal to this room; docs/answers.md has the format.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/answer.h"
#include "query/query_engine.h"
#include "question/json.h"
#include "question/patience.h"
#include "question/zones.h"

namespace stopover {

enum class Ask {
  count,   // how many
  share,   // of those of `of`
  top,     // the largest combinations of zones or tiles over `stops`
  given,   // the other stops, given one; or one stop, given the others
  matrix,  // from stop to stop over zones
  totals,  // every stop by itself
};

std::string_view to_string(Ask ask);

struct Request {
  Ask ask = Ask::count;
  AnswerOptions options;
  Zones zones;
  Asked asked;                      // "where", with "box" and "range"
  std::vector<StopRegion> regions;  // of "where"
  BoxQuery box;                     // of "box" and "range"
  std::optional<Asked> of;          // "of": the base of a share; unset: all trips
  std::vector<std::size_t> stops;   // "stops": those that a table runs over; empty: it depends on the question
  std::optional<std::size_t> given;
  std::size_t from = 0, to = 0;  // of a matrix
  std::size_t top = 10;
  std::size_t tiles = 0;  // a side of a stop's map without zones; 0: a default
  bool overlaps = false;  // zones that overlap are all right
  bool together = false;  // the intervals of a table's rows shall all hold at once
  Patience patience;

  // Fails (usage, bad_input) naming the member; (interrupted) when patience is lost.
  static Result<Request> of_json(const QueryEngine& engine, const Json& question, const Patience& patience = {});

  bool has_region(std::size_t stop) const;
};

}  // namespace stopover
