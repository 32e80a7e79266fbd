#include "eval/needle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "eval/limits.h"
#include "eval/release_meter.h"
#include "peers/lab_run.h"
#include "privacy/stream_dice.h"
#include "synthetic/generate.h"
#include "synthetic/number_sequence.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

Matrix some_trips(std::uint32_t axes, std::uint32_t cells, std::uint64_t trips) {
  MatrixBuilder builder(*Domain::of_shape(std::vector<std::uint64_t>(axes, cells)));
  NumberSequence numbers(5);
  std::vector<std::uint32_t> cell(axes);
  for (std::uint64_t i = 0; i < trips; ++i) {
    for (std::uint32_t& index : cell) index = static_cast<std::uint32_t>(numbers.below(cells));
    builder.add(cell, 1);
  }
  return std::move(builder).build();
}

// Answers as a mechanism of the table gives them, with one key.
AskRelease asks(const Matrix& matrix, const RangeCounter& truth, const std::string& mechanism, double epsilon,
                const std::string& key) {
  return [&, mechanism, epsilon, key](const Matrix& with, std::span<const Box> boxes) {
    const Mechanism& row = *find_mechanism(mechanism);
    const Params params = *read_params(row, {});
    EXPECT_TRUE(check_in_lab(row, params, matrix.domain()));
    StreamDice dice(test_key(key));
    Kernel kernel(with, dice, static_cast<Ticks>(epsilon * static_cast<double>(kTicksPerEpsilon)), 1);
    return ReleaseMeter::make(run_in_lab(row, params, kernel, Unit::trip), truth, 0.95, false)->estimates(boxes);
  };
}

// The size found half of the time, in limits: the median over places and keys.
double median_limits(const std::string& kind, const std::string& mechanism, const Matrix& matrix, double epsilon) {
  const RangeCounter truth(matrix);
  std::vector<double> limits;
  for (std::uint64_t rep = 0; rep < 15; ++rep) {
    const std::string key = "needle test " + std::to_string(rep);
    limits.push_back(
        needle_size(*parse_needle(kind), matrix, truth, epsilon, 1, rep, asks(matrix, truth, mechanism, epsilon, key))
            .limits);
  }
  std::sort(limits.begin(), limits.end());
  return limits[limits.size() / 2];
}

TEST(Needle, NamesAreParsed) {
  EXPECT_EQ(parse_needle("needle")->needles, 1u);
  EXPECT_EQ(parse_needle("needle20")->needles, 20u);
  EXPECT_EQ(parse_needle("needle20")->side, 1u);
  EXPECT_EQ(parse_needle("blob")->side, 5u);
  EXPECT_EQ(parse_needle("needle")->at, 0);
  EXPECT_EQ(parse_needle("blob@4")->at, 4);
  EXPECT_EQ(parse_needle("blob@4")->side, 5u);
  EXPECT_EQ(parse_needle("needle20@2.5")->at, 2.5);
  EXPECT_EQ(parse_needle("needle20@2.5")->needles, 20u);
  EXPECT_EQ(parse_needle("needle20@2.5")->name, "needle20@2.5");
  for (const char* bad : {"needle@", "needle@0", "needle@65", "needle@-4", "needle@4x", "@4", "needle@nan",
                          "", "needles", "needle0", "needle-1", "needle1001", "needle2x", "blob5", "pin"}) {
    ASSERT_FALSE(parse_needle(bad)) << bad;
    EXPECT_EQ(parse_needle(bad).error().failure, Failure::usage);
  }
}

TEST(Needle, BoxesThatCoverTheDomainAreRefused) {
  const NeedleKind one = *parse_needle("needle"), many = *parse_needle("needle20");
  const Domain small = *Domain::of_shape({100, 100}), large = *Domain::of_shape({300, 300});
  EXPECT_TRUE(check_needles(one, small));
  EXPECT_TRUE(check_needles(many, large));
  EXPECT_TRUE(check_needles(one, *Domain::of_shape({1000, 1000, 4})));
  EXPECT_FALSE(check_needles(one, *Domain::of_shape({100})));
  const Status refused = check_needles(many, small);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failure, Failure::usage);
  EXPECT_TRUE(refused.error().message.starts_with("needle20 needs a larger domain")) << refused.error().message;
  EXPECT_NE(refused.error().message.find("88 %"), std::string::npos) << refused.error().message;
}

// An axis shorter than a blob is filled by it.
TEST(Needle, BlobsFitShortAxes) {
  MatrixBuilder builder(*Domain::of_shape({1000, 1000, 3}));
  const Matrix empty = std::move(builder).build();
  const NeedleKind blob = *parse_needle("blob");
  const NeedlePlaces places = draw_needles(blob, empty.domain(), 1);
  const Matrix matrix = with_needles(blob, places, empty, 5000, 1);
  EXPECT_EQ(matrix.keys().size(), 75u);
  EXPECT_EQ(RangeCounter(matrix).count(places.boxes[0]), 5000u);
}

TEST(Needle, TripsLieInTheBoxThatIsAskedFor) {
  const Matrix before = some_trips(4, 100, 1000);
  const RangeCounter truth(before);
  for (const char* name : {"needle", "needle20", "blob"}) {
    const NeedleKind kind = *parse_needle(name);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const NeedlePlaces places = draw_needles(kind, before.domain(), seed);
      ASSERT_EQ(places.boxes.size(), kind.needles);
      const Matrix after = with_needles(kind, places, before, 700, seed);
      EXPECT_EQ(after.total(), before.total() + 700 * kind.needles);
      const RangeCounter counted(after);
      for (const Box& box : places.boxes) {
        EXPECT_TRUE(before.domain().whole().contains(box));
        EXPECT_GE(counted.count(box), truth.count(box) + 700);
        for (std::size_t axis = 0; axis < 4; ++axis) {
          EXPECT_LE(box[axis].width(), 21u);
          EXPECT_GE(box[axis].width(), 11u);
        }
      }
    }
  }
  // A blob of many trips fills its 5^4 cells and no other.
  const NeedleKind blob = *parse_needle("blob");
  const Matrix empty = some_trips(4, 100, 0);
  EXPECT_EQ(with_needles(blob, draw_needles(blob, empty.domain(), 3), empty, 20'000, 3).keys().size(), 625u);
  EXPECT_NE(draw_needles(blob, empty.domain(), 3).corners, draw_needles(blob, empty.domain(), 4).corners);
}

// A made-up release that shows a needle in full from a given size on, and nothing below it.
TEST(Needle, SizeIsWhereHalfIsFound) {
  const Matrix matrix = some_trips(2, 1000, 5000);
  const RangeCounter truth(matrix);
  const double limit = needle_limit(matrix.domain(), 0.5);
  for (const double wanted : {0.7, 3.0, 15.0, 20.0, 50.0}) {
    const AskRelease ask = [&](const Matrix& with, std::span<const Box> boxes) {
      const RangeCounter counted(with);
      std::vector<double> all;
      for (const Box& box : boxes) {
        const double more = static_cast<double>(counted.count(box) - truth.count(box));
        all.push_back(static_cast<double>(truth.count(box)) + (more >= wanted * limit ? more : 0));
      }
      return all;
    };
    for (const char* name : {"needle", "blob"}) {
      const NeedleSize size = needle_size(*parse_needle(name), matrix, truth, 0.5, 1, 1, ask);
      EXPECT_NEAR(std::log2(size.limits), std::log2(wanted), 0.25) << wanted;
      EXPECT_EQ(size.found_many, wanted <= 16 ? 1 : 0) << wanted;
      EXPECT_EQ(size.limit, limit);
    }
  }
}

// The same at one size alone, at many places: all of them or none where every place is the same, and the share where
// places differ.
TEST(Needle, ShareFoundOfOneSize) {
  const Matrix matrix = some_trips(2, 1000, 5000);
  const RangeCounter truth(matrix);
  const std::vector<std::uint64_t> seeds = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  std::size_t asked_without = 0;
  double from = 0;
  std::uint32_t west = 1000;  // shows needles that lie west of it
  const AskRelease ask = [&](const Matrix& with, std::span<const Box> boxes) {
    asked_without += &with == &matrix;
    const RangeCounter counted(with);
    std::vector<double> all;
    for (const Box& box : boxes) {
      const double more = static_cast<double>(counted.count(box) - truth.count(box));
      const bool shown = more >= from * needle_limit(matrix.domain(), 0.5) && box[0].lo < west;
      all.push_back(static_cast<double>(truth.count(box)) + (shown ? more : 0));
    }
    return all;
  };
  for (const char* name : {"needle@4", "blob@4", "needle20@4"}) {
    const NeedleKind kind = *parse_needle(name);
    const auto found = [&] { return needles_found(kind, matrix, truth, 0.5, 1, seeds, ask); };
    from = 3.9;
    west = 1000;
    EXPECT_EQ(found().found, 10 * kind.needles);
    EXPECT_EQ(found().asked, 10 * kind.needles);
    EXPECT_EQ(found().limit, needle_limit(matrix.domain(), 0.5));
    from = 4.2;
    EXPECT_EQ(found().found, 0u);
    from = 0;
    west = 400;
    std::size_t lie_west = 0;
    for (std::uint64_t seed : seeds) {
      for (const Box& box : draw_needles(kind, matrix.domain(), seed).boxes) lie_west += box[0].lo < west;
    }
    ASSERT_GT(lie_west, 0u);
    ASSERT_LT(lie_west, 10 * kind.needles);
    EXPECT_EQ(found().found, lie_west);
    // Noise alone finds nothing: what is shown without the needle as well is not found.
    const AskRelease loud = [](const Matrix&, std::span<const Box> boxes) {
      return std::vector<double>(boxes.size(), 1e6);
    };
    EXPECT_EQ(needles_found(kind, matrix, truth, 0.5, 1, seeds, loud).found, 0u);
  }
  EXPECT_GT(asked_without, 0u);
}

// What says the same with and without a needle has not found it, however large the answer.
TEST(Needle, LargeAnswersAloneFindNothing) {
  const Matrix matrix = some_trips(2, 1000, 5000);
  const RangeCounter truth(matrix);
  const AskRelease loud = [](const Matrix&, std::span<const Box> boxes) {
    return std::vector<double>(boxes.size(), 1e6);
  };
  const NeedleSize size = needle_size(*parse_needle("needle20"), matrix, truth, 0.5, 1, 1, loud);
  EXPECT_EQ(size.limits, kNeverFound);
  EXPECT_EQ(size.found_many, 0);
}

// The two ends: one count for the whole domain never finds a needle; a count for every cell finds it at about the limit
// (a box of 21 cells has noise of deviation sqrt(42)/epsilon = 6.5/epsilon, the limit is 8.3/epsilon).
TEST(Needle, WhatNeverDividesNeverFindsAndWhatCountsEveryCellDoes) {
  const Matrix line = some_trips(1, 8192, 2000);
  for (const char* kind : {"needle", "needle20", "blob"}) {
    EXPECT_EQ(median_limits(kind, "uniform", line, 0.5), kNeverFound) << kind;
    const double every_cell = median_limits(kind, "laplace", line, 0.5);
    EXPECT_GT(every_cell, 0.6) << kind;
    EXPECT_LT(every_cell, 2.5) << kind;
  }
}

}  // namespace
}  // namespace stopover
