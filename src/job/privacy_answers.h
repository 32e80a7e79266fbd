// PrivacyAnswers: what a release answers to the points by which a promise of differential privacy is judged (NIST SP
// 800-226, "Guidelines for Evaluating Differential Privacy Guarantees"). From the release alone: public, the same for
// everybody.
#pragma once

#include <string>
#include <vector>

#include "release/release.h"

namespace stopover {

struct PrivacyAnswer {
  std::string id;      // "unit_of_privacy"
  std::string point;   // "Unit of privacy"
  std::string answer;  // in full sentences
};

std::vector<PrivacyAnswer> privacy_answers(const Release& release);

}  // namespace stopover
