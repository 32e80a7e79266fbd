#include "testing/rule_check.h"

#include <gtest/gtest.h>

#include <numeric>

#include "testing/table_rule.h"

namespace stopover {
namespace {

std::vector<std::uint64_t> some_boxes() {
  std::vector<std::uint64_t> boxes(40);
  std::iota(boxes.begin(), boxes.end(), 7);
  return boxes;
}

// Rules that break the contract, each in a way of its own.
class BadRule final : public RankRule {
 public:
  enum class Vice { counts_calls, looks_around, sums_in_another_order, samples_by_mood };
  explicit BadRule(Vice vice) : vice_(vice) {}

  BoxSample sample(std::size_t) const override {
    return {0, vice_ != Vice::samples_by_mood || ++calls_ % 2 == 0 ? BoxSample::kAll : 0};
  }
  std::size_t bands() const override { return 1; }
  void bands_of(std::size_t, std::span<const std::uint64_t> boxes, std::span<RankBand> out) const override {
    double sum = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      out[i] = {boxes[i], 0};
      if (vice_ == Vice::counts_calls) out[i].last = ++calls_;
      if (vice_ == Vice::looks_around) out[i].last = boxes.size();
      // The box's own share got back from a running sum: right but for rounding.
      const double before = sum;
      sum += 0.1 * static_cast<double>(boxes[i]);
      if (vice_ == Vice::sums_in_another_order) out[i].last = static_cast<std::uint64_t>((sum - before) * 1e15);
    }
  }

 private:
  Vice vice_;
  mutable std::uint64_t calls_ = 0;
};

TEST(RuleCheck, AFunctionOfTheBoxPasses) {
  const TableRule rule({{{1, 0}, {9, 1}}, {{0, 0}, {3, RankBand::kNoEntry}}}, 5);
  for (std::size_t lattice = 0; lattice < 3; ++lattice) EXPECT_EQ(rule_fault(rule, lattice, some_boxes(), lattice), "");
  EXPECT_EQ(rule_fault(rule, 0, {}, 1), "");
}

TEST(RuleCheck, StateOtherBoxesAndRoundingAreSeen) {
  for (const auto vice :
       {BadRule::Vice::counts_calls, BadRule::Vice::looks_around, BadRule::Vice::sums_in_another_order}) {
    EXPECT_NE(rule_fault(BadRule(vice), 0, some_boxes(), 1).find("band 0"), std::string::npos)
        << static_cast<int>(vice);
  }
  EXPECT_NE(rule_fault(BadRule(BadRule::Vice::samples_by_mood), 0, some_boxes(), 1).find("now and then"),
            std::string::npos);
}

}  // namespace
}  // namespace stopover
