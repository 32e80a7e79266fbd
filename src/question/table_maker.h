// TableMaker: the tables of one release, as questions ask for them. Internal to this room.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "query/answerer.h"
#include "query/query_engine.h"
#include "question/notes.h"
#include "question/reply.h"
#include "question/request.h"
#include "question/stop_parts.h"

namespace stopover {

class TableMaker {
 public:
  // REQUIRES: both outlive it.
  TableMaker(const QueryEngine& engine, const Request& request);

  Result<Reply> share();
  Result<Reply> top();
  Result<Reply> given();
  Result<Reply> totals();
  Result<Reply> matrix();

  // All combinations of the parts of some stops, and their estimates.
  struct Combinations {
    std::vector<std::size_t> over;
    std::vector<StopParts> stops;
    Selection rest;  // without_places of them
    std::vector<double> totals;
  };
  // Of the stops that the table runs over.
  Result<Combinations> combinations();

  // The rows of these combinations, by their numbers; `among`: how many intervals shall hold at once, if that is asked.
  Result<TablesReply> top_of(const Combinations& all, const std::vector<std::size_t>& order, std::size_t among);
  // `rows`: the largest alone; 0: all.
  Result<TablesReply> totals_of(std::size_t rows);
  Result<MatrixReply> matrix_of();

  // What was noted on the way.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  // Each of so many answers by itself, or all at once if that was asked for.
  Answerer asking(std::size_t answers);
  std::vector<std::size_t> free_stops() const;
  MatrixReply::Side side_of(const StopParts& units) const;
  AnswerTable table_over(const std::string& title, const std::vector<std::size_t>& stops) const;
  template <typename Kind>
  Reply reply(Kind of) const {
    return Reply{std::move(of), {}, each_once(notes_), ""};
  }
  // One stop's units: the `most` largest, or all in their order (0).
  Status add_distribution(const std::string& title, std::size_t stop, bool rates, std::size_t most, TablesReply& to);

  const QueryEngine& engine_;
  const Request& request_;
  Answerer ask_;
  std::vector<std::string> notes_;
};

}  // namespace stopover
