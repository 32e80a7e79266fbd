#include "release_io/guarantee_card.h"

#include <gtest/gtest.h>

#include <cmath>

#include "release/sample_release.h"

namespace stopover {
namespace {

bool says(const std::vector<std::string>& sentences, const std::string& part) {
  for (const std::string& sentence : sentences) {
    if (sentence.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(GuaranteeCard, SaysWhatEpsilonMeans) {
  EXPECT_NEAR(belief_after(kTicksPerEpsilon), 0.7310585786300049, 1e-15);
  EXPECT_NE(belief_sentence(kTicksPerEpsilon, Unit::user)
                .find("Someone 50 % sure that you are in the data becomes at most 73 % sure"),
            std::string::npos);
  EXPECT_NE(belief_sentence(100'000'000, Unit::user).find("at most 52 % sure"), std::string::npos);
  EXPECT_NE(belief_sentence(100'000'000, Unit::trip).find("that a certain trip is in the data"), std::string::npos);
  EXPECT_NE(belief_sentence(10 * kTicksPerEpsilon, Unit::user).find("promises very little"), std::string::npos);
}

TEST(GuaranteeCard, NamesTheUnit) {
  const GuaranteeCard user = guarantee_card(sample::city());
  EXPECT_EQ(user.title, "Pure differential privacy with epsilon 1 for one person with at most 4 trips in the data.");
  EXPECT_TRUE(says(user.promise, "differ by all trips of one person added or removed"));
  EXPECT_TRUE(says(user.promise, "73 % sure"));
  const GuaranteeCard trip = guarantee_card(sample::paper(0, 0, 0));
  EXPECT_EQ(trip.title, "Pure differential privacy with epsilon 0.1 for one trip.");
  EXPECT_TRUE(says(trip.promise, "not one person"));
}

Release of_periods(Unit unit, const std::string& period) {
  Release release = unit == Unit::user ? sample::city() : sample::paper(0, 0, 0);
  release.epsilon = release.spent = kTicksPerEpsilon / 2;
  release.params.emplace_back("period", period);
  release.params.emplace_back("budget_per_year", "12");
  if (unit == Unit::user) release.params.emplace_back("unit_period", "month");
  return release;
}

// Somebody in all periods of one release is as many units: nothing may say that their epsilon is that of one.
TEST(GuaranteeCard, OfSeveralPeriodsInOneSaysWhatTheyComeToForAPerson) {
  const Release year = of_periods(Unit::user, "2019-01..2019-12");
  const GuaranteeCard card = guarantee_card(year);
  EXPECT_EQ(card.title,
            "Pure differential privacy with epsilon 0.5 for what one person does in one month, with at most 4 trips in "
            "it; epsilon 6 for a person in all of its 12 months.");
  for (const char* part :
       {"covers 12 months, 2019-01..2019-12", "your at most 48 trips", "protected at epsilon 6 by this release alone",
        "your trips of that month are in the data, who knows all of your other months, becomes at most 62 % sure",
        "that you are in the data may become more than 99 % sure", "no year more than 12"}) {
    EXPECT_TRUE(says(card.promise, part)) << part;
  }
  for (const char* part : {"that you are in the data becomes", "12 such releases"})
    EXPECT_FALSE(says(card.promise, part)) << part;
  const std::vector<std::string> beliefs = belief_sentences(year);
  ASSERT_EQ(beliefs.size(), 2u);
  EXPECT_TRUE(beliefs[1].starts_with("Of a person in all 12 months: Someone 50 %")) << beliefs[1];
  const std::optional<PersonInAll> all = person_in_all(year);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->epsilon, 6 * kTicksPerEpsilon);
  EXPECT_EQ(all->trips, 48u);
  EXPECT_TRUE(says(guarantee_card(of_periods(Unit::user, "2019-01..2019-03")).promise,
                   "that you are in the data becomes at most 82 % sure"));
  for (const char* one : {"2019-01", "no period"}) EXPECT_FALSE(person_in_all(of_periods(Unit::user, one))) << one;
  EXPECT_FALSE(person_in_all(of_periods(Unit::trip, "2019-01..2019-12")));
  const GuaranteeCard month = guarantee_card(of_periods(Unit::user, "2019-01"));
  EXPECT_TRUE(says(month.promise, "a year of 12 such releases is at most 6"));
}

// A trip lies in one period, but in every release that holds this period.
TEST(GuaranteeCard, OfTripsNamesReleasesThatHoldThemTwice) {
  const GuaranteeCard month = guarantee_card(of_periods(Unit::trip, "2019-01"));
  EXPECT_TRUE(says(month.promise, "the releases of other single periods tell nothing more about it"));
  EXPECT_TRUE(says(month.promise, "several periods that include this one tells more: their epsilons add up"));
  const GuaranteeCard before = earlier_guarantee_card(of_periods(Unit::trip, "2019-01"));
  EXPECT_TRUE(says(before.promise, "the releases of other periods tell nothing more about it. A trip over the border"));
  EXPECT_EQ(before.promise.size(), month.promise.size());
  const GuaranteeCard year = guarantee_card(of_periods(Unit::trip, "2019-01..2019-12"));
  EXPECT_TRUE(says(year.promise, "one release over 12 months, 2019-01..2019-12"));
  EXPECT_TRUE(says(year.promise, "tell more about the same trip: their epsilons add up"));
  EXPECT_FALSE(says(year.promise, "tell nothing more"));
}

// Of a release that protects nobody, in no sentence may anything be promised.
TEST(GuaranteeCard, PromisesNothingUnlessTheRandomnessIsTheSystems) {
  EXPECT_TRUE(claims_privacy(guarantee_card(sample::city())));
  for (const Randomness& randomness : {Randomness::repeatable("a <key>"), Randomness::repeatable(""), Randomness()}) {
    Release release = sample::city();
    release.randomness = randomness;
    const GuaranteeCard card = guarantee_card(release);
    EXPECT_TRUE(card.title.starts_with("No privacy")) << card.title;
    EXPECT_FALSE(claims_privacy(card));
    EXPECT_TRUE(card.promise.front().starts_with("Nothing.")) << card.promise.front();
    for (const char* part : {"ifferential privacy", "% sure", "is protected", "is covered", "times as likely"}) {
      EXPECT_EQ(card.title.find(part), std::string::npos) << card.title;
      EXPECT_FALSE(says(card.promise, part)) << part;
      EXPECT_FALSE(says(card.not_covered, part)) << part;
    }
  }
  Release release = sample::city();
  release.randomness = Randomness::repeatable("a <key>");
  EXPECT_NE(guarantee_card(release).title.find("repeatable key (a <key>)"), std::string::npos);
}

TEST(GuaranteeCard, SaysWhatIsNotCovered) {
  const GuaranteeCard card = guarantee_card(sample::city());
  for (const char* part : {"bounding box", "curator's machine", "How long", "stream cipher", "epsilons add up"}) {
    EXPECT_TRUE(says(card.not_covered, part)) << part;
  }
}

}  // namespace
}  // namespace stopover
