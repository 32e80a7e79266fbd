// Request: a question, looked up in a release. Internal to this room.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/answer.h"
#include "query/query_engine.h"
#include "question/patience.h"
#include "question/question.h"
#include "question/zones.h"

namespace stopover {

struct Request {
  Ask ask = Ask::count;
  AnswerOptions options;
  std::shared_ptr<const Zones> zones;  // never nullptr
  Asked asked;                         // "where", with "box" and "range"
  std::vector<StopRegion> regions;     // of "where"
  BoxQuery box;                        // of "box" and "range"
  std::optional<Asked> of;
  std::vector<std::size_t> stops;
  std::optional<std::size_t> given;
  std::size_t from = 0, to = 0;
  std::size_t top = 10, tiles = 0;
  bool overlaps = false, together = false;
  Patience patience;

  // Fails (usage) naming what the release does not have; (interrupted) when patience is lost.
  static Result<Request> make(const QueryEngine& engine, const Question& question, const Patience& patience);

  bool has_region(std::size_t stop) const;
};

}  // namespace stopover
