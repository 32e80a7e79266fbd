#include "testing/rule_check.h"

#include <map>
#include <random>

namespace stopover {

std::string rule_fault(const RankRule& rule, std::size_t lattice, const std::vector<std::uint64_t>& boxes,
                       std::uint64_t seed) {
  const std::size_t each = rule.bands();
  std::vector<RankBand> first(boxes.size() * each);
  rule.bands_of(lattice, boxes, first);
  std::map<std::uint64_t, bool> taken;
  for (const std::uint64_t box : boxes) taken[box] = rule.sample(lattice).takes(box);
  // Asks for the boxes of these numbers in the list and compares with the first answer.
  const auto fault_of = [&](const std::vector<std::size_t>& numbers) -> std::string {
    std::vector<std::uint64_t> asked;
    for (const std::size_t number : numbers) asked.push_back(boxes[number]);
    std::vector<RankBand> bands(asked.size() * each);
    rule.bands_of(lattice, asked, bands);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const std::string box = "box " + std::to_string(asked[i]);
      if (rule.sample(lattice).takes(asked[i]) != taken[asked[i]]) return box + " is taken now and then";
      for (std::size_t band = 0; band < each; ++band) {
        const RankBand &now = bands[i * each + band], &then = first[numbers[i] * each + band];
        if (now.last != then.last || now.entry != then.entry) {
          return box + ", band " + std::to_string(band) + ": " + std::to_string(asked.size()) +
                 " boxes asked for, up to " + std::to_string(now.last) + " in entry " + std::to_string(now.entry) +
                 "; all of them, up to " + std::to_string(then.last) + " in entry " + std::to_string(then.entry);
        }
      }
    }
    return {};
  };
  for (std::size_t number = 0; number < boxes.size(); ++number) {
    if (const std::string fault = fault_of({number}); !fault.empty()) return fault;
  }
  std::mt19937_64 random(seed);
  for (int part = 0; part < 16; ++part) {
    std::vector<std::size_t> numbers;
    for (std::size_t number = 0; number < boxes.size(); ++number) {
      if (random() % 16 <= static_cast<std::uint64_t>(part)) numbers.push_back(number);
    }
    if (const std::string fault = fault_of(numbers); !fault.empty()) return fault;
  }
  return rule.bands() == each ? std::string() : "the number of bands changes";
}

}  // namespace stopover
