// Notes that replies share. Internal to this room.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "query/answer.h"
#include "query/query_engine.h"
#include "query/selection.h"

namespace stopover {

// Adds, as a note, why likely intervals asked with these options are not claimed to hold; nothing where they are, or
// there are none.
void add_claim_note(const QueryEngine& engine, const AnswerOptions& options, std::vector<std::string>& notes);
// The same, and where it is the question's doing (Answer.unclaimed).
void add_claim_note(const QueryEngine& engine, const AnswerOptions& options, const Answer& answer,
                    std::vector<std::string>& notes);

// Of the entries of a matrix: how many are not claimed by the question's doing, and why.
void add_claim_note(const QueryEngine& engine, std::span<const Answer> entries, std::vector<std::string>& notes);

// Adds that a single flow which nobody foresaw may be missing, where a box at all stops holds less than the smallest
// that is shown (query/unforeseen_flow.h) and its likely interval does not reach so far.
void add_flow_note(const QueryEngine& engine, const Selection& asked, const Answer& answer,
                   std::vector<std::string>& notes);

// The same of what is put together over several regions, which is never claimed.
void add_joined_note(const QueryEngine& engine, const AnswerOptions& options, std::vector<std::string>& notes);

// Each once, where it came first.
std::vector<std::string> each_once(const std::vector<std::string>& notes);

}  // namespace stopover
