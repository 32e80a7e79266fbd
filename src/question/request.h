// Request: a question, looked up in a release. Internal to this room.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/answer.h"
#include "query/pair_answer.h"
#include "query/query_engine.h"
#include "query/selection.h"
#include "question/patience.h"
#include "question/question.h"
#include "question/zones.h"

namespace stopover {

// One of the regions that a question is a sum of: what holds at each stop, all of it.
struct RequestTerm {
  double sign = 1;
  std::map<std::size_t, std::vector<RegionTree>> facts;  // by stop
  std::vector<StopRegion> regions;                       // the same, placed; one per stop
};

// Which trips are counted: the sum of its terms.
struct RequestSum {
  std::vector<RequestTerm> terms;
  Selection selection;  // one term for each of `terms`
  std::vector<std::string> notes;
};

struct Request {
  Ask ask = Ask::count;
  AnswerOptions options;
  std::shared_ptr<const Zones> zones;  // never nullptr
  RequestSum asked;                    // "where", with "box" and "range", and over stops
  std::vector<bool> bound;             // of each stop: whether "where" says at which place
  BoxQuery box;                        // of "box" and "range"
  std::optional<SelectionPair> pair;   // the asked ones, and the whole of a share or those of "minus"
  std::vector<std::size_t> stops;
  std::optional<std::size_t> given;
  std::size_t from = 0, to = 0;
  std::size_t top = 0;   // rows of a table of the largest
  std::size_t rows = 0;  // of a table that has all, where only the largest are wanted; else 0
  std::size_t tiles = 0;
  bool overlaps = false, together = false;
  Patience patience;

  // Fails (usage) naming what the release does not have; (interrupted) when patience is lost.
  static Result<Request> make(const QueryEngine& engine, const Question& question, const Patience& patience);

  // Whether the question says at which place of the stop; a time or a purpose says when or why.
  bool has_region(std::size_t stop) const { return bound[stop]; }
};

// The axes that the parts of a stop in a table have: its map's, its zones', or its first two.
std::pair<std::size_t, std::size_t> part_axes(const QueryEngine& engine, std::size_t stop);

// Whether a region of a stop is about these.
bool on_plane(const QueryEngine& engine, const StopRegion& region);

// The selection without what it says of places at these stops, term by term: a table adds its parts there.
Result<Selection> without_places(const QueryEngine& engine, const Request& request,
                                 const std::vector<std::size_t>& stops);

}  // namespace stopover
