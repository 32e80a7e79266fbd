#include "exports/largest_pairs.h"

#include <algorithm>
#include <cmath>

namespace stopover {
namespace {

constexpr std::size_t kBlock = 65'536;  // pairs that are asked for at once
constexpr std::size_t kRoom = 100'000;  // of pairs that are found to be too small later on

}  // namespace

Result<LargestPairs> LargestPairs::of(const ZoneFlows& flows, std::size_t from, std::size_t to, const Wanted& wanted,
                                      const std::function<Status()>& check) {
  if (Status s = flows.check_pairs(false); !s) return s.error();
  const std::size_t n = flows.zones(), block = std::max<std::size_t>(1, kBlock / std::max<std::size_t>(1, n));
  LargestPairs found;
  const auto cut_to_size = [&] {
    std::stable_sort(found.pairs.begin(), found.pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.estimate > b.estimate; });
    for (std::size_t i = wanted.most; i < found.pairs.size(); ++i) {
      ++found.left_out;
      found.trips_left_out += found.pairs[i].estimate;
    }
    if (found.pairs.size() > wanted.most) found.pairs.resize(wanted.most);
  };
  for (std::size_t first = 0; first < n; first += block) {
    if (Status s = check(); !s) return s.error();
    const std::size_t last = std::min(n, first + block);
    const std::vector<Answer> answers = flows.rows(from, first, last, to, HUGE_VAL);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const Pair pair{first + i / n, i % n, answers[i].estimate};
      if (!(pair.estimate > 0)) continue;
      if (pair.estimate >= wanted.least && (wanted.stays || pair.from != pair.to)) {
        found.pairs.push_back(pair);
      } else {
        ++found.left_out;
        found.trips_left_out += pair.estimate;
      }
    }
    if (wanted.most < SIZE_MAX - kRoom && found.pairs.size() > wanted.most + kRoom) cut_to_size();
  }
  cut_to_size();
  return found;
}

}  // namespace stopover
