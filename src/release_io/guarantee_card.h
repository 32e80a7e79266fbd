// The guarantee card: what a release promises to the people in the data, in sentences for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/period.h"
#include "release/release.h"

namespace stopover {

struct GuaranteeCard {
  std::string title;                     // one line: what, how much, for whom
  std::vector<std::string> promise;      // what it means, in full sentences
  std::vector<std::string> not_covered;  // what it does not promise
  bool operator==(const GuaranteeCard&) const = default;
};

// Of one release over several periods whose unit is what a person does in one of them: who travels in all is so many
// units, and their losses add (AUDIT.md, Periods).
struct PersonInAll {
  PeriodKind kind = PeriodKind::month;
  std::int64_t periods = 0;
  Ticks epsilon = 0, spent = 0;  // of all periods
  std::uint64_t trips = 0;       // at most
};

// Nothing for any other release.
std::optional<PersonInAll> person_in_all(const Release& release);

// "one trip", "what one person does in one month, with at most 3 trips in it".
std::string unit_in_words(const Release& release);

// How sure someone can become, of 1, that a unit is in the data who was half sure before: e^epsilon/(1 + e^epsilon).
double belief_after(Ticks epsilon);

// "becomes at most 73 % sure", or the honest words for an epsilon so large that it says nothing.
std::string belief_sentence(Ticks epsilon, Unit unit);

// The same of a release; of one over several periods a sentence for a period, and one for a person in all of them.
std::vector<std::string> belief_sentences(const Release& release);

// From unit, k, epsilon, spent, randomness and periods alone: the same for every release with the same promise. A
// release whose key can be repeated, or whose randomness nobody told, promises nothing and its card says so first.
GuaranteeCard guarantee_card(const Release& release);

// The same in the words of before releases over several periods were named; for verifying what was published then.
GuaranteeCard earlier_guarantee_card(const Release& release);

// "trip", "user", or of a series for people "user-month".
std::string unit_name(const Release& release);

// Whether a card promises anything: its title does not begin with "No privacy".
bool claims_privacy(const GuaranteeCard& card);

}  // namespace stopover
