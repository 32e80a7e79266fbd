#include "testing/adversary.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <set>

#include "base/check.h"

namespace stopover {
namespace {

constexpr double kFarthest = 1000;    // times the noise: the formulas of likelihood.h are good to 1e-12 so far out
constexpr std::size_t kWeighed = 16;  // choices among more candidates are not weighed one by one

// What is decided for one call.
struct Move {
  Tactic tactic;
  double reach;
  bool grows;
  std::mt19937_64 random;

  bool chance() { return random() % 2 == 0; }
  // Is the output to lie above the truths? They are `here` and `there`.
  bool up(i128 here, i128 there) {
    switch (tactic) {
      case Tactic::far_above:
      case Tactic::just_above:
        return true;
      case Tactic::far_below:
      case Tactic::just_below:
        return false;
      default:
        return here == there ? grows == (random() % 8 != 0) : (here > there) == (tactic == Tactic::gain);
    }
  }
  std::int64_t distance(Rate rate) {
    if (tactic == Tactic::just_above || tactic == Tactic::just_below) return 0;
    if (tactic != Tactic::far_above && tactic != Tactic::far_below && random() % 4 == 0) return 0;
    const double spread = std::exp(std::uniform_real_distribution<double>(-1, 1)(random));
    const double noises = std::min(reach * spread, kFarthest);
    return static_cast<std::int64_t>(std::ceil(noises * static_cast<double>(rate.den) / static_cast<double>(rate.num)));
  }
  std::int64_t value(Rate rate, i128 here, i128 there) {
    const i128 far = distance(rate);
    return static_cast<std::int64_t>(up(here, there) ? std::max(here, there) + far : std::min(here, there) - far);
  }
};

std::vector<i128> values(Move& move, Rate rate, const DiceCall& here, const DiceCall& there) {
  std::vector<i128> out;
  for (std::size_t i = 0; i < here.truth.size(); ++i) out.push_back(move.value(rate, here.truth[i], there.truth[i]));
  return out;
}

// Hidden and released values apart from each other, unless the law ties them.
std::vector<i128> pairs(Move& move, const DiceCall& here, const DiceCall& there) {
  const Rate fine = here.rate(), coarse = here.rate(2);
  std::vector<i128> out = values(move, fine, here, there);
  const bool tied = fine.num == coarse.num && fine.den == coarse.den;
  const std::vector<i128> released = tied ? out : values(move, coarse, here, there);
  out.insert(out.end(), released.begin(), released.end());
  return out;
}

std::vector<i128> splits(Move& move, const DiceCall& here, const DiceCall& there) {
  std::vector<i128> out;
  for (std::size_t i = 0; i < here.truth.size(); ++i) {
    out.push_back(move.up(here.truth[i], there.truth[i]));
  }
  return out;
}

i128 choice(Move& move, const DiceCall& here, const DiceCall& there) {
  const auto n = here.truth.size();
  const bool greedy = move.tactic == Tactic::gain || move.tactic == Tactic::lose;
  if (move.tactic == Tactic::just_above || move.tactic == Tactic::just_below || (greedy && here.truth == there.truth)) {
    return static_cast<i128>(move.random() % n);
  }
  std::size_t best = 0;
  long double most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    long double weight = 0;
    if (!greedy) {
      weight = static_cast<long double>(here.truth[i]) * (move.tactic == Tactic::far_above ? 1 : -1);
    } else if (n > kWeighed) {
      weight = static_cast<long double>(there.truth[i] - here.truth[i]) * (move.tactic == Tactic::gain ? 1 : -1);
    } else {
      DiceCall a = here, b = there;
      a.output = b.output = {static_cast<i128>(i)};
      weight = a.loss_against(b).lo * (move.tactic == Tactic::gain ? 1 : -1);
    }
    if (i == 0 || weight > most) {
      most = weight;
      best = i;
    }
  }
  return static_cast<i128>(best);
}

// Cell 0, cells that hold trips in either data set and some that do not. Of the values that are too small to be listed,
// only cell 0's is.
std::vector<i128> list(Move& move, const DiceCall& here, const DiceCall& there) {
  const auto threshold = static_cast<std::int64_t>(here.parameters[2]);
  const auto cells = static_cast<std::uint64_t>(here.parameters[3]);
  const auto own = by_cell(here.truth), other = by_cell(there.truth);
  std::set<i128> looked_at = {0};
  for (const auto& [cell, count] : own) looked_at.insert(cell);
  for (const auto& [cell, count] : other) looked_at.insert(cell);
  for (int i = move.tactic == Tactic::far_below ? 4 : 0; i < 4; ++i) {
    looked_at.insert(static_cast<i128>(move.random() % cells));
  }
  std::vector<i128> out;
  for (const i128 cell : looked_at) {
    const auto truth_of = [&](const std::map<i128, std::int64_t>& truths) {
      const auto found = truths.find(cell);
      return found == truths.end() ? std::int64_t{0} : found->second;
    };
    std::int64_t value = move.value(here.rate(), truth_of(own), truth_of(other));
    // A value speaks as loudly on the far side of the threshold.
    if (move.tactic != Tactic::far_below && move.chance()) {
      value = value >= 0 ? std::max(value, threshold) : std::min(value, -threshold);
    }
    if (cell == 0 || value >= threshold || value <= -threshold) out.insert(out.end(), {cell, value});
  }
  return out;
}

// Few different ones: what a plan may choose from is then as unlike as can be.
std::vector<i128> words(Move& move, std::size_t size) {
  const std::uint64_t kind = move.random() % 4, one = move.random(), other = move.random();
  std::vector<i128> out;
  for (std::size_t i = 0; i < size; ++i) {
    out.push_back(kind == 0 ? one : kind == 1 ? move.random() : move.chance() ? one : other);
  }
  return out;
}

}  // namespace

Adversary::Adversary(Tactic tactic, std::uint64_t seed) : tactic_(tactic), seed_(seed) {
  std::mt19937_64 random(seed);
  const double farthest = random() % 4 == 0 ? kFarthest : 10;
  reach_ = std::exp(std::uniform_real_distribution<double>(std::log(0.3), std::log(farthest))(random));
  grows_ = random() % 2 == 0;
}

std::vector<i128> Adversary::answer(const CallLabel& label, const DiceCall& here, const DiceCall& there,
                                    std::size_t size) const {
  std::uint64_t head = 0;
  std::memcpy(&head, label.node.data(), sizeof(head));
  std::mt19937_64 random(seed_ ^ head ^ (static_cast<std::uint64_t>(label.call) << 32) ^ label.purpose);
  const Tactic tactic = tactic_ == Tactic::mixed ? static_cast<Tactic>(random() % (kTactics - 1)) : tactic_;
  Move move{tactic, reach_, grows_, std::move(random)};
  switch (here.purpose) {
    case Purpose::count:
      return values(move, here.rate(), here, there);
    case Purpose::choose:
      return {choice(move, here, there)};
    case Purpose::coin:
      return words(move, size);
    case Purpose::grow:
      return splits(move, here, there);
    case Purpose::gradual:
      return pairs(move, here, there);
    case Purpose::sparse:
      return list(move, here, there);
  }
  check_failed(__FILE__, __LINE__, "a primitive without a tactic");
}

}  // namespace stopover
