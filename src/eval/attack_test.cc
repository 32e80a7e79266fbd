#include "eval/attack.h"

#include <gtest/gtest.h>

#include <cmath>

#include "eval/attack_page.h"
#include "eval/printed_selection.h"
#include "eval/trip_list.h"
#include "testing/trips.h"

namespace stopover {
namespace {

// Some hundreds of trips in two clusters, and a few by themselves.
Matrix town() {
  Trips trips;
  trips.shape = {8, 8, 8, 8};
  NumberSequence numbers(5);
  for (std::uint32_t i = 0; i < 600; ++i) {
    const auto near = [&](std::uint32_t at) { return at + static_cast<std::uint32_t>(numbers.below(2)); };
    const std::uint32_t at = i % 3 == 0 ? 5 : 1;
    trips.cells.push_back({near(at), near(at), near(6 - at), near(6 - at)});
  }
  for (std::uint32_t i = 0; i < 8; ++i) trips.cells.push_back({i, 7 - i, i, i});
  return trips.matrix();
}

AttackSpec spec_of(const char* mechanism, double epsilon, std::uint32_t k = 1) {
  AttackSpec spec;
  spec.mechanism = find_mechanism(mechanism);
  spec.params = *read_params(*spec.mechanism, {});
  spec.epsilon = static_cast<Ticks>(epsilon * kTicksPerEpsilon);
  spec.k = k;
  spec.unit = k > 1 ? Unit::user : Unit::trip;
  spec.runs = 24;
  spec.links = 400;
  return spec;
}

TEST(TripList, NumbersTripsCellByCell) {
  const Matrix matrix = filled({4}, {2, 0, 3}).matrix();
  const TripList list(matrix);
  ASSERT_EQ(list.size(), 5u);
  EXPECT_EQ(list.cell(0), std::vector<std::uint32_t>{0});
  EXPECT_EQ(list.cell(1), std::vector<std::uint32_t>{0});
  EXPECT_EQ(list.cell(2), std::vector<std::uint32_t>{2});
  EXPECT_EQ(list.cell(4), std::vector<std::uint32_t>{2});
  EXPECT_EQ(count_at(matrix, {1}), 0u);
  const Matrix more = with_trips(matrix, {1}, 2);
  EXPECT_EQ(count_at(more, {1}), 2u);
  EXPECT_EQ(more.total(), 7u);
  NumberSequence numbers(1);
  const auto [first, second] = halves(matrix, numbers);
  EXPECT_EQ(first.total() + second.total(), 5u);
  for (std::uint32_t cell = 0; cell < 4; ++cell)
    EXPECT_EQ(count_at(first, {cell}) + count_at(second, {cell}), count_at(matrix, {cell}));
}

class AttackEvery : public ::testing::TestWithParam<const char*> {};

TEST_P(AttackEvery, TheAttackerSeesSomethingAndNeverMoreThanThePromise) {
  for (const double epsilon : {0.5, 3.0}) {
    const Result<AttackReport> report = attack(town(), spec_of(GetParam(), epsilon));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_NEAR(report->bound, 1 / (1 + std::exp(-epsilon)), 1e-12);
    EXPECT_TRUE(report->within());
    ASSERT_EQ(report->people.size(), 4u);
    double surest = 0;
    for (const Membership& m : report->people) {
      EXPECT_EQ(m.runs, 24u);
      EXPECT_LE(m.success, report->bound + 1e-9) << m.who;
      EXPECT_GE(m.success, 0.5) << m.who;
      surest = std::max(surest, m.surest);
    }
    // Blind attackers prove nothing: somebody's release came near to what the promise allows.
    EXPECT_GT(surest, 0.5 + 0.8 * (report->bound - 0.5)) << GetParam() << " " << epsilon;
    EXPECT_EQ(report->linking.asked, 400u);
    EXPECT_GT(report->linking.without_noise, 0.6);
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, AttackEvery, ::testing::Values("identity", "daf-homogeneity", "anchor"));

TEST(Attack, PeopleOfSeveralTripsAreProtectedTogether) {
  const Result<AttackReport> report = attack(town(), spec_of("anchor", 1, 4));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->within());
}

// What claims less than it spends is seen.
TEST(Attack, ABrokenPromiseIsSeen) {
  AttackReport report = *attack(town(), spec_of("identity", 2));
  report.bound = 1 / (1 + std::exp(-0.5));  // as if it had claimed a quarter of what it spent
  EXPECT_FALSE(report.within());
  EXPECT_NE(attack_html(report, {"x.odr", 0, 0}).find("THE PROMISE IS BROKEN"), std::string::npos);
}

TEST(Attack, ThePapersSelectionAsPrintedIsBroken) {
  const double allowed = 1 / (1 + std::exp(-0.1));
  EXPECT_GT(guess_rate(printed_selection(printed_scale(0.1, 10), 10, 3.5), 40'000), allowed + 0.1);
  // With the noise that its sensitivity asks for, the same guess stays within the promise (two standard errors).
  EXPECT_LT(guess_rate(printed_selection(4 / 0.1, 10, 3.5), 40'000), allowed + 0.005);
}

TEST(Attack, ThePageSaysIt) {
  const Result<AttackReport> report = attack(town(), spec_of("anchor", 1));
  ASSERT_TRUE(report);
  const std::string page = attack_html(*report, {"<city>.odr", 0.8, 0.1});
  for (const char* words : {"&lt;city&gt;.odr", "alone on their way", "where nobody goes", "the promise allows 73.1 %",
                            "No guess was surer", "as printed", "trips that were not"})
    EXPECT_NE(page.find(words), std::string::npos) << words;
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);
}

TEST(Attack, TooFewTripsAreRefused) {
  const Result<AttackReport> report = attack(filled({4, 4}, {3}).matrix(), spec_of("identity", 1));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().failure, Failure::usage);
}

}  // namespace
}  // namespace stopover
