#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/largest.h"
#include "base/usage_error.h"
#include "query/pair_answer.h"
#include "question/notes.h"
#include "question/table_maker.h"
#include "question/tables.h"

namespace stopover {
namespace {

// Tables of two releases side by side.
class ComparedTables {
 public:
  ComparedTables(const QueryEngine& engine, const Request& request, const QueryEngine& other, const Request& there)
      : request_(request), same_(&engine == &other), first_(engine, request), second_(other, there) {}

  Result<Reply> top() {
    Result<TableMaker::Combinations> first = first_.combinations();
    if (!first) return first.error();
    Result<TableMaker::Combinations> second = second_.combinations();
    if (!second) return in_second(second.error());
    if (first->over.size() != second->over.size()) return divided_otherwise();
    for (std::size_t s = 0; s < first->stops.size(); ++s) {
      if (!alike(first->stops[s].all, second->stops[s].all)) return divided_otherwise();
    }
    std::vector<double> apart(first->totals.size());
    for (std::size_t i = 0; i < apart.size(); ++i) apart[i] = std::abs(second->totals[i] - first->totals[i]);
    const std::vector<std::size_t> order = largest(apart, request_.top);
    // Picked among all for being far apart: together means all of them.
    const std::size_t among = apart.size();
    Result<TablesReply> tables = first_.top_of(*first, order, among);
    if (!tables) return tables.error();
    const Result<TablesReply> others = second_.top_of(*second, order, among);
    if (!others) return in_second(others.error());
    tables->tables[0].title = "most changed" + tables->tables[0].title.substr(std::string_view("largest").size());
    std::vector<std::string> notes = {
        "the rows are those that differ most of " + std::to_string(among) +
        (request_.together ? "; their intervals hold for all of these at once"
                           : ": some differ as much by chance; `together` makes all intervals hold at once")};
    if (Status s = join(*tables, *others, among); !s) return s.error();
    return reply(std::move(*tables), std::move(notes));
  }

  Result<Reply> totals() {
    Result<TablesReply> tables = first_.totals_of(0);
    if (!tables) return tables.error();
    const Result<TablesReply> others = second_.totals_of(0);
    if (!others) return in_second(others.error());
    std::size_t most = 1;
    for (const AnswerTable& table : tables->tables) most = std::max(most, table.rows.size());
    if (Status s = join(*tables, *others, most); !s) return s.error();
    // The largest differences, where only some rows are wanted.
    for (AnswerTable& table : tables->tables) {
      if (request_.rows == 0) break;
      std::stable_sort(table.rows.begin(), table.rows.end(), [](const TableRow& a, const TableRow& b) {
        return std::abs(a.difference->estimate) > std::abs(b.difference->estimate);
      });
      if (table.rows.size() > request_.rows) table.rows.resize(request_.rows);
    }
    return reply(std::move(*tables), {});
  }

  Result<Reply> matrix() {
    Result<MatrixReply> matrix = first_.matrix_of();
    if (!matrix) return matrix.error();
    Result<MatrixReply> other = second_.matrix_of();
    if (!other) return in_second(other.error());
    if (matrix->from.names != other->from.names || matrix->to.names != other->to.names) return divided_otherwise();
    matrix->second = std::move(other->entries);
    for (std::size_t i = 0; i < matrix->entries.size(); ++i) {
      matrix->difference.push_back(difference(matrix->entries[i], matrix->second[i], matrix->entries.size()));
    }
    matrix->calibrated = matrix->calibrated && other->calibrated;
    matrix->claimed = matrix->claimed && other->claimed;
    return reply(std::move(*matrix), {});
  }

 private:
  static Error in_second(const Error& e) { return {e.failure, "the second release: " + e.message}; }
  static Error divided_otherwise() {
    return usage_error(
        "the two releases are not divided alike\n  Give `zones`: the same areas are then compared in both.");
  }
  static bool alike(const std::vector<StopPart>& a, const std::vector<StopPart>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const StopPart& x, const StopPart& y) { return x.name == y.name && x.region == y.region; });
  }

  // REQUIRES: each was asked with the level of `among` that hold together, if that is asked.
  Answer difference(const Answer& a, const Answer& b, std::size_t among) const {
    AnswerOptions options = request_.options;
    if (request_.together) options.together *= among;
    if (!same_) return quick_difference(b, a, options);
    Answer none;
    none.level = options.level;
    return none;
  }

  Status join(TablesReply& first, const TablesReply& second, std::size_t among) const {
    first.second_total = second.total;
    if (first.tables.size() != second.tables.size()) return divided_otherwise();
    for (std::size_t t = 0; t < first.tables.size(); ++t) {
      std::vector<TableRow>& rows = first.tables[t].rows;
      const std::vector<TableRow>& others = second.tables[t].rows;
      if (rows.size() != others.size()) return divided_otherwise();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].where != others[i].where) return divided_otherwise();
        rows[i].second = others[i].answer;
        rows[i].difference = difference(rows[i].answer, others[i].answer, first.ask == Ask::top ? among : rows.size());
      }
    }
    return {};
  }

  template <typename Kind>
  Reply reply(Kind of, std::vector<std::string> notes) const {
    for (const TableMaker* side : {&first_, &second_})
      notes.insert(notes.end(), side->notes().begin(), side->notes().end());
    return Reply{std::move(of), {}, each_once(notes), ""};
  }

  const Request& request_;
  bool same_;
  TableMaker first_, second_;
};

}  // namespace

Result<Reply> compared_tables(const QueryEngine& engine, const Request& request, const QueryEngine& other,
                              const Request& there) {
  ComparedTables tables(engine, request, other, there);
  if (request.ask == Ask::top) return tables.top();
  if (request.ask == Ask::totals) return tables.totals();
  if (request.ask == Ask::matrix) return tables.matrix();
  return usage_error("counts and tables are compared, shares and `given` are not\n  Ask for top, matrix or totals.");
}

}  // namespace stopover
