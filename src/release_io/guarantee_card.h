// The guarantee card: what a release promises to the people in the data, in sentences for people.
#pragma once

#include <string>
#include <vector>

#include "release/release.h"

namespace stopover {

struct GuaranteeCard {
  std::string title;                     // one line: what, how much, for whom
  std::vector<std::string> promise;      // what it means, in full sentences
  std::vector<std::string> not_covered;  // what it does not promise
  bool operator==(const GuaranteeCard&) const = default;
};

// How sure someone can become, of 1, that a unit is in the data who was half sure before: e^epsilon/(1 + e^epsilon).
double belief_after(Ticks epsilon);

// "becomes at most 73 % sure", or the honest words for an epsilon so large that it says nothing.
std::string belief_sentence(Ticks epsilon, Unit unit);

// From unit, k, epsilon, spent and randomness alone: the same for every release with the same promise. A release whose
// key can be repeated, or whose randomness nobody told, promises nothing and its card says so first.
GuaranteeCard guarantee_card(const Release& release);

// "trip", "user", or of a series for people "user-month".
std::string unit_name(const Release& release);

// Whether a card promises anything: its title does not begin with "No privacy".
bool claims_privacy(const GuaranteeCard& card);

}  // namespace stopover
