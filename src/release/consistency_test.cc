#include "release/consistency.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <functional>
#include <random>

#include "release/children.h"
#include "release/sample_release.h"

namespace stopover {
namespace {

constexpr double kRate = 1e-9;  // k = 1

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t n) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % n;
  }

 private:
  std::uint64_t state_;
};

// A random tree over one axis: families of 1 to 4, uneven budgets, some inner rows (and, if asked, leaves) unmeasured.
Table random_tree(Dice& dice, bool open_leaves) {
  Table t = sample::table("joint", {0}, kMaxTicks);
  const auto ticks = [&] { return Ticks{50'000'000} * (1 + dice.below(20)); };
  const auto noisy = [&] { return static_cast<std::int64_t>(dice.below(60)) - 20; };
  const std::uint32_t width = 64;
  t.append(sample::box({{0, width}}), -1, noisy(), dice.below(3) == 0 ? 0 : ticks(), 0);
  for (std::size_t r = 0; r < t.rows() && t.rows() < 24; ++r) {
    const Interval side = t.box(r)[0];
    const std::uint64_t parts = std::min<std::uint64_t>(side.width(), dice.below(5));
    std::uint32_t at = side.lo;
    for (std::uint64_t i = 0; i < parts; ++i) {
      const std::uint32_t end =
          i + 1 == parts ? side.hi : at + 1 + static_cast<std::uint32_t>(dice.below(side.hi - at - (parts - i - 1)));
      t.append(sample::box({{at, end}}), static_cast<std::int32_t>(r), noisy(), dice.below(4) == 0 ? 0 : ticks(), 0);
      at = end;
    }
  }
  const std::vector<bool> leaf = t.leaves();
  for (std::size_t r = 0; r < t.rows(); ++r) {
    if (leaf[r] && t.row_ticks[r] == 0 && !open_leaves) t.row_ticks[r] = ticks();
    if (t.row_ticks[r] == 0) t.count[r] = 0;
  }
  return t;
}

using Vector = std::vector<long double>;
using Square = std::vector<Vector>;

// The inverse by Gauss-Jordan elimination with pivoting.
Square inverse(Square a) {
  const std::size_t n = a.size();
  Square b(n, Vector(n, 0));
  for (std::size_t i = 0; i < n; ++i) b[i][i] = 1;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r) {
      if (std::fabs(a[r][c]) > std::fabs(a[pivot][c])) pivot = r;
    }
    std::swap(a[c], a[pivot]);
    std::swap(b[c], b[pivot]);
    const long double scale = 1 / a[c][c];
    for (std::size_t j = 0; j < n; ++j) {
      a[c][j] *= scale;
      b[c][j] *= scale;
    }
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c || a[r][c] == 0) continue;
      const long double factor = a[r][c];
      for (std::size_t j = 0; j < n; ++j) {
        a[r][j] -= factor * a[c][j];
        b[r][j] -= factor * b[c][j];
      }
    }
  }
  return b;
}

// Least squares the slow way: the leaves are the unknowns, every measured row an equation.
struct Dense {
  std::vector<std::size_t> leaves;
  std::vector<Vector> member;  // [row][leaf]
  Square covariance;           // of the leaves
  Vector value;                // of the leaves

  explicit Dense(const Table& t) : member(t.rows()) {
    const std::vector<bool> leaf = t.leaves();
    for (std::size_t r = 0; r < t.rows(); ++r) {
      if (leaf[r]) leaves.push_back(r);
    }
    const std::size_t n = leaves.size();
    for (std::size_t r = 0; r < t.rows(); ++r) {
      member[r].assign(n, 0);
      for (std::size_t i = 0; i < n; ++i) {
        for (auto at = static_cast<std::int32_t>(leaves[i]); at >= 0; at = t.parent[static_cast<std::size_t>(at)]) {
          if (static_cast<std::size_t>(at) == r) member[r][i] = 1;
        }
      }
    }
    Square normal(n, Vector(n, 0));
    Vector right(n, 0);
    for (std::size_t r = 0; r < t.rows(); ++r) {
      if (t.row_ticks[r] == 0) continue;
      const long double precision =
          1 / static_cast<long double>(noise_variance(static_cast<double>(t.row_ticks[r]) * kRate));
      for (std::size_t i = 0; i < n; ++i) {
        right[i] += precision * member[r][i] * static_cast<long double>(t.count[r]);
        for (std::size_t j = 0; j < n; ++j) normal[i][j] += precision * member[r][i] * member[r][j];
      }
    }
    covariance = inverse(normal);
    value.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) value[i] += covariance[i][j] * right[j];
    }
  }
  double value_of(const Vector& weights) const {
    long double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * value[i];
    return static_cast<double>(sum);
  }
  double variance_of(const Vector& weights) const {
    long double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t j = 0; j < weights.size(); ++j) sum += weights[i] * weights[j] * covariance[i][j];
    }
    return static_cast<double>(sum);
  }
};

TEST(NoiseVariance, IsThatOfTheDistribution) {
  for (double rate : {1e-9, 1e-4, 0.1, 1.0, 7.0, 100.0, 1000.0}) {
    const long double a = std::exp(-static_cast<long double>(rate)), b = -std::expm1(-static_cast<long double>(rate));
    const double exact = std::max(1e-200, static_cast<double>(2 * a / (b * b)));
    EXPECT_NEAR(noise_variance(rate) / exact, 1, 1e-14) << rate;
  }
  long double sum = 0, mass = 0;  // from the definition
  for (int x = -400; x <= 400; ++x) {
    const long double p = std::exp(-0.3L * std::abs(x));
    mass += p;
    sum += p * x * x;
  }
  EXPECT_NEAR(noise_variance(0.3), static_cast<double>(sum / mass), 1e-12);
  EXPECT_TRUE(std::isinf(noise_variance(0)));
}

TEST(LeastSquares, EqualsTheDenseSolution) {
  Dice dice(42);
  std::size_t unary = 0, unmeasured = 0;
  for (int run = 0; run < 300; ++run) {
    const Table t = random_tree(dice, false);
    const Dense dense(t);
    const std::vector<RowEstimate> fast = least_squares(t, kRate);
    const ChildIndex children(t);
    for (std::size_t r = 0; r < t.rows(); ++r) {
      ASSERT_NEAR(fast[r].value, dense.value_of(dense.member[r]), 1e-9) << "run " << run << " row " << r;
      ASSERT_NEAR(fast[r].variance / dense.variance_of(dense.member[r]), 1, 1e-9) << "run " << run << " row " << r;
      unary += children.of(r).size() == 1;
      unmeasured += t.row_ticks[r] == 0;
    }
  }
  EXPECT_GT(unary, 100u);
  EXPECT_GT(unmeasured, 100u);
}

TEST(LeastSquares, SubtreeVariancesGiveTheVarianceOfAnySumOfLeaves) {
  Dice dice(43);
  for (int run = 0; run < 200; ++run) {
    const Table t = random_tree(dice, false);
    const Dense dense(t);
    const std::vector<RowEstimate> fast = least_squares(t, kRate);
    const ChildIndex children(t);
    Vector weights(dense.leaves.size());
    std::vector<double> alpha(t.rows()), sigma2(t.rows());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = static_cast<long double>(dice.below(5)) / 4;
      alpha[dense.leaves[i]] = static_cast<double>(weights[i]);
    }
    for (std::size_t r = t.rows(); r-- > 0;) {
      double first = 0, second = 0, all = 0;
      for (std::uint32_t c : children.of(r)) {
        first += alpha[c] * fast[c].subtree_variance;
        second += alpha[c] * alpha[c] * fast[c].subtree_variance;
        all += fast[c].subtree_variance;
        sigma2[r] += sigma2[c];
      }
      if (children.of(r).empty()) continue;
      alpha[r] = first / all;
      sigma2[r] += second - first * first / all;
    }
    const double variance = alpha[0] * alpha[0] * fast[0].variance + sigma2[0];
    ASSERT_NEAR(variance, dense.variance_of(weights), 1e-9 * (1 + variance));
  }
}

TEST(LeastSquares, UnmeasuredLeavesTakeTheRestByVolume) {
  Table t = sample::table("joint", {0}, kMaxTicks);
  t.append(sample::box({{0, 10}}), -1, 100, 1'000'000'000, 0);
  t.append(sample::box({{0, 2}}), 0, 30, 500'000'000, 0);
  t.append(sample::box({{2, 4}}), 0, 0, 0, 0);
  t.append(sample::box({{4, 10}}), 0, 0, 0, 0);
  const auto all = least_squares(t, kRate);
  EXPECT_EQ(all[0].value, 100);
  EXPECT_EQ(all[1].value, 30);
  EXPECT_NEAR(all[2].value, 17.5, 1e-12);
  EXPECT_NEAR(all[3].value, 52.5, 1e-12);
  EXPECT_TRUE(std::isinf(all[2].variance));
  EXPECT_NEAR(all[1].variance, noise_variance(0.5), 1e-12);

  t.row_ticks[2] = 500'000'000;  // now only row 3 is open, and its value follows from the others
  t.count[2] = 20;
  const auto one = least_squares(t, kRate);
  EXPECT_NEAR(one[3].value, 50, 1e-12);
  EXPECT_NEAR(one[3].variance, noise_variance(1) + 2 * noise_variance(0.5), 1e-9);
}

TEST(MakeConsistent, DividesARefutedFamilyByHand) {
  Table t = sample::table("joint", {0}, kMaxTicks);
  t.append(sample::box({{0, 3}}), -1, 10, kMaxTicks, 0);  // all but exact
  t.append(sample::box({{0, 1}}), 0, 12, 500'000'000, 0);
  t.append(sample::box({{1, 2}}), 0, 4, 500'000'000, 0);
  t.append(sample::box({{2, 3}}), 0, -3, 500'000'000, 0);
  make_consistent(t, kRate);  // 12, 4, -3 sum to 13: -1 each, -4 is out, the others lose 3 each
  EXPECT_NEAR(t.estimate[0], 10, 1e-9);
  EXPECT_NEAR(t.estimate[1], 9, 1e-9);
  EXPECT_NEAR(t.estimate[2], 1, 1e-9);
  EXPECT_EQ(t.estimate[3], 0);
}

TEST(MakeConsistent, EqualsLeastSquaresWhereThatIsNotNegative) {
  Dice dice(44);
  int compared = 0;
  for (int run = 0; run < 300; ++run) {
    Table t = random_tree(dice, false);
    for (std::size_t r = 0; r < t.rows(); ++r) {
      if (t.row_ticks[r] > 0) t.count[r] = 20 * static_cast<std::int64_t>(t.box(r).volume()) + t.count[r] / 8;
    }
    const auto free = least_squares(t, kRate);
    if (std::any_of(free.begin(), free.end(), [](const RowEstimate& e) { return e.value < 0; })) continue;
    ++compared;
    make_consistent(t, kRate);
    for (std::size_t r = 0; r < t.rows(); ++r) ASSERT_NEAR(t.estimate[r], free[r].value, 1e-8);
  }
  EXPECT_GT(compared, 100);
}

// Best point over all sets of entries that may be above 0.
Vector brute_force(const Vector& z, const Vector& w, long double total) {
  Vector best;
  long double least = INFINITY;
  for (unsigned set = 1; set < 1u << z.size(); ++set) {
    long double sum_z = 0, sum_w = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (set >> i & 1) {
        sum_z += z[i];
        sum_w += w[i];
      }
    }
    Vector x(z.size(), 0);
    long double cost = 0;
    bool feasible = true;
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (set >> i & 1) x[i] = z[i] + (total - sum_z) / sum_w * w[i];
      feasible = feasible && x[i] >= -1e-12L;
      x[i] = std::max(x[i], 0.0L);
      cost += (x[i] - z[i]) * (x[i] - z[i]) / w[i];
    }
    if (feasible && cost < least) {
      least = cost;
      best = x;
    }
  }
  return best;
}

TEST(MakeConsistent, EveryFamilyIsTheNearestPoint) {
  Dice dice(45);
  int projected = 0;
  for (int run = 0; run < 400; ++run) {
    Table t = random_tree(dice, false);
    make_consistent(t, kRate);
    const ChildIndex children(t);
    // The subtrees' own estimates, found by cutting each subtree out as a table of its own.
    const auto own = [&](std::size_t top) {
      Table sub = sample::table("joint", {0}, kMaxTicks);
      std::vector<std::int32_t> number(t.rows(), -1);
      for (std::size_t r = top; r < t.rows(); ++r) {
        const bool inside = r == top || (t.parent[r] >= 0 && number[static_cast<std::size_t>(t.parent[r])] >= 0);
        if (!inside) continue;
        const std::int32_t parent = r == top ? -1 : number[static_cast<std::size_t>(t.parent[r])];
        number[r] = static_cast<std::int32_t>(sub.append(t.box(r), parent, t.count[r], t.row_ticks[r], 0));
      }
      return least_squares(sub, kRate)[0];
    };
    EXPECT_NEAR(t.estimate[0], std::max(0.0, own(0).value), 1e-9);
    for (std::size_t r = 0; r < t.rows(); ++r) {
      const auto family = children.of(r);
      if (family.empty()) continue;
      Vector z, w;
      for (std::uint32_t c : family) {
        z.push_back(own(c).value);
        w.push_back(own(c).variance);
      }
      const Vector best = brute_force(z, w, t.estimate[r]);
      double sum = 0;
      for (std::size_t i = 0; i < family.size(); ++i) {
        ASSERT_NEAR(t.estimate[family[i]], static_cast<double>(best[i]), 1e-8) << "run " << run << " row " << r;
        ASSERT_GE(t.estimate[family[i]], 0);
        sum += t.estimate[family[i]];
        projected += best[i] == 0;
      }
      ASSERT_NEAR(sum, t.estimate[r], 1e-8);
    }
  }
  EXPECT_GT(projected, 300);
}

TEST(MakeConsistent, KeepsSumsWithUnmeasuredLeaves) {
  Dice dice(46);
  for (int run = 0; run < 300; ++run) {
    Table t = random_tree(dice, true);
    make_consistent(t, kRate);
    const ChildIndex children(t);
    for (std::size_t r = 0; r < t.rows(); ++r) {
      ASSERT_GE(t.estimate[r], 0);
      double sum = 0;
      for (std::uint32_t c : children.of(r)) sum += t.estimate[c];
      if (!children.of(r).empty()) {
        ASSERT_NEAR(sum, t.estimate[r], 1e-8) << "run " << run << " row " << r;
      }
    }
  }
}

// 1,000 trips in one corner of a 64 x 64 grid, noise of variance 200 everywhere. Projected at once, the rows of the
// empty rest would keep most of the total.
TEST(MakeConsistent, LargeEmptyRegionsStayEmpty) {
  Dice dice(47);
  Table t = sample::table("joint", {0, 1}, kMaxTicks);
  t.append(sample::box({{0, 64}, {0, 64}}), -1, 1000, kMaxTicks, 0);
  const auto noise = [&] { return static_cast<std::int64_t>(dice.below(50)) - 25 + (dice.below(2) == 1); };
  double inside = 0;
  for (std::uint32_t x = 0; x < 64; ++x) {
    for (std::uint32_t y = 0; y < 64; ++y) {
      const bool corner = x < 8 && y < 8;
      t.append(sample::box({{x, x + 1}, {y, y + 1}}), 0, (corner ? 16 : 0) + noise(), 100'000'000, 0);
    }
  }
  make_consistent(t, kRate);
  double total = 0, far = 0;
  for (std::size_t r = 1; r < t.rows(); ++r) {
    ASSERT_GE(t.estimate[r], 0);
    total += t.estimate[r];
    (t.lo[0][r] < 8 && t.lo[1][r] < 8 ? inside : far) += t.estimate[r];
  }
  EXPECT_NEAR(total, t.estimate[0], 1e-6);
  EXPECT_GT(inside, 800);  // at once: 295
  EXPECT_LT(far, 200);     // at once: 705
}

// Empty cells whose noise sums to far below zero, and one cell of 436: listed sparsely, or all of a flat table.
TEST(MakeConsistent, LargeCellsOfFlatTablesStand) {
  for (const bool sparse : {true, false}) {
    std::mt19937_64 random(11);
    std::geometric_distribution<std::int64_t> tail(1 - std::exp(-0.5));
    Table table;
    table.kind = sparse ? TableKind::cells : TableKind::partition;
    table.axes = {0};
    table.lo.resize(1);
    table.hi.resize(1);
    const std::uint32_t cells = 5000;
    if (!sparse) {
      const Interval whole{0, cells};
      table.append(Box(std::span(&whole, 1)), -1, 0, 0, 0);
    }
    for (std::uint32_t cell = 0; cell < cells; ++cell) {
      const Interval one{cell, cell + 1};
      const std::int64_t noise = sparse ? -(33 + tail(random)) : tail(random) - tail(random) - 1;
      table.append(Box(std::span(&one, 1)), sparse ? -1 : 0, cell == 1234 ? 436 : noise, kTicksPerEpsilon / 2, 0);
    }
    make_consistent(table, 1e-9);
    EXPECT_EQ(table.estimate[sparse ? 1234 : 1235], 436);
    double sum = 0;
    for (std::size_t row = sparse ? 0 : 1; row < table.rows(); ++row) sum += table.estimate[row];
    EXPECT_NEAR(sum, 436, 1e-9);
    if (!sparse) {
      EXPECT_NEAR(table.estimate[0], 436, 1e-9);
    }
  }
}

TEST(MakeConsistent, SeveralRootsAreOneFamily) {
  Table t = sample::table("joint", {0}, kMaxTicks);
  for (std::uint32_t i = 0; i < 4; ++i) t.append(sample::box({{i, i + 1}}), -1, i == 3 ? 9 : -1, 500'000'000, 0);
  make_consistent(t, kRate);
  EXPECT_EQ(t.estimate, (std::vector<double>{0, 0, 0, 6}));  // the sum 6 is kept; clamping one by one would say 9
}

TEST(MakeConsistent, LongChainsAndExtremeBudgets) {
  Table t = sample::table("joint", {0}, kMaxTicks);
  t.append(sample::box({{0, 2}}), -1, 50, 1, 0);
  for (std::int32_t r = 0; r < 60'000; ++r) t.append(sample::box({{0, 2}}), r, 50, 1 + Ticks{1} * (r % 7), 0);
  t.append(sample::box({{0, 1}}), 60'000, 20, kMaxTicks, 0);
  t.append(sample::box({{1, 2}}), 60'000, -3, kMaxTicks, 0);
  const auto free = least_squares(t, kRate);
  EXPECT_NEAR(free[0].value, 17, 1e-6);
  make_consistent(t, kRate);
  EXPECT_NEAR(t.estimate[0], 17, 1e-6);
  EXPECT_NEAR(t.estimate[60'001], 17, 1e-6);
  EXPECT_EQ(t.estimate[60'002], 0);
}

TEST(MakeConsistent, AMillionRowsInAMoment) {
  Release release = sample::grid(1000);
  const std::clock_t start = std::clock();  // the processor's: a busy machine is no fault of the code
  make_consistent(release.tables[0], kRate);
  const auto all = least_squares(release.tables[0], kRate);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  RecordProperty("milliseconds", static_cast<int>(seconds * 1000));
  EXPECT_EQ(all.size(), 1'000'001u);
  EXPECT_LT(seconds, 10);
}

}  // namespace
}  // namespace stopover
