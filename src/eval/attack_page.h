// The attack as one page for a board: no script, no network, light and dark, on paper too.
#pragma once

#include <string>

#include "eval/attack.h"

namespace stopover {

struct AttackPageFacts {
  std::string release;      // its name
  double printed_rate = 0;  // how often the same guess is right against the paper's selection as printed
  double printed_epsilon = 0;
};

std::string attack_html(const AttackReport& report, const AttackPageFacts& facts);

}  // namespace stopover
