// What the tests of the kernel share: small matrices, dice that watch, a kernel over 200 trips.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "matrix/matrix.h"
#include "privacy/dice.h"
#include "privacy/kernel.h"
#include "testing/exact_dice.h"

namespace stopover {

using Cell = std::vector<std::uint32_t>;
using Candidates = std::vector<std::vector<std::uint32_t>>;

inline Matrix matrix_of(const std::vector<std::uint64_t>& shape, const std::vector<Cell>& trips) {
  MatrixBuilder builder(*Domain::of_shape(shape));
  for (const Cell& trip : trips) EXPECT_TRUE(builder.add(trip, 1));
  return std::move(builder).build();
}

inline std::vector<Cell> random_trips(const std::vector<std::uint64_t>& shape, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Cell> trips(n);
  for (Cell& trip : trips) {
    for (std::uint64_t width : shape)
      trip.push_back(static_cast<std::uint32_t>(random() % width * (random() % width) / width));
  }
  return trips;
}

inline std::int64_t trips_in(const std::vector<Cell>& trips, const Box& box) {
  return std::count_if(trips.begin(), trips.end(), [&](const Cell& trip) {
    for (std::size_t i = 0; i < trip.size(); ++i) {
      if (trip[i] < box[i].lo || trip[i] >= box[i].hi) return false;
    }
    return true;
  });
}

inline Box box(std::vector<Interval> sides) { return Box(sides); }

inline Region only(std::vector<Region> regions) {
  EXPECT_EQ(regions.size(), 1u);
  return std::move(regions[0]);
}

inline constexpr Ticks kOne = kTicksPerEpsilon;

// Runs a function before every draw and remembers the rates and exponents that were asked for.
class WatchingDice final : public Dice {
 public:
  std::function<void()> on_draw = [] {};
  std::vector<Rate> rates;
  std::vector<std::pair<u128, u128>> exponents;

  void count(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
             std::span<std::int64_t> released) override {
    on_draw();
    rates.push_back(rate);
    exact_.count(label, rate, truth, released);
  }
  std::size_t choose(const StreamLabel& label, std::span<const std::uint64_t> penalties, u128 num, u128 den) override {
    on_draw();
    exponents.emplace_back(num, den);
    return exact_.choose(label, penalties, num, den);
  }
  void coin(const StreamLabel& label, std::span<std::uint64_t> words) override { exact_.coin(label, words); }
  void grow(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth, std::span<bool> split) override {
    on_draw();
    rates.push_back(rate);
    exact_.grow(label, rate, truth, split);
  }
  void gradual(const StreamLabel& label, Rate fine, Rate coarse, std::span<const std::int64_t> truth,
               std::span<std::int64_t> hidden, std::span<std::int64_t> released) override {
    on_draw();
    rates.push_back(fine);
    rates.push_back(coarse);
    exact_.gradual(label, fine, coarse, truth, hidden, released);
  }
  std::vector<NumberedCount> sparse(const StreamLabel& label, Rate rate, std::uint64_t threshold, std::uint64_t cells,
                                    std::span<const NumberedCount> truth) override {
    on_draw();
    rates.push_back(rate);
    return exact_.sparse(label, rate, threshold, cells, truth);
  }
  void revealed(const StreamLabel&, std::size_t, std::size_t) override { on_draw(); }

 private:
  ExactDice exact_;
};

class KernelTest : public ::testing::Test {
 protected:
  KernelTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  const std::vector<std::uint64_t> shape_ = {10, 6, 4};
  const std::vector<Cell> trips_ = random_trips(shape_, 200, 1);
  const Matrix matrix_ = matrix_of(shape_, trips_);
  WatchingDice dice_;
  Kernel kernel_{matrix_, dice_, kOne, 1};

  Family root(Ticks slice = kOne) { return kernel_.view("joint", {0, 1, 2}, slice); }
  Region whole(Ticks slice = kOne) { return only(kernel_.open(root(slice))); }
};
using KernelDeathTest = KernelTest;

}  // namespace stopover
