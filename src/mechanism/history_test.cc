// A release that leans on earlier ones: what it may change, what it must not, and what it is worth.
#include "mechanism/history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "matrix/matrix.h"
#include "mechanism/drift_filter.h"
#include "mechanism/history_filter.h"
#include "mechanism/mechanism.h"
#include "mechanism/place_forecast.h"
#include "mechanism/prior.h"
#include "privacy/stream_dice.h"
#include "query/answerer.h"
#include "query/leaf_shares.h"
#include "synthetic/generate.h"
#include "testing/proof.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

constexpr std::uint32_t kWidth = 64;

Domain grid() { return *Domain::of_shape({kWidth, kWidth, kWidth, kWidth}); }

// Trips between ten places, some flows busier than others; the same places in every period.
Matrix period(std::uint64_t seed, std::size_t trips, std::size_t station = 0) {
  std::mt19937_64 places(11), random(seed);
  std::vector<std::array<std::uint32_t, 2>> at;
  for (int i = 0; i < 10; ++i)
    at.push_back({static_cast<std::uint32_t>(places() % kWidth), static_cast<std::uint32_t>(places() % kWidth)});
  MatrixBuilder builder(grid());
  for (std::size_t i = 0; i < trips; ++i) {
    const std::size_t from = random() % 10, to = (from + 1 + random() % 3) % 10;
    builder.add(std::vector<std::uint32_t>{at[from][0], at[from][1], at[to][0], at[to][1]}, 1);
  }
  if (station > 0) builder.add(std::vector<std::uint32_t>{2, 61, 33, 5}, station);
  return std::move(builder).build();
}

Release publish_one(const Matrix& matrix, double epsilon, const std::string& key,
                    std::shared_ptr<const History> history) {
  const Mechanism& anchor = *find_mechanism("anchor");
  Params params = *read_params(anchor, {});
  params.set_history(std::move(history));
  StreamDice dice(test_key(key));
  Kernel kernel(matrix, dice, static_cast<Ticks>(epsilon * 1e9), 1);
  return run_mechanism(anchor, params, kernel, Unit::trip);
}

std::shared_ptr<const History> history_of(const std::vector<Release>& releases) {
  auto history = std::make_shared<History>();
  for (const Release& release : releases) history->past.push_back(std::make_shared<const PastRelease>(release));
  return history;
}

Box random_box(std::mt19937_64& random) {
  std::vector<Interval> sides;
  for (int axis = 0; axis < 4; ++axis) {
    const auto a = static_cast<std::uint32_t>(random() % kWidth), b = static_cast<std::uint32_t>(random() % kWidth);
    sides.push_back({std::min(a, b), std::max(a, b) + 1});
  }
  return Box(sides);
}

TEST(History, AReleaseThatLeansIsARelease) {
  const Release first = publish_one(period(1, 4000), 1, "first", nullptr);
  const Release second = publish_one(period(2, 4000), 1, "second", history_of({first}));
  const Status kept = check_release(second);
  ASSERT_TRUE(kept) << kept.error().message;
  // Rows that history added were not measured, and none of them costs anything.
  std::size_t added = 0;
  for (std::size_t row = 0; row < second.tables[0].rows(); ++row) added += second.tables[0].row_ticks[row] == 0;
  EXPECT_GT(added, 100U);
  EXPECT_EQ(second.tables[1].lo, second.tables[2].lo) << "stops that are mapped together have the same boxes";
  EXPECT_EQ(second, publish_one(period(2, 4000), 1, "second", history_of({first}))) << "the same bits again";
  EXPECT_LE(second.spent, second.epsilon);
}

// What a later release reads of an earlier one is what everybody reads of it.
TEST(History, ForecastsAreAnswers) {
  const Release first = publish_one(period(1, 3000), 0.5, "one", nullptr);
  const Release second = publish_one(period(2, 3000), 0.5, "two", history_of({first}));
  for (const Release* release : {&first, &second}) {
    const PastRelease past(*release);
    const Result<BoxIndex> index = BoxIndex::make(*release);
    ASSERT_TRUE(index);
    EXPECT_EQ(index->has_parts(), release == &second);
    Answerer ask(*index, {});
    std::mt19937_64 random(5);
    for (int i = 0; i < 200; ++i) {
      const Box box = random_box(random);
      const Answer answer = ask(BoxQuery::of(box));
      EXPECT_NEAR(past.share(box) * past.total(), answer.estimate, 1e-6 * past.total()) << i;
      EXPECT_LE(answer.bounds_lower, answer.estimate + 1e-6);
      EXPECT_GE(answer.bounds_upper, answer.estimate - 1e-6);
      // Tables add up the same parts.
      double sum = 0;
      for (const LeafShare& leaf : leaf_shares(*index, RegionQuery::of(BoxQuery::of(box))))
        sum += leaf.share * index->sums()[leaf.leaf].estimate;
      EXPECT_NEAR(sum, answer.estimate, 1e-6 * past.total()) << i;
    }
  }
}

double trips_in(const Matrix& matrix, const Box& box) {
  double sum = 0;
  for (std::size_t cell = 0; cell < matrix.keys().size(); ++cell) {
    bool inside = true;
    for (std::size_t axis = 0; axis < 4; ++axis) {
      const std::uint32_t at = matrix.keys_of_axes().cell(matrix.keys()[cell], axis);
      inside = inside && at >= box[axis].lo && at < box[axis].hi;
    }
    sum += inside ? static_cast<double>(matrix.counts()[cell]) : 0;
  }
  return sum;
}

// The error of releases of `period(99)` that lean on what `earlier` holds over that of releases with the same keys that
// stand alone.
double error_ratio(const std::function<Matrix(int)>& earlier, double epsilon, std::size_t trips) {
  double alone = 0, leaning = 0;
  for (int rep = 0; rep < 4; ++rep) {
    std::vector<Release> before;
    for (int t = 0; t < 4; ++t) {
      const std::string key = std::to_string(rep) + " " + std::to_string(t);
      before.push_back(publish_one(earlier(t), epsilon, key, before.empty() ? nullptr : history_of(before)));
    }
    const Matrix matrix = period(99, trips);
    const std::string key = "last " + std::to_string(rep);
    const PastRelease with(publish_one(matrix, epsilon, key, history_of(before)));
    const PastRelease without(publish_one(matrix, epsilon, key, nullptr));
    std::mt19937_64 random(static_cast<std::uint64_t>(rep));
    for (int i = 0; i < 100; ++i) {
      const Box box = random_box(random);
      const double truth = trips_in(matrix, box);
      alone += std::abs(without.share(box) * without.total() - truth);
      leaning += std::abs(with.share(box) * with.total() - truth);
    }
  }
  return leaning / alone;
}

TEST(History, EarlierReleasesMakeAnswersBetter) {
  const auto same = [](int t) { return period(static_cast<std::uint64_t>(t) + 1, 3000); };
  EXPECT_LT(error_ratio(same, 0.2, 3000), 0.9);
}

// Releases of a city that has nothing to do with this one: counts say so, and little is lost.
TEST(History, WrongForecastsCostLittle) {
  const auto other = [](int t) {
    std::mt19937_64 random(static_cast<std::uint64_t>(t));
    MatrixBuilder builder(grid());
    for (int i = 0; i < 3000; ++i) {
      const auto at = [&] { return static_cast<std::uint32_t>(random() % kWidth); };
      builder.add(std::vector<std::uint32_t>{at(), at(), at(), at()}, 1);
    }
    return std::move(builder).build();
  };
  EXPECT_LT(error_ratio(other, 0.2, 3000), 1.1);
  EXPECT_LT(error_ratio(other, 1, 3000), 1.1);
}

Domain two_stops() { return *Domain::make(grid().axes(), {{"from", {0, 1}}, {"to", {2, 3}}}); }

// A city in the four middle ones of 4 x 4 boxes, of which each has 0.7 of its trips in one quarter, the same in all.
Matrix middle(std::uint32_t busy_quarter) {
  std::mt19937_64 random(busy_quarter + 1);
  MatrixBuilder builder(two_stops());
  for (int i = 0; i < 8000; ++i) {
    std::vector<std::uint32_t> cell;
    for (int stop = 0; stop < 2; ++stop) {
      const auto quarter = static_cast<std::uint32_t>(random() % 10 < 6 ? busy_quarter : random() % 4);
      cell.push_back(static_cast<std::uint32_t>(16 + random() % 2 * 16 + quarter / 2 * 8 + random() % 8));
      cell.push_back(static_cast<std::uint32_t>(16 + random() % 2 * 16 + quarter % 2 * 8 + random() % 8));
    }
    builder.add(cell, 1);
  }
  return std::move(builder).build();
}

// Every city is empty outside its middle. That a release foretells so much does not make it one of this city.
TEST(History, EmptyCornersSayNothing) {
  GridCounts counts;
  counts.stops = 2;
  counts.total = 40000;
  counts.total_variance = 200;
  counts.tree.axes = {0, 1};
  counts.tree.lo.resize(2);
  counts.tree.hi.resize(2);
  const auto add = [&](Interval x, Interval y, std::int32_t parent, Ticks ticks, std::vector<std::int64_t> of_stops) {
    counts.tree.append(Box(std::vector<Interval>{x, y}), parent, 0, ticks, 0);
    counts.apart.push_back(true);
    counts.counts.push_back(std::move(of_stops));
    counts.coarse.emplace_back();
    counts.unlike.push_back(1);
  };
  constexpr Ticks kTicks = 100'000'000;  // a deviation of 14 trips
  add({0, 64}, {0, 64}, -1, 0, {});
  const auto is_middle = [](std::uint32_t box) { return box % 4 % 3 != 0 && box / 4 % 3 != 0; };
  for (std::uint32_t box = 0; box < 16; ++box) {
    const std::uint32_t x = box / 4 * 16, y = box % 4 * 16;
    const std::int64_t n = is_middle(box) ? 10000 : 0;
    add({x, x + 16}, {y, y + 16}, 0, kTicks, {n, n});
  }
  for (std::uint32_t box = 0; box < 16; ++box) {
    for (std::uint32_t part = 0; is_middle(box) && part < 4; ++part) {
      const std::uint32_t x = box / 4 * 16 + part / 2 * 8, y = box % 4 * 16 + part % 2 * 8;
      const std::int64_t n = part == 0 ? 7000 : 1000;
      add({x, x + 8}, {y, y + 8}, static_cast<std::int32_t>(box) + 1, kTicks, {n, n});
    }
  }
  History history =
      *history_of({publish_one(middle(3), 20, "other", nullptr), publish_one(middle(0), 20, "own", nullptr)});
  const std::shared_ptr<const PastRelease> own = history.past[1];
  drop_refuted(history, counts, 1e-9, {0, 1});
  ASSERT_EQ(history.past.size(), 1U);
  EXPECT_EQ(history.past[0], own);
}

// A new station with a tenth of all trips is seen in its first month, though no release before had it.
TEST(History, WhatIsNewIsFound) {
  std::vector<Release> before;
  for (int t = 0; t < 3; ++t)
    before.push_back(publish_one(period(static_cast<std::uint64_t>(t) + 1, 4000), 1, std::to_string(t),
                                 before.empty() ? nullptr : history_of(before)));
  const PastRelease now(publish_one(period(9, 4000, 400), 1, "now", history_of(before)));
  const Box near(std::vector<Interval>{{0, 8}, {56, 64}, {28, 38}, {0, 10}});
  EXPECT_NEAR(now.share(near) * now.total(), 400, 120);
  // A festival leaves no ghost: the month after, it is gone.
  std::vector<Release> with_festival = before;
  with_festival.push_back(publish_one(period(9, 4000, 400), 1, "now", history_of(before)));
  const PastRelease after(publish_one(period(10, 4000), 1, "after", history_of(with_festival)));
  EXPECT_LT(after.share(near) * after.total(), 60);
}

// A place where nobody was, in a tree of 16 x 16 boxes whose other counts bear the forecast out: at every level its
// trips are few beside what is sure, and its own count is four deviations. It is believed, as are the boxes around it.
TEST(History, AnEvidentChangeIsNotTakenForNoise) {
  Table tree;
  tree.axes = {0};
  tree.lo.resize(1);
  tree.hi.resize(1);
  tree.append(Box(std::vector<Interval>{{0, 256}}), -1, 0, 0, 0);
  std::mt19937_64 random(5);
  std::exponential_distribution<double> one;
  std::vector<double> forecast = {20000}, z = {20400}, w = {1e4};
  const auto add = [&](Interval x, std::int32_t parent, double f, double more, double sd) {
    tree.append(Box(std::vector<Interval>{x}), parent, 0, 0, 0);
    forecast.push_back(f);
    z.push_back(f + more + (one(random) - one(random)) * sd / std::sqrt(2));
    w.push_back(sd * sd);
  };
  for (std::uint32_t i = 0; i < 16; ++i) add({16 * i, 16 * i + 16}, 0, 1250, i == 7 ? 400 : 0, 200);
  for (std::uint32_t i = 0; i < 256; ++i)
    add({i, i + 1}, static_cast<std::int32_t>(i / 16) + 1, i == 120 ? 0 : 78, i == 120 ? 400 : 0, 100);
  const Families families = families_of(tree);
  join_upwards(families, z, w);
  std::vector<double> alone = z;
  for (double& each : alone) each = std::max(0.0, each);
  const std::vector<double> believed =
      filter_tree({families, z, w, alone, std::vector<bool>(tree.rows(), true), 0.02}, forecast, z[0]);
  EXPECT_GT(believed[17 + 120], 0.75 * z[17 + 120]);
  EXPECT_GT(believed[1 + 7], 1250 + 150);
  // Other boxes hold what they held.
  double off = 0;
  for (std::size_t i = 0; i < 256; ++i) off += i == 120 ? 0 : std::abs(believed[17 + i] - 78) / 255;
  EXPECT_LT(off, 25);
}

// How many rows of a table were measured (of maps: at this stop or at all together), and the most parts that history
// divided one of its leaves into.
std::size_t measured(const Table& table) {
  std::size_t rows = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) rows += table.row_ticks[row] + table.side_ticks[row] > 0;
  return rows;
}

std::size_t most_parts(const Table& table) {
  std::vector<std::size_t> parts(table.rows(), 0);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.parent[row] >= 0 && table.row_ticks[row] == 0) ++parts[static_cast<std::size_t>(table.parent[row])];
  }
  return *std::max_element(parts.begin(), parts.end());
}

// Two releases are a forecast to count finer maps by; one, or one and a public table, is not.
TEST(History, MapsAreFinerOnceReleasesForetellThem) {
  const SyntheticTrips trips = *generate_city(2, 60000, 256, 7);
  const auto month = [&](std::size_t number) {
    MatrixBuilder builder(trips.domain);
    for (std::size_t row = number; row < trips.rows(); row += 3)
      builder.add(std::vector<std::uint32_t>{trips.cells[0][row], trips.cells[1][row], trips.cells[2][row],
                                             trips.cells[3][row]},
                  1);
    return std::move(builder).build();
  };
  const Matrix now = month(2);
  const Release first = publish_one(month(0), 1, "first", nullptr);
  const Release second = publish_one(month(1), 1, "second", history_of({first}));
  auto with_table = std::make_shared<History>();
  with_table->past = {past_of_table(trips.domain, std::vector<std::uint32_t>{1, 2, 3, 4}, std::vector<double>{1}),
                      std::make_shared<const PastRelease>(first)};
  const auto map_rows = [&](std::shared_ptr<const History> history) {
    return measured(publish_one(now, 1, "now", std::move(history)).tables[1]);
  };
  const std::size_t alone = map_rows(nullptr);
  EXPECT_EQ(map_rows(history_of({first})), alone);
  EXPECT_EQ(map_rows(with_table), alone);
  EXPECT_GT(map_rows(history_of({first, second})), alone + alone / 10);
}

// Trips that stay in the half of the map that they begin in.
Matrix halves(std::uint64_t seed, std::size_t trips) {
  std::mt19937_64 random(seed);
  MatrixBuilder builder(grid());
  for (std::size_t i = 0; i < trips; ++i) {
    const auto half = static_cast<std::uint32_t>(random() % 2 * kWidth / 2);
    const auto x = [&] { return half + static_cast<std::uint32_t>(random() % (kWidth / 2)); };
    const auto y = [&] { return static_cast<std::uint32_t>(random() % kWidth); };
    builder.add(std::vector<std::uint32_t>{x(), y(), x(), y()}, 1);
  }
  return std::move(builder).build();
}

// Of the joint tree's first boxes, which no count but the total has a say in, the share that goes from one half to the
// other.
double share_of_crossing_boxes(const Table& joint) {
  double crossing = 0, all = 0;
  for (std::size_t row = 1; row < joint.rows(); ++row) {
    if (joint.parent[row] != 0) continue;
    const Box box = joint.box(row);
    const auto in_first = [&](std::size_t axis) { return box[axis].hi <= kWidth / 2; };
    const auto in_second = [&](std::size_t axis) { return box[axis].lo >= kWidth / 2; };
    crossing += (in_first(0) && in_second(2)) || (in_second(0) && in_first(2)) ? 1 : 0;
    ++all;
  }
  return crossing / all;
}

// From the third release on, joint boxes are cut where two before it had their trips; one of them moves nothing. The
// product of the maps has half of the trips where none go.
TEST(History, JointBoxesGoWhereReleasesForetellTrips) {
  const Release first = publish_one(halves(1, 8000), 2, "first", nullptr);
  const Release second = publish_one(halves(2, 8000), 2, "second", history_of({first}));
  const auto crossing = [&](const std::shared_ptr<const History>& history) {
    return share_of_crossing_boxes(publish_one(halves(3, 8000), 2, "now", history).tables[0]);
  };
  const double with_one = crossing(history_of({first})), with_two = crossing(history_of({first, second}));
  EXPECT_GT(with_one, 0.4);
  EXPECT_LT(with_two, 0.7 * with_one);
}

// What is foretold of places is half what the map has and half what the joint leaves have there; later releases
// weigh more.
TEST(History, PlacesAreForetoldByMapsAndLeaves) {
  const Matrix truth = period(1, 8000);
  const Release first = publish_one(truth, 1, "first", nullptr), second = publish_one(truth, 1, "second", nullptr);
  const std::shared_ptr<const History> history = history_of({first, second});
  const PlaceForecast forecast(*history, 0);
  const PastRelease &before = *history->past[0], &last = *history->past[1];
  const Interval all{0, kWidth};
  const auto both = [&](const PastRelease& past, Interval x, Interval y) {
    return (past.map_share(0, x, y) + past.share(Box(std::vector<Interval>{x, y, all, all}))) / 2;
  };
  for (std::uint32_t at = 0; at + 9 <= kWidth; at += 5) {
    const Interval x{at, at + 9}, y{at / 2, at / 2 + 7};
    EXPECT_NEAR(forecast.last_share(x, y), both(last, x, y), 1e-9);
    EXPECT_NEAR(forecast.share(x, y), (both(last, x, y) + 0.4 * both(before, x, y)) / 1.4, 1e-9);
  }
  EXPECT_NEAR(forecast.share(all, all), 1, 1e-12);
}

// A leaf that holds many trips gets one part for each, up to 64.
TEST(History, LeavesAreDividedIntoPartsOfATrip) {
  const Release first = publish_one(period(1, 4000), 0.1, "first", nullptr);
  const Release second = publish_one(period(2, 4000), 0.1, "second", history_of({first}));
  EXPECT_GT(most_parts(second.tables[0]), 16U);
  EXPECT_LE(most_parts(second.tables[0]), 64U);
}

// What a release had in a box, times the root of how many times as much its maps have there now.
TEST(History, AnEarlierReleaseGoesHalfOfTheWayOfTheMaps) {
  const std::shared_ptr<const History> history = history_of({publish_one(period(1, 4000), 1, "first", nullptr)});
  const PastRelease& past = *history->past[0];
  const JointForecast forecast(*history);
  const Box box(std::vector<Interval>{{0, 32}, {0, 64}, {0, 64}, {16, 48}});
  const double then = past.product(box), share = past.share(box);
  ASSERT_GT(share, 0.01);
  for (double times : {0.5, 1.0, 2.0}) {
    const std::vector<double> shares = forecast.candidates({box, then * times});
    ASSERT_EQ(shares.size(), 2U);
    EXPECT_DOUBLE_EQ(shares[0], then * times);
    EXPECT_NEAR(shares[1], share * std::sqrt(times), 1e-9);
  }
  // Beyond a factor of 3 either way the maps are believed: they spread what they have more, and less of it is less.
  EXPECT_NEAR(forecast.candidates({box, then * 5})[1], share * std::sqrt(3.0) + 2 * then, 1e-9);
  EXPECT_NEAR(forecast.candidates({box, then / 9})[1], share / std::sqrt(3.0) / 3, 1e-9)
      << "what is gone leaves no ghost";
}

// Periods of two kinds take turns: counts tell of which kind this one is, and its likes get the weight.
TEST(History, LikePeriodsWeighMost) {
  const Release first = publish_one(period(1, 400), 1, "first", nullptr);
  const std::shared_ptr<const History> history = history_of({first, first, first, first});
  const JointForecast forecast(*history);
  std::mt19937_64 random(7);
  std::vector<std::vector<double>> shares;
  std::vector<double> z, w;
  for (int i = 0; i < 200; ++i) {
    const auto about = [&] { return 0.005 * (0.7 + 0.6 * static_cast<double>(random() % 1000) / 1000); };
    const double one = about(), other = about();
    shares.push_back({0.005, other, one, other, one});  // the product, then the last release first
    z.push_back(10000 * one);
    w.push_back(100);
  }
  const std::vector<double> weights = forecast.weigh(shares, z, w, 10000);
  EXPECT_GT(weights[2] + weights[4], 0.75);
}

// The exact likelihood proof with history as a constant of the plan: neighbouring data of this period, the same earlier
// releases.
TEST(History, LeaningCostsNothing) {
  const Release first = publish_one(period(1, 300), 1, "history", nullptr);
  // Two releases: maps are then finer than those of a release that stands alone.
  const Release second = publish_one(period(2, 300), 1, "more history", history_of({first}));
  const std::shared_ptr<const History> history = history_of({first, second});
  const Mechanism& anchor = *find_mechanism("anchor");
  const Plan plan = [&](Kernel& kernel) {
    Params params = *read_params(anchor, {{"max_partitions", "20000"}});
    params.set_history(history);
    return LabResult{run_mechanism(anchor, params, kernel, Unit::trip)};
  };
  long double most = 0;
  for (std::uint64_t i = 0; i < 12; ++i) {
    const Matrix one = period(40 + i, 60 + 10 * i), other = period(40 + i, 59 + 10 * i);
    const Proof proof = prove(plan, one, other, kTicksPerEpsilon / 2, 1, test_key("pair " + std::to_string(i)));
    ASSERT_TRUE(proof.holds()) << proof.text();
    most = std::max(most, proof.share());
  }
  EXPECT_GT(most, 0.5L) << "the pairs must spend the budget";
}

// The same where an adversary chooses what is drawn, and a public table stands before the releases.
TEST(History, LeaningCostsNothingWhateverIsDrawn) {
  const Release first = publish_one(period(1, 300), 1, "history", nullptr);
  const Release second = publish_one(period(2, 300), 1, "more history", history_of({first}));
  auto history = std::make_shared<History>();
  const std::vector<std::uint32_t> cells = {1, 2, 3, 4, 9, 60, 33, 5, 40, 41, 42, 43};
  history->past = {past_of_table(grid(), cells, std::vector<double>{1, 2, 3}),
                   std::make_shared<const PastRelease>(first), std::make_shared<const PastRelease>(second)};
  const Mechanism& anchor = *find_mechanism("anchor");
  const Plan plan = [&](Kernel& kernel) {
    Params params = *read_params(anchor, {{"max_partitions", "5000"}});
    params.set_history(history);
    return LabResult{run_mechanism(anchor, params, kernel, Unit::trip)};
  };
  long double most = 0;
  for (int i = 0; i < 2 * kTactics; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const Matrix one = period(70 + seed, 40), other = period(70 + seed, 39);
    const Proof proof =
        prove(plan, one, other, kTicksPerEpsilon / 2, 1, Adversary(static_cast<Tactic>(i % kTactics), seed));
    ASSERT_TRUE(proof.holds()) << i << ": " << proof.text();
    most = std::max(most, proof.share());
  }
  EXPECT_GT(most, 0.9L);
}

// A public table has a say where it is right, and costs little where it is wrong. (What it is worth, the table of
// docs/internals/series.md says: a city of ten places shows little of it.)
TEST(History, APublicTableIsHeardAndCostsLittle) {
  // Of boxes about an origin of one flow and a destination of another: which places go together.
  const auto ratio = [](const std::shared_ptr<const PastRelease>& table, double epsilon) {
    auto history = std::make_shared<History>();
    history->past = {table};
    double alone = 0, leaning = 0;
    for (int rep = 0; rep < 4; ++rep) {
      const Matrix matrix = period(99, 3000);
      const std::string key = "table " + std::to_string(rep);
      const PastRelease with(publish_one(matrix, epsilon, key, history));
      const PastRelease without(publish_one(matrix, epsilon, key, nullptr));
      std::mt19937_64 random(static_cast<std::uint64_t>(rep));
      for (int i = 0; i < 100; ++i) {
        std::vector<Interval> sides;
        std::size_t flow = 0;
        for (std::size_t axis = 0; axis < 4; ++axis) {
          if (axis % 2 == 0) flow = random() % matrix.keys().size();
          const std::uint32_t at = matrix.keys_of_axes().cell(matrix.keys()[flow], axis);
          sides.push_back({at < 3 ? 0 : at - 3, std::min(kWidth, at + 4)});
        }
        const Box box(sides);
        const double truth = trips_in(matrix, box);
        alone += std::abs(without.share(box) * without.total() - truth);
        leaning += std::abs(with.share(box) * with.total() - truth);
      }
    }
    return leaning / alone;
  };
  const auto table_of = [](const Matrix& matrix, std::uint32_t shift) {
    std::vector<std::uint32_t> cells;
    std::vector<double> weights;
    for (std::size_t cell = 0; cell < matrix.keys().size(); ++cell) {
      for (std::size_t axis = 0; axis < 4; ++axis)
        cells.push_back((matrix.keys_of_axes().cell(matrix.keys()[cell], axis) + shift) % kWidth);
      weights.push_back(static_cast<double>(matrix.counts()[cell]) / 7);
    }
    return past_of_table(grid(), cells, weights);
  };
  const double right = ratio(table_of(period(5, 5000), 0), 0.2);
  EXPECT_NE(right, 1) << "it has no say";
  EXPECT_LT(right, 1.05);
  EXPECT_LT(ratio(table_of(period(5, 5000), 23), 0.2), 1.1);
  EXPECT_LT(ratio(table_of(period(5, 5000), 23), 1), 1.1);
}

TEST(Prior, IsTheTableWhateverTheOrderOfItsRows) {
  const std::vector<std::uint32_t> cells = {1, 2, 3, 4, 1, 2, 40, 4, 9, 60, 33, 5},
                                   turned = {9, 60, 33, 5, 1, 2, 40, 4, 1, 2, 3, 4};
  const auto table = past_of_table(grid(), cells, std::vector<double>{1, 0.5, 2.5});
  const auto other = past_of_table(grid(), turned, std::vector<double>{2.5, 0.5, 1});
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    const Box box = random_box(random);
    EXPECT_EQ(table->share(box), other->share(box));
  }
  // Halves of the map have what the table has there.
  EXPECT_NEAR(table->share(Box(std::vector<Interval>{{0, 64}, {0, 32}, {0, 64}, {0, 64}})), 1.5 / 4, 1e-6);
  EXPECT_NEAR(table->map_share(1, {32, 64}, {0, 64}), 3.0 / 4, 1e-6);
}

TEST(DriftFilter, BelievesForecastsThatCountsBearOut) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<Forecast> right, wrong;
  for (int i = 0; i < 400; ++i) {
    const double f = 20 + i % 50, noise = 15 * normal(random);
    right.push_back({f, 1, f + std::sqrt(f) * normal(random) + noise, 225});
    wrong.push_back({f, 1, static_cast<double>((i * 37) % 200) + noise, 225});
  }
  const DriftFilter trusted(right), doubted(wrong);
  // Two deviations above what was forecast: noise to the one, a change to the other.
  const Forecast count{50, 1, 80, 225};
  EXPECT_LT(trusted(count).x, 62);
  EXPECT_GT(doubted(count).x, 72);
  // Far off, both believe the count.
  EXPECT_GT(trusted({50, 1, 400, 225}).x, 330);
}

}  // namespace
}  // namespace stopover
