#include "query/answerer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "query/synthetic_release.h"
#include "release/consistency.h"
#include "release/sample_release.h"

namespace stopover {
namespace {

using synthetic::Random;

double share_of_box(const Table& table, std::size_t row, const BoxQuery& query) {
  double share = 1;
  for (std::size_t i = 0; i < query.axes; ++i) {
    const double lo = table.lo[i][row], hi = table.hi[i][row];
    const double from = std::max(lo, query.lo[i]), to = std::min(hi, query.hi[i]);
    if (to <= from) return 0;
    share *= (to - from) / (hi - lo);
  }
  return share;
}

// What an answer should be, from every leaf in turn and the least squares of the release.
struct Scan {
  double consistent = 0, plain = 0, unprojected = 0, plain_variance = 0;
  double size = 1;  // how large the numbers added up are
  std::uint64_t cut = 0;
};

Scan scan(const Release& release, const std::vector<RowEstimate>& squares, const BoxQuery& query) {
  const Table& table = release.tables[0];
  const std::vector<bool> leaves = table.leaves();
  Scan result;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!leaves[row]) continue;
    const double share = share_of_box(table, row, query);
    result.consistent += share * table.estimate[row];
    result.plain += share * static_cast<double>(table.count[row]);
    result.unprojected += share * squares[row].value;
    result.plain_variance += share * share * noise_variance(release.rate(table.row_ticks[row]));
    result.size += share * (std::fabs(squares[row].value) + std::fabs(static_cast<double>(table.count[row])));
    result.cut += share > 0 && share < 1;
  }
  return result;
}

// The weight of every measurement in the unprojected answer, by asking least squares about one count at a time.
std::vector<double> weights_of(const Release& release, const BoxQuery& query, Estimates estimates) {
  Table table = release.tables[0];
  const std::vector<bool> leaves = table.leaves();
  std::vector<double> shares(table.rows(), 0), weights(table.rows(), 0);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (leaves[row]) shares[row] = share_of_box(table, row, query);
  }
  if (estimates == Estimates::plain) return shares;
  std::fill(table.count.begin(), table.count.end(), 0);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.row_ticks[row] == 0) continue;
    table.count[row] = 1;
    const std::vector<RowEstimate> squares = least_squares(table, 1 / (1e9 * release.k));
    table.count[row] = 0;
    for (std::size_t leaf = 0; leaf < table.rows(); ++leaf) weights[row] += shares[leaf] * squares[leaf].value;
  }
  return weights;
}

double variance_of(const Release& release, const std::vector<double>& weights) {
  double sum = 0;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] != 0)
      sum += weights[row] * weights[row] * noise_variance(release.rate(release.tables[0].row_ticks[row]));
  }
  return sum;
}

std::int64_t discrete_laplace(Random& random, double rate) {
  const auto geometric = [&] { return static_cast<std::int64_t>(std::log1p(-synthetic::unit(random)) / -rate); };
  return geometric() - geometric();
}

void expect_same_answer(const Release& release, std::uint64_t seed, int queries) {
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index) << index.error().message;
  const std::vector<RowEstimate> squares = least_squares(release.tables[0], 1 / (1e9 * release.k));
  Answerer consistent(*index, {});
  Answerer plain(*index, {.estimates = Estimates::plain});
  Answerer bare(*index, {.intervals = false});
  Random random(seed);
  for (int i = 0; i < queries; ++i) {
    const BoxQuery query = synthetic::some_box(release.domain, random, i % 2 == 0);
    const Scan expected = scan(release, squares, query);
    const double tolerance = 1e-9 * expected.size;
    const Answer a = consistent(query);
    EXPECT_NEAR(a.estimate, expected.consistent, tolerance);
    EXPECT_NEAR(a.unprojected, expected.unprojected, tolerance);
    EXPECT_EQ(a.partitions_cut, expected.cut);
    EXPECT_EQ(a.aligned, expected.cut == 0);
    EXPECT_EQ(a.level, 0.95);
    EXPECT_LE(a.noise_lower, a.unprojected);
    EXPECT_NEAR(a.noise_lower + a.noise_upper, 2 * a.unprojected, tolerance);
    EXPECT_EQ(consistent(query).noise_upper, a.noise_upper);
    const Answer p = plain(query);
    EXPECT_NEAR(p.estimate, expected.plain, tolerance);
    EXPECT_NEAR(p.unprojected, expected.plain, tolerance);
    EXPECT_NEAR(p.noise_variance, expected.plain_variance, 1e-9 * expected.plain_variance);
    EXPECT_EQ(p.partitions_cut, expected.cut);
    EXPECT_LE(a.noise_variance, p.noise_variance * (1 + 1e-9)) << "least squares is never worse than the leaves alone";
    const Answer b = bare(query);
    EXPECT_NEAR(b.estimate, expected.consistent, tolerance);
    EXPECT_EQ(b.partitions_cut, expected.cut);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(AnswererTest, AgreesWithAScanOnAnyTree) {
  for (std::size_t d = 1; d <= 8; ++d) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE("d " + std::to_string(d) + ", seed " + std::to_string(seed));
      expect_same_answer(synthetic::any(d, 100 * d + seed, 20 + 70 * seed), seed, 60);
      if (HasFailure()) return;
    }
  }
}

TEST(AnswererTest, AgreesWithAScanOnGridsAndTrees) {
  expect_same_answer(synthetic::flat({1000, 1000}, {100, 100}, 100'000'000), 1, 100);
  expect_same_answer(synthetic::flat({50, 30}, {50, 30}, 5'000'000'000, 1'000'000), 2, 100);
  expect_same_answer(synthetic::flat({40, 40, 40, 40}, {7, 9, 8, 10}, 30'000'000, 10'000'000), 3, 60);
  expect_same_answer(synthetic::flat({10000}, {10000}, 1'000'000'000), 4, 60);
  expect_same_answer(synthetic::daf_like({1000, 1000}, {40, 30}, 100'000'000), 5, 100);
  expect_same_answer(synthetic::daf_like({100, 1, 100, 37}, {12, 3, 9, 5}, 900'000'000), 6, 100);
}

// Cuts so uneven that no guess finds them.
TEST(AnswererTest, AgreesWithAScanOnUnevenCuts) {
  Release release = synthetic::empty({1 << 20, 3});
  Table& table = release.tables[0];
  Random random(9);
  std::vector<std::uint32_t> cuts = {0};
  for (std::uint32_t i = 0; i <= 20; ++i) cuts.push_back(1u << i);
  for (std::uint32_t i = 0; i < 30; ++i) cuts.push_back((1u << 19) + 1 + i);
  std::sort(cuts.begin(), cuts.end());
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    for (std::uint32_t j = 0; j < 3; ++j) {
      table.append(sample::box({{cuts[i], cuts[i + 1]}, {j, j + 1}}), -1, synthetic::some_count(random), 100'000'000,
                   0);
    }
  }
  synthetic::settle(release);
  expect_same_answer(release, 1, 300);
  const Result<BoxIndex> index = BoxIndex::make(release);
  EXPECT_EQ(index->grids().size(), 1u);
  Answerer plain(*index, {.estimates = Estimates::plain});
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    BoxQuery query = BoxQuery::whole(release.domain);
    query.lo[0] = cuts[i];
    query.hi[0] = cuts[i + 1];
    double expected = 0;
    for (std::size_t j = 0; j < 3; ++j) expected += static_cast<double>(table.count[3 * i + j]);
    EXPECT_NEAR(plain(query).estimate, expected, 1e-9);
    EXPECT_TRUE(plain(query).aligned);
  }
}

TEST(AnswererTest, AgreesWithAScanOnSparseCells) {
  Random random(5);
  for (std::size_t d : {1, 2, 3, 5}) {
    Release release = synthetic::empty(std::vector<std::uint64_t>(d, d == 1 ? 5000 : 40));
    Table& table = release.tables[0];
    table.kind = TableKind::cells;
    std::vector<std::vector<std::uint32_t>> seen;
    for (int i = 0; i < 700; ++i) {
      std::vector<std::uint32_t> cell;
      for (std::size_t axis = 0; axis < d; ++axis)
        cell.push_back(static_cast<std::uint32_t>(synthetic::below(random, d == 1 ? 5000 : 40)));
      if (std::find(seen.begin(), seen.end(), cell) != seen.end()) continue;
      seen.push_back(cell);
      Box box = release.domain.whole();
      for (std::size_t axis = 0; axis < d; ++axis) box[axis] = {cell[axis], cell[axis] + 1};
      table.append(box, -1, synthetic::some_count(random), 300'000'000, 0);
    }
    synthetic::settle(release);
    expect_same_answer(release, d, 100);
  }
}

TEST(AnswererTest, VarianceIsThatOfTheWeights) {
  for (std::size_t d = 1; d <= 5; ++d) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Release release = synthetic::any(d, 900 * d + seed, 60);
      const Result<BoxIndex> index = BoxIndex::make(release);
      Random random(seed);
      for (int i = 0; i < 8; ++i) {
        const BoxQuery query = synthetic::some_box(release.domain, random, i % 2 == 0);
        const double expected = variance_of(release, weights_of(release, query, Estimates::consistent));
        EXPECT_NEAR(answer(*index, query).noise_variance, expected, 1e-8 * expected) << d << " " << seed << " " << i;
      }
    }
  }
}

// Second and fourth cumulant of an answer's noise, from its weights.
NoiseCumulants cumulants_of_answer(const Release& release, const std::vector<double>& weights) {
  NoiseCumulants sum;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    const double v = noise_variance(release.rate(release.tables[0].row_ticks[row]));
    sum.second += std::pow(weights[row], 2) * v;
    sum.fourth += std::pow(weights[row], 4) * laplace_fourth(v);
  }
  return sum;
}

// Where many terms matter the interval comes from exact cumulants; it sits on a lattice only if the answer does.
TEST(AnswererTest, ManyTermsUseTheirCumulants) {
  const NoiseInterval interval(0.95);
  std::size_t used = 0;
  for (const Ticks root_ticks : {Ticks{0}, Ticks{400'000'000}}) {
    const Release release = synthetic::flat({60, 8}, {60, 4}, 1'000'000'000, root_ticks);
    const Result<BoxIndex> index = BoxIndex::make(release);
    for (const Estimates estimates : {Estimates::consistent, Estimates::plain}) {
      for (const char* box : {"a0=3:50", "a0=3:50,a1=0:4", "a0=3:50,a1=0:5", "a0=10:41,a1=1:7"}) {
        const BoxQuery query = *parse_box(release.domain, box);
        const NoiseCumulants noise = cumulants_of_answer(release, weights_of(release, query, estimates));
        if (!interval.near_normal(noise, 1)) continue;
        ++used;
        const Answer a = answer(*index, query, {.estimates = estimates});
        const bool lattice = a.aligned && (estimates == Estimates::plain || root_ticks == 0);
        const double expected = interval.half_width(noise, 1, lattice);
        EXPECT_NEAR((a.noise_upper - a.noise_lower) / 2, expected, 1e-9 * expected) << box;
      }
    }
  }
  EXPECT_GE(used, 14u);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Release release = synthetic::daf_like({90, 90}, {9, 9}, 30'000'000, seed);
    const Result<BoxIndex> index = BoxIndex::make(release);
    Random random(seed);
    for (int i = 0; i < 10; ++i) {
      const BoxQuery query = synthetic::some_box(release.domain, random, true);
      const NoiseCumulants noise = cumulants_of_answer(release, weights_of(release, query, Estimates::consistent));
      const Answer a = answer(*index, query);
      if (!interval.near_normal(noise, 1) || noise.second < 1e4) continue;
      ++used;
      const double step = (a.noise_upper - a.unprojected) - interval.half_width(noise, 0, false);
      EXPECT_GE(step, -1e-6);
      EXPECT_LE(step, 0.51);
    }
  }
  EXPECT_GE(used, 30u);
}

// Listed terms and the rest together have the second and fourth cumulant of the true weights, and each listed weight is
// one of them.
TEST(AnswererTest, TheNoiseIsListedInFull) {
  std::size_t listed = 0;
  for (std::size_t d = 1; d <= 5; ++d) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Release release = synthetic::any(d, 500 * d + seed, 80);
      const Result<BoxIndex> index = BoxIndex::make(release);
      Random random(seed);
      for (int i = 0; i < 8; ++i) {
        const BoxQuery query = synthetic::some_box(release.domain, random, i % 2 == 0);
        const Estimates estimates = i % 4 == 3 ? Estimates::plain : Estimates::consistent;
        const std::vector<double> weights = weights_of(release, query, estimates);
        const auto [second, fourth] = cumulants_of_answer(release, weights);
        const NoiseList noise = Answerer(*index, {.estimates = estimates}).noise(query);
        double got_second = noise.rest.noise.second, got_fourth = noise.rest.noise.fourth;
        for (const NoiseTerm& term : noise.terms) {
          const double n = static_cast<double>(term.times);
          got_second += n * term.weight * term.weight * term.variance;
          got_fourth += n * std::pow(term.weight, 4) * laplace_fourth(term.variance);
          const bool known =
              std::any_of(weights.begin(), weights.end(), [&](double w) { return std::fabs(w - term.weight) < 1e-8; });
          EXPECT_TRUE(known) << term.weight;
          ++listed;
        }
        EXPECT_NEAR(got_second, second, 1e-7 * second);
        EXPECT_NEAR(got_fourth, fourth, 1e-7 * fourth);
      }
    }
  }
  EXPECT_GT(listed, 1000u);
}

// The paper's example: two cells, one of the partition of 12 in 6 cells and one of the partition of 2 in 4.
TEST(AnswererTest, ThePapersExample) {
  for (const auto& [n1, n2, n3] : {std::array<int, 3>{0, 0, 0}, {3, -7, -1}, {-20, 5, 40}}) {
    const Release release = sample::paper(n1, n2, n3);
    const Result<BoxIndex> index = BoxIndex::make(release);
    ASSERT_TRUE(index);
    const Result<BoxQuery> query = parse_box(release.domain, "a0=0:1,a1=0:1,a2=1:3");
    ASSERT_TRUE(query);
    const Answer a = answer(*index, *query, {.estimates = Estimates::plain});
    EXPECT_DOUBLE_EQ(a.estimate, (12 + n3) / 6.0 + (2 + n1) / 4.0);
    EXPECT_EQ(a.partitions_cut, 2u);
    EXPECT_FALSE(a.aligned);
    const double variance = noise_variance(0.1);
    EXPECT_NEAR(a.noise_variance, variance / 36 + variance / 16, 1e-12);
    EXPECT_LT(a.noise_lower, a.estimate);
    EXPECT_GT(a.noise_upper, a.estimate);
  }
}

TEST(AnswererTest, TheWholeAndNothing) {
  const Release release = synthetic::daf_like({64, 64}, {8, 8}, 500'000'000);
  const Result<BoxIndex> index = BoxIndex::make(release);
  const Answer all = answer(*index, BoxQuery::whole(release.domain));
  EXPECT_NEAR(all.estimate, release.tables[0].estimate[0], 1e-9 * all.estimate);
  EXPECT_TRUE(all.aligned);
  BoxQuery nothing = BoxQuery::whole(release.domain);
  nothing.hi[1] = nothing.lo[1];
  const Answer none = answer(*index, nothing);
  EXPECT_EQ(none.estimate, 0);
  EXPECT_EQ(none.noise_lower, 0);
  EXPECT_EQ(none.noise_upper, 0);
  EXPECT_TRUE(none.aligned);
}

TEST(AnswererTest, ATableWithoutRowsAnswersZero) {
  Release release = synthetic::empty({4, 4});
  release.tables[0].kind = TableKind::cells;
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index);
  EXPECT_EQ(answer(*index, BoxQuery::whole(release.domain)).noise_upper, 0);
  EXPECT_EQ(index->partitions(), 0u);
  EXPECT_FALSE(answer(*index, BoxQuery::whole(release.domain)).claimed) << "trips may be in cells that are not listed";
}

TEST(AnswererTest, RefusesWhatIsNotASumOfLeaves) {
  Release release = sample::paper(0, 0, 0);
  release.tables.clear();
  EXPECT_EQ(BoxIndex::make(release).error().failure, Failure::bad_input);
  release = sample::paper(0, 0, 0);
  release.tables.push_back(sample::table("stop1", {0}, 1));
  std::swap(release.tables.front(), release.tables.back());
  EXPECT_FALSE(BoxIndex::make(release));
}

// Unmeasured children of a measured row: the row is the partition. Among measured siblings: least squares gives the
// rest.
TEST(AnswererTest, UnmeasuredLeaves) {
  Release release = synthetic::empty({8});
  Table& table = release.tables[0];
  table.append(sample::box({{0, 8}}), -1, 100, 200'000'000, 0);
  table.append(sample::box({{0, 4}}), 0, 70, 300'000'000, 0);
  table.append(sample::box({{4, 8}}), 0, 0, 0, 0);
  table.append(sample::box({{0, 1}}), 1, 0, 0, 0);
  table.append(sample::box({{1, 4}}), 1, 0, 0, 0);
  synthetic::settle(release);
  const Result<BoxIndex> index = BoxIndex::make(release);
  EXPECT_EQ(index->partitions(), 2u);
  const Answer quarter = answer(*index, *parse_box(release.domain, "a0=0:1"));
  EXPECT_NEAR(quarter.estimate, 70.0 / 4, 1e-9);
  EXPECT_NEAR(quarter.noise_variance, noise_variance(0.3) / 16, 1e-6 * noise_variance(0.3));
  const Answer rest = answer(*index, *parse_box(release.domain, "a0=4:8"));
  EXPECT_NEAR(rest.estimate, 30, 1e-9);
  EXPECT_NEAR(rest.unprojected, 30, 1e-3);
  EXPECT_NEAR(rest.noise_variance, noise_variance(0.2) + noise_variance(0.3), 1e-3 * rest.noise_variance);
}

struct CoveredShare {
  double covered;     // of simulated noise
  double half_width;  // in standard deviations
};

// The sum of n discrete Laplace variables: the difference of two negative binomial ones.
std::int64_t sum_of_laplace(Random& random, double n, double rate) {
  std::gamma_distribution<double> gamma(n, 1 / std::expm1(rate));
  const auto one = [&] {
    const double mean = gamma(random);
    return mean > 0 ? std::poisson_distribution<std::int64_t>(mean)(random) : 0;
  };
  return one() - one();
}

// Noise drawn from the true distribution, with weights from the release's own least squares; the width of an interval
// does not depend on the noise.
CoveredShare simulate(const Release& release, const BoxQuery& query, Estimates estimates, int draws, Random& random) {
  const Result<BoxIndex> index = BoxIndex::make(release);
  const Answer a = answer(*index, query, {.estimates = estimates});
  EXPECT_TRUE(a.aligned);
  const double half_width = a.noise_upper - a.unprojected;
  std::map<std::pair<double, double>, int> terms;
  const std::vector<double> weights = weights_of(release, query, estimates);
  for (std::size_t row = 0; row < weights.size(); ++row) {
    const double weight = std::round(weights[row] * 1e10) / 1e10;
    if (weight != 0) ++terms[{weight, release.rate(release.tables[0].row_ticks[row])}];
  }
  int covered = 0;
  for (int i = 0; i < draws; ++i) {
    double noise = 0;
    for (const auto& [term, n] : terms)
      noise += term.first * static_cast<double>(sum_of_laplace(random, n, term.second));
    covered += std::fabs(noise) <= half_width + 1e-7 * (1 + half_width);
  }
  return {covered / static_cast<double>(draws), half_width / std::sqrt(a.noise_variance)};
}

constexpr double kRates[] = {0.001, 0.01, 0.1, 1, 5};
constexpr int kDraws = 30'000;

BoxQuery first_cells(const Release& release, double cells) {
  BoxQuery query = BoxQuery::whole(release.domain);
  query.hi[0] = cells;
  return query;
}

void expect_coverage(const Release& release, std::uint32_t terms, Estimates estimates, double rate, Random& random) {
  const CoveredShare c = simulate(release, first_cells(release, terms), estimates, kDraws, random);
  EXPECT_GE(c.covered, 0.945) << rate << " " << terms;
  if (rate <= 0.1) {
    EXPECT_LE(c.covered, 0.957 + rate / 2) << rate << " " << terms;
    EXPECT_LE(c.half_width, 2.2 + rate) << rate << " " << terms;
  }
}

// 75 cases in this and the next test, each with a true coverage of 95 % or more: 94.5 % of 30,000 draws is 4 deviations
// below. One false alarm in 400 keys, at most.
TEST(AnswererCoverageTest, FlatTables) {
  Random random(11);
  for (const double rate : kRates) {
    for (const std::uint32_t terms : {1, 2, 5, 50, 1000}) {
      const std::uint32_t cells = terms + terms / 4 + 1;
      const Release release = synthetic::flat({cells}, {cells}, static_cast<Ticks>(rate * 1e9 + 0.5));
      expect_coverage(release, terms, Estimates::plain, rate, random);
      expect_coverage(release, terms, Estimates::consistent, rate, random);
    }
  }
}

// A measured root, measured groups, measured leaves; the box ends between leaves, inside a group.
TEST(AnswererCoverageTest, TreeTables) {
  Random random(12);
  for (const double rate : kRates) {
    for (const std::uint32_t terms : {1, 2, 5, 50, 1000}) {
      const std::uint32_t cells = terms + terms / 4 + 2;
      Release release = synthetic::empty({cells});
      Table& table = release.tables[0];
      Random counts(3);
      const auto leaf_ticks = static_cast<Ticks>(rate * 1e9 + 0.5);
      const std::size_t root = table.append(release.domain.whole(), -1, 500, leaf_ticks / 10, 0);
      const std::uint32_t groups = cells < 12 ? 2 : cells < 200 ? 6 : 25;
      for (const std::size_t row : synthetic::append_grid(
               table, release.domain.whole(), static_cast<std::int32_t>(root), {groups}, leaf_ticks / 3, counts)) {
        synthetic::append_grid(table, table.box(row), static_cast<std::int32_t>(row), {table.box(row)[0].width()},
                               leaf_ticks, counts);
      }
      synthetic::settle(release);
      expect_coverage(release, terms, Estimates::consistent, rate, random);
    }
  }
}

// The whole way: counts with fresh noise, an index, an answer, does it hold what the partition would have said without
// noise? 92.5 % of 3,000 is 6 deviations below 95 %: false alarms below 1e-8.
TEST(AnswererCoverageTest, FromCountsToInterval) {
  Random random(13);
  for (const double epsilon : {0.05, 0.5, 2.0}) {
    Release release = synthetic::daf_like({60, 60}, {5, 4}, static_cast<Ticks>(epsilon * 1e9), 3);
    Table& table = release.tables[0];
    std::vector<double> truth(table.rows(), 0);
    const std::vector<bool> leaves = table.leaves();
    for (std::size_t row = table.rows(); row-- > 0;) {
      if (leaves[row]) truth[row] = static_cast<double>(synthetic::below(random, 50));
      if (table.parent[row] >= 0) truth[static_cast<std::size_t>(table.parent[row])] += truth[row];
    }
    for (const Estimates estimates : {Estimates::consistent, Estimates::plain}) {
      int covered = 0;
      constexpr int kRuns = 3000;
      for (int run = 0; run < kRuns; ++run) {
        for (std::size_t row = 0; row < table.rows(); ++row) {
          table.count[row] =
              static_cast<std::int64_t>(truth[row]) + discrete_laplace(random, release.rate(table.row_ticks[row]));
        }
        const Result<BoxIndex> index = BoxIndex::make(release);
        const BoxQuery query = synthetic::some_box(release.domain, random, run % 2 == 0);
        const Answer a = answer(*index, query, {.estimates = estimates});
        double expected = 0;
        for (std::size_t row = 0; row < table.rows(); ++row) {
          if (leaves[row]) expected += truth[row] * share_of_box(table, row, query);
        }
        covered += a.noise_lower - 1e-9 <= expected && expected <= a.noise_upper + 1e-9;
      }
      EXPECT_GE(covered, 0.925 * kRuns) << epsilon;
      EXPECT_LE(covered, 0.985 * kRuns) << epsilon;
    }
  }
}

}  // namespace
}  // namespace stopover
