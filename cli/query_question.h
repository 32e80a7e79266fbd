// The flags of `query` as a Question, and replies as text for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/terminal.h"
#include "question/question.h"

namespace stopover {

struct QueryFlags {
  std::string box, range, estimates = "consistent", level = "0.95";
  std::vector<std::string> stops;  // NAME=REGION
  std::vector<std::string> any_stop, no_stop;
  std::string in_order;
  std::string zones, zone_name, spec;
  std::string top, given, matrix, share_of, over, tiles, above;
  std::vector<std::string> minus;  // NAME=REGION
  bool share = false, totals = false, overlaps = false, together = false;
  bool at_least = false, at_most = false;

  // Whether anything but --box, --range, --estimates and --level was given.
  bool asks_regions() const;
};

// Reads the files that flags name. Fails (usage, bad_input) naming flag or file.
Result<Question> question_of(const QueryFlags& flags);

// The question that --spec names, as text.
Result<std::string> spec_text(const std::string& path);

// What stands before the columns of a table: their names and values.
using CsvPrefix = std::vector<std::pair<std::string, std::string>>;

// Whether it has rows for a table: not a single number or share.
bool has_rows(const Reply& reply);
// The rows of a table, or the pairs of a matrix, with their intervals; without a header where it stands already.
// REQUIRES: has_rows.
std::string csv_of_reply(const Reply& reply, const CsvPrefix& prefix = {}, bool header = true);

// What a person reads.
std::string text_of_reply(const Reply& reply, const Terminal& terminal);
// The same without the notes, and these.
std::string body_of_reply(const Reply& reply, const Terminal& terminal);
std::string notes_text(const std::vector<std::string>& notes);

// Pieces of both, for series: a line of a table, the numbers of an answer in it and their names, lines as wide as they
// need to be (the first `left` columns to the left), the kind of an interval, what is said of one side, a ratio.
std::string csv_line(const std::vector<std::string>& fields);
void add_numbers(const Answer& a, std::vector<std::string>& fields);
void add_names(const std::string& before, std::vector<std::string>& names);
std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t left);
std::string claim_of(bool claimed, const std::string& level);
std::string answer_text(const Answer& a, const Terminal& terminal);
// The same of a sum over releases, of which noise is never all that is open.
std::string sum_text(const Answer& a, const Terminal& terminal);
std::string one_sided_text(const OneSided& sides);
std::string ratio_text(const CountRatio& r, const char* name);
std::string name_of(const RegionTree& region);

}  // namespace stopover
