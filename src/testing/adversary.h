// Adversary: chooses what a run answers, in place of chance, to make two neighbouring data sets as easy to tell apart
// as can be.
//
// Any output of positive probability may happen, and the promise is about all of them. Drawn outputs lie near the
// truth; these do not. The adversary sees a call as both data sets make it, with both truths.
#pragma once

#include <cstdint>
#include <vector>

#include "testing/dice_call.h"

namespace stopover {

enum class Tactic {
  far_above,   // counts far above both truths, trees grow to the end, the least likely choice, many cells listed
  far_below,   // counts far below both truths, no tree grows, the likeliest choice, nothing listed that need not be
  just_above,  // counts at the larger truth, which tells as much as far above; the rest by chance
  just_below,  // counts at the smaller truth; the rest by chance
  gain,        // whatever speaks most for the first data set; where both are alike, chance
  lose,        // whatever speaks most for the second
  mixed,       // one of the others for every call
};
inline constexpr int kTactics = 7;

class Adversary {
 public:
  // The seed decides what a tactic leaves open: how far is far, what is answered where both truths are the same.
  Adversary(Tactic tactic, std::uint64_t seed);

  // An output of `size` numbers, as DiceCall has it, that has positive probability on both. Depends on nothing else.
  // `here`, `there`: the call on the first and on the second data set, of equal parameters and sizes.
  std::vector<i128> answer(const CallLabel& label, const DiceCall& here, const DiceCall& there, std::size_t size) const;

 private:
  Tactic tactic_;
  std::uint64_t seed_;
  double reach_;  // how far is far, in units of the noise
  bool grows_;    // where both truths are the same: counts mostly above, trees mostly grow
};

}  // namespace stopover
