#include "question/zone_gain.h"

#include <gtest/gtest.h>

#include "geo/json.h"
#include "question/question_json.h"
#include "release/sample_release.h"

namespace stopover {
namespace {

Domain two_stops(std::uint32_t hours) {
  std::vector<Axis> axes;
  for (const char* stop : {"o", "d"}) {
    axes.push_back({std::string(stop) + "_lng", 16, AxisKind::longitude, -122.52, -122.36, {}});
    axes.push_back({std::string(stop) + "_lat", 8, AxisKind::latitude, 37.7, 37.82, {}});
  }
  std::vector<Stop> stops = {{"origin", {0, 1}}, {"destination", {2, 3}}};
  if (hours > 1) {
    axes.push_back({"hour", hours, AxisKind::number, 0, static_cast<double>(hours), {}});
    stops[1].axes.push_back(4);
  }
  return *Domain::make(axes, stops);
}

QueryEngine engine(Ticks epsilon, std::uint32_t k = 1, std::uint32_t hours = 1) {
  Release release = sample::over(two_stops(hours), kTicksPerEpsilon);
  Table table = sample::table("joint", {0, 1, 2, 3}, kTicksPerEpsilon);
  if (hours > 1) table.axes.push_back(4);
  table.append(release.domain.whole(), -1, 1000, kTicksPerEpsilon, 0);
  release.tables.push_back(std::move(table));
  sample::settle(release);
  release.epsilon = epsilon;
  release.k = k;
  return *QueryEngine::make(release);
}

Answer pair(double estimate, double half) {
  Answer answer;
  answer.estimate = estimate;
  answer.lower = estimate - half;
  answer.upper = estimate + half;
  answer.calibrated = true;
  return answer;
}

std::string note_of(const ZoneGain& gain) { return gain.note().value_or(""); }

// Most pairs are empty and known to a trip; most trips are in pairs that are known to a hundred.
TEST(ZoneGain, IsAboutThePairOfATypicalTrip) {
  const QueryEngine grid = engine(kTicksPerEpsilon);
  ZoneGain gain(grid, 0.95);
  EXPECT_EQ(note_of(gain), "");
  for (int i = 0; i < 1000; ++i) gain.add(pair(0.1, 1));
  gain.add(pair(500, 100));
  gain.add(pair(300, 300));
  gain.add(pair(90, 20));
  // ln(20)/0.7 = 4.28.
  EXPECT_NE(note_of(gain).find("a busy pair would be within about 4.3 trips; this one counts on a grid, and the pair "
                               "of a typical trip is within about 10"),
            std::string::npos)
      << note_of(gain);
}

TEST(ZoneGain, FollowsEpsilonUnitAndLevel) {
  const auto told = [](const QueryEngine& of, double level) {
    ZoneGain gain(of, level);
    gain.add(pair(5000, 4000));
    return note_of(gain);
  };
  EXPECT_NE(told(engine(kTicksPerEpsilon / 10), 0.95).find("within about 43 trips"), std::string::npos);
  EXPECT_NE(told(engine(kTicksPerEpsilon, 50), 0.95).find("within about 210 trips"), std::string::npos);
  EXPECT_NE(told(engine(kTicksPerEpsilon), 0.8).find("within about 2.3 trips"), std::string::npos);
  EXPECT_NE(told(engine(50 * kTicksPerEpsilon), 0.95).find("within about 0.09 trips"), std::string::npos)
      << told(engine(50 * kTicksPerEpsilon), 0.95);
  EXPECT_NE(told(engine(kTicksPerEpsilon, 1, 24), 0.95).find("within about 21 trips"), std::string::npos);
}

TEST(ZoneGain, IsSilentWhereZonesWouldNotHelp) {
  const QueryEngine grid = engine(kTicksPerEpsilon);
  ZoneGain gain(grid, 0.95);
  gain.add(pair(500, 5.2));  // less than 1.25 times 4.28
  EXPECT_EQ(note_of(gain), "");
  ZoneGain worth_it(grid, 0.95);
  worth_it.add(pair(500, 5.6));
  EXPECT_NE(note_of(worth_it), "");
}

// Bounds hold wherever trips lie: they are no measure of how far an answer is off.
TEST(ZoneGain, TakesTheNoiseWhereThereIsNoLikelyInterval) {
  const QueryEngine grid = engine(kTicksPerEpsilon);
  ZoneGain gain(grid, 0.95);
  Answer answer = pair(500, 400);
  answer.calibrated = answer.aligned = false;
  answer.noise_lower = 480;
  answer.noise_upper = 520;
  gain.add(answer);
  EXPECT_NE(note_of(gain).find("is at best within about 20"), std::string::npos) << note_of(gain);
}

TEST(ZoneGain, IsForTwoStops) {
  const QueryEngine three = *QueryEngine::make(sample::city());
  ZoneGain gain(three, 0.95);
  gain.add(pair(500, 400));
  EXPECT_EQ(note_of(gain), "");
}

// A matrix between zones says it; one between tiles does not.
TEST(ZoneGain, IsANoteOfTheMatrix) {
  const std::string west = R"({"type": "Feature", "properties": {"name": "west"}, "geometry": {"type": "Polygon",
    "coordinates": [[[-122.52, 37.7], [-122.443, 37.7], [-122.443, 37.82], [-122.52, 37.82], [-122.52, 37.7]]]}})";
  const std::string question = R"({"ask": "matrix", "from": "origin", "to": "destination")";
  const QueryEngine grid = engine(50 * kTicksPerEpsilon);
  const auto notes = [&](const std::string& more) {
    return parse_json(answer_question(grid, question + more + "}", nullptr))["notes"].dump();
  };
  EXPECT_NE(notes(R"(, "zones": {"type": "FeatureCollection", "features": [)" + west + "]}").find("of these zones"),
            std::string::npos);
  EXPECT_EQ(notes("").find("of these zones"), std::string::npos);
}

}  // namespace
}  // namespace stopover
