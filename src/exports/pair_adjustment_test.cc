#include "exports/pair_adjustment.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>

namespace stopover {
namespace {

class Adjusting : public testing::Test {
 protected:
  Adjusting() {
    std::vector<ZoneRecord> records;
    for (const auto& [id, district] : {std::pair{"A", "south"}, {"B", "south"}, {"C", "north"}}) {
      ZoneRecord record;
      record.id = id;
      record.groups = {district};
      records.push_back(record);
    }
    zones_ = *ZoneSet::make(records, {"district"}, ZoneForm::names);
    tree_ = SumTree::make(zones_.ids(), &zones_);
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("adjusting_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  ~Adjusting() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& text) const {
    std::ofstream(folder_ / "figures.csv", std::ios::binary) << text;
    return (folder_ / "figures.csv").string();
  }
  Result<AdjustedPairs> apply(const PairAdjustment::Wanted& wanted) {
    const Result<PairAdjustment> adjustment = PairAdjustment::make(wanted, tree_, {"home", "work"});
    if (!adjustment) return adjustment.error();
    Result<AdjustedPairs> done = adjustment->apply(estimate_);
    if (!done) return done.error();
    for (std::size_t pair = 0; pair < estimate_.size(); ++pair) {
      const Answer answer = done->of(
          pair / 3, pair % 3,
          {.estimate = estimate_[pair], .noise_lower = noise_[pair], .lower = lower_[pair], .upper = upper_[pair]});
      EXPECT_DOUBLE_EQ(answer.estimate, done->estimate[pair]);
      EXPECT_EQ(answer.claimed, wanted.fix_totals.empty());
      estimate_[pair] = answer.estimate;
      noise_[pair] = answer.noise_lower;
      lower_[pair] = answer.lower;
      upper_[pair] = answer.upper;
    }
    return done;
  }
  std::string fault(const PairAdjustment::Wanted& wanted) {
    const Result<AdjustedPairs> done = apply(wanted);
    return done ? "" : done.error().message;
  }

  ZoneSet zones_;
  SumTree tree_ = SumTree::make({"none"}, nullptr);
  std::filesystem::path folder_;
  std::vector<double> estimate_ = {10, 20.4, 0, 6.3, 0, 0, 1, 2, 3.2};
  std::vector<double> noise_ = {-1, 0, 1, 2, 3, 4, 5, 6, 7}, lower_ = {8, 18, 0, 4, 0, 0, 0, 1, 2},
                      upper_ = {12, 22, 2, 8, 2, 2, 2, 4, 5};
};

TEST_F(Adjusting, AFactorScalesEstimatesAndIntervals) {
  ASSERT_TRUE(apply({.expand = "2.5"}));
  EXPECT_EQ(estimate_[1], 51);
  EXPECT_EQ(noise_[0], -2.5);
  EXPECT_EQ(lower_[1], 45);
  EXPECT_EQ(upper_[8], 12.5);
}

TEST_F(Adjusting, FactorsAreOfTheZoneOfOrigin) {
  ASSERT_TRUE(apply({.expand = file("zone;factor\nsouth;2\nB;3\n*;10\n")}));
  EXPECT_EQ(estimate_[0], 20);
  EXPECT_DOUBLE_EQ(estimate_[3], 18.9);
  EXPECT_EQ(estimate_[7], 20);
  EXPECT_EQ(upper_[7], 40);
}

TEST_F(Adjusting, ExpandedThenFittedThenRounded) {
  const Result<AdjustedPairs> done = apply(
      {.expand = "2", .fix_totals = file("id,Homes,attractions\nA,70,\nnorth,,9\n\"B\",13,\n"), .integers = true});
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_EQ(done->whole.size(), 9U);
  EXPECT_NEAR(estimate_[0] + estimate_[1] + estimate_[2], 70, 1e-8);
  EXPECT_EQ(done->whole[0] + done->whole[1] + done->whole[2], 70);
  EXPECT_EQ(done->whole[3] + done->whole[4] + done->whole[5], 13);
  EXPECT_EQ(done->whole[2] + done->whole[5] + done->whole[8], 9);
  const double factor = done->fit->row_factor[0] * done->fit->column_factor[1];
  EXPECT_NEAR(estimate_[1], 2 * 20.4 * factor, 1e-9);
  EXPECT_NEAR(lower_[1], 2 * 18 * factor, 1e-9);
  EXPECT_NEAR(upper_[1], 2 * 22 * factor, 1e-9);
}

// No pair is larger than its row or column; where nothing was, all of it is open.
TEST_F(Adjusting, IntervalsEndAtTotals) {
  upper_[3] = 500;
  const Result<AdjustedPairs> done = apply({.fix_totals = file("zone,origins,destinations\nB,7,\nC,,50\n")});
  ASSERT_TRUE(done);
  EXPECT_EQ(upper_[3], 7);
  estimate_ = {10, 20, 0, 0, 0, 0, 1, 2, 3};
  ASSERT_TRUE(apply({.fix_totals = file("zone,origins\nB,36\n")}));
  EXPECT_DOUBLE_EQ(estimate_[3], 11);
  EXPECT_EQ(lower_[3], 0);
  EXPECT_EQ(upper_[3], 36);
}

TEST_F(Adjusting, SaysWhatIsWrong) {
  const auto has = [&](const PairAdjustment::Wanted& wanted, const std::string& words) {
    const std::string told = fault(wanted);
    EXPECT_NE(told.find(words), std::string::npos) << told;
  };
  has({.fix_totals = file("zone,origins\nsoth,3\n")}, "names \"soth\", which is no zone\n  Did you mean south?");
  has({.fix_totals = file("zone,origins\nA,3\nA,4\n")}, "has zone \"A\" twice");
  has({.fix_totals = file("zone,origins\nA,-1\n")}, "has \"-1\" as origins of zone \"A\"");
  has({.fix_totals = file("zone,origins\nA,many\n")}, "has \"many\" as origins");
  has({.fix_totals = file("zone,orgins\nA,3\n")}, "has a column \"orgins\"");
  has({.fix_totals = file("zone,origins,home\nA,3,3\n")}, "has two columns of origins");
  has({.fix_totals = file("zone\nA\n")}, "has no figures");
  has({.fix_totals = file("zone,origins,destinations\n*,3,4\n")}, "origins add up to 3, destinations to 4");
  has({.fix_totals = folder_.string() + "/none.csv"}, "none.csv` cannot be read");
  has({.expand = file("zone,factor\nA,2\nB,2\n")}, "has no factor for zone \"C\"");
  has({.expand = file("zone,factor\n*,2\nB,0\n")}, "has the factor 0 for zone \"B\"");
  has({.expand = "0"}, "`expand 0`: a factor is above 0");
  has({.expand = "-2"}, "`expand -2`: a factor is above 0");
  estimate_[0] = 1e16;
  has({.integers = true}, "too large for whole numbers");
}

}  // namespace
}  // namespace stopover
