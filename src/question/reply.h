// Reply: what a question (question.h) gives back. docs/guide/answers.md says what the numbers mean; question_json.h
// writes it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "query/answer.h"
#include "query/certified_interval.h"
#include "query/pair_answer.h"
#include "question/region.h"

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
// Fails (usage) with the nearest one.
Result<Ask> parse_ask(std::string_view text);

// A part of a whole; unset where the whole is 0.
using Quotient = std::optional<double>;

struct CountReply {
  Answer answer;
  std::optional<CertifiedInterval> certified{};  // what the probes prove of boxes like this
};

// Of two releases; the difference is second less first, the ratio second by first.
struct CompareReply {
  Answer first, second, difference;
  CountRatio ratio;
};

// Of two questions to one release: the asked count first, the one it is less by second.
struct MinusReply {
  PairAnswer of;
};

// What is asked of one side of a count or of a difference (Question::above, at_least, at_most).
struct OneSided {
  // How sure one may be that there are more than `value`; unset where there are only bounds, and the value lies within.
  struct Above {
    double value = 0;
    std::optional<double> probability;
    bool claimed = false;
  };
  // That it is at least, or at most, `value`, with probability `level`.
  struct End {
    double value = 0, level = 0;
    bool claimed = false;
  };
  std::optional<Above> above;
  std::optional<End> at_least, at_most;
};

struct ShareReply {
  Quotient share;
  double lower = 0, upper = 0, level = 0;
  bool claimed = false;
  Answer part, whole;
};

struct TableRow {
  std::vector<std::pair<std::string, RegionTree>> where;  // by stop; ask it again and the same numbers come back
  std::vector<std::string> names;                         // of these, short: a zone's, a label, a tile's such as B3
  Answer answer;
  std::optional<Answer> second, difference;  // where releases are compared; second less first
  Quotient share;                            // of the total
  Quotient rate;  // in a table with rates: of those at that place, the share that meets the regions
};

struct AnswerTable {
  std::string title;
  std::vector<std::string> stops;
  bool rates = false;
  std::vector<TableRow> rows;
};

struct TablesReply {
  Ask ask = Ask::top;  // or given, totals
  Answer total;
  std::optional<Answer> second_total;  // where releases are compared
  std::vector<AnswerTable> tables;
};

struct MatrixReply {
  // What one side is divided into.
  struct Side {
    std::string stop;
    std::vector<std::string> names;
    std::vector<RegionTree> regions;
  };
  Side from, to;
  double level = 0;
  bool calibrated = false, claimed = false;  // of all entries
  Answer total;
  std::vector<Answer> entries;             // from x to, `to` fastest
  std::vector<Answer> second, difference;  // the same, where releases are compared; else none
  std::vector<Quotient> transition;        // of the trips of an entry's row
};

struct Reply {
  std::variant<CountReply, CompareReply, MinusReply, ShareReply, TablesReply, MatrixReply> of;
  OneSided one_sided;              // what of it was asked for
  std::vector<std::string> notes;  // what a reader should know, each once
  std::string not_private;         // that a release which was asked protects nobody, and why; "" where all do
};

}  // namespace stopover
