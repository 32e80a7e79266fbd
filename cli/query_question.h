// The flags of `query` as a Question, and replies as text for people.
#pragma once

#include <string>
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

// The rows of a table, or the pairs of a matrix, with their intervals. REQUIRES: the reply has some.
std::string csv_of_reply(const Reply& reply);

// What a person reads.
std::string text_of_reply(const Reply& reply, const Terminal& terminal);

}  // namespace stopover
