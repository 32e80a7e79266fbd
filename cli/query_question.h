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
  std::string zones, zone_name, spec;
  std::string top, given, matrix, share_of, over, tiles;
  bool share = false, totals = false, overlaps = false, together = false;

  // Whether anything but --box, --range, --estimates and --level was given.
  bool asks_regions() const;
};

// Reads the files that flags name. Fails (usage, bad_input) naming flag or file.
Result<Question> question_of(const QueryFlags& flags);

// What a person reads.
std::string text_of_reply(const Reply& reply, const Terminal& terminal);

}  // namespace stopover
