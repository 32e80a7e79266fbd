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
