// Goodness of fit of both samplers. Every p-value is compared with kFalseAlarm = 1e-9 (divided by the number of ratios
// where many are compared); keys are fixed. STOPOVER_LONG_TESTS=1 draws 1e7 samples a rate instead of 1e6 and takes
// fresh keys in a second round.
#include "privacy/discrete_laplace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "privacy/exp_bracket.h"
#include "testing/goodness_of_fit.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

using Counts = std::vector<std::uint64_t>;

bool long_tests() {
  const char* value = std::getenv("STOPOVER_LONG_TESTS");
  return value != nullptr && *value != '\0' && std::string(value) != "0";
}

// 1e-4 to 20, reduced and not, num above and below den.
constexpr Rate kRates[] = {{100'000, 1'000'000'000},
                           {1, 1'000},
                           {6'000'000, 3'000'000'000},
                           {1, 100},
                           {210'000'000, 7'000'000'000},
                           {100'000'000, 1'000'000'000},
                           {1, 3},
                           {1'400'000'000'000'000'000, 2'000'000'000'000'000'000},
                           {1, 1},
                           {2'000'000'000, 1'000'000'000},
                           {5, 1},
                           {20, 1}};

long double real(Rate rate) { return static_cast<long double>(rate.num) / static_cast<long double>(rate.den); }

std::string name(Rate rate) { return std::to_string(rate.num) + "/" + std::to_string(rate.den); }

// P(bit k of |X| is set) = 2/(1+a) a^T/(1+a^T), T = 2^k: the binary digits of a geometric number are independent coins.
long double bit_law(long double lambda, int k) {
  const long double power = std::exp(-std::ldexp(lambda, k));
  return 2 / (1 + std::exp(-lambda)) * power / (1 + power);
}

// Values -range ... range, and one slot at each end for what lies beyond.
struct Histogram {
  explicit Histogram(long double lambda) : range(static_cast<std::int64_t>(25 / lambda) + 4) {
    seen.resize(static_cast<std::size_t>(2 * range + 3));
  }
  void add(std::int64_t x) { ++at(x); }
  std::uint64_t& at(std::int64_t x) {
    return seen[static_cast<std::size_t>(std::clamp(x, -range - 1, range + 1) + range + 1)];
  }
  std::uint64_t total() const { return std::accumulate(seen.begin(), seen.end(), std::uint64_t{0}); }
  std::int64_t range;
  Counts seen;
};

std::vector<long double> law(const Histogram& histogram, long double lambda) {
  std::vector<long double> out;
  for (std::int64_t x = -histogram.range; x <= histogram.range; ++x) out.push_back(laplace_pmf(lambda, x));
  const long double tail = laplace_tail(lambda, histogram.range + 1) / 2;
  out.insert(out.begin(), tail);
  out.push_back(tail);
  return out;
}

void expect_discrete_laplace(Histogram& histogram, Rate rate) {
  SCOPED_TRACE(name(rate));
  const long double lambda = real(rate);
  const std::uint64_t n = histogram.total();
  EXPECT_GT(chi_square(histogram.seen, law(histogram, lambda)).p_value, kFalseAlarm);

  // Zero has the weight of one value, and plus and minus are alike.
  EXPECT_GT(binomial_p_value(histogram.at(0), n, laplace_pmf(lambda, 0)), kFalseAlarm);
  std::uint64_t positive = 0, negative = 0;
  for (std::int64_t x = 1; x <= histogram.range + 1; ++x) positive += histogram.at(x), negative += histogram.at(-x);
  EXPECT_GT(binomial_p_value(positive, positive + negative, 0.5L), kFalseAlarm);

  // Binary digits of |X|, up to 4/lambda.
  for (int k = 0; std::ldexp(lambda, k) <= 4; ++k) {
    std::uint64_t set = 0;
    for (std::int64_t x = 1; x <= histogram.range; ++x) set += (x >> k & 1) ? histogram.at(x) + histogram.at(-x) : 0;
    EXPECT_GT(binomial_p_value(set, n, bit_law(lambda, k)), kFalseAlarm) << "bit " << k;
  }

  // Adjacent ratios: of the samples with |X| in {x, x+1} a share of 1/(1+a) has x.
  const long double share = 1 / (1 + std::exp(-lambda));
  std::vector<long double> ratios;
  for (std::int64_t x = 1; x < histogram.range; ++x) {
    const std::uint64_t here = histogram.at(x) + histogram.at(-x), next = histogram.at(x + 1) + histogram.at(-x - 1);
    if (here + next >= 100) ratios.push_back(binomial_p_value(here, here + next, share));
  }
  for (long double p : ratios) EXPECT_GT(p, kFalseAlarm / static_cast<long double>(ratios.size()));

  // Tails of about 1e-1 ... 1e-6.
  for (int decade = 1; decade <= 6; ++decade) {
    const auto t = static_cast<std::int64_t>(decade * std::log(10.0L) / lambda) + 1;
    std::uint64_t beyond = 0;
    for (std::int64_t x = t; x <= histogram.range + 1; ++x) beyond += histogram.at(x) + histogram.at(-x);
    EXPECT_GT(binomial_p_value(beyond, n, laplace_tail(lambda, t)), kFalseAlarm) << "tail from " << t;
  }
}

void expect_both_samplers_exact(const ReleaseKey& key, std::size_t samples) {
  std::uint32_t call = 0;
  for (Rate rate : kRates) {
    Stream slow(key, {root_path(0), ++call, 0}), fast(key, {root_path(0), call, 1});
    Histogram reference(real(rate)), table(real(rate));
    for (std::size_t i = 0; i < samples; ++i) reference.add(discrete_laplace_reference(slow, rate));
    const LaplaceTable sampler(rate);
    std::vector<std::int64_t> block(1000);
    for (std::size_t i = 0; i < samples; i += block.size()) {
      sampler.fill(fast, block);
      for (std::int64_t x : block) table.add(x);
    }
    expect_discrete_laplace(reference, rate);
    expect_discrete_laplace(table, rate);
    EXPECT_GT(chi_square_two_samples(reference.seen, table.seen).p_value, kFalseAlarm) << name(rate);
  }
}

TEST(DiscreteLaplace, BothSamplersFitAndAgree) {
  expect_both_samplers_exact(test_key("laplace"), long_tests() ? 10'000'000 : 1'000'000);
}

TEST(DiscreteLaplace, FreshKeysFitToo) {
  if (!long_tests()) GTEST_SKIP() << "only with STOPOVER_LONG_TESTS=1";
  expect_both_samplers_exact(*draw_release_key(), 10'000'000);
}

// With 8-bit words nearly every draw is a tie, is settled by further words, and reaches past the table's leading bits.
TEST(LaplaceTable, TiesAreSettledExactly) {
  std::uint32_t call = 0;
  for (Rate rate : {Rate{1, 1'000}, Rate{1, 50}, Rate{1, 10}, Rate{7, 10}, Rate{3, 1}, Rate{8, 1}}) {
    Stream stream(test_key("ties"), {root_path(0), ++call, 0});
    const BasicLaplaceTable<std::uint8_t> sampler(rate);
    Histogram histogram(real(rate));
    const int samples = real(rate) < 0.05L ? 30'000 : 200'000;
    for (int i = 0; i < (long_tests() ? 10 : 1) * samples; ++i) histogram.add(sampler.draw(stream));
    expect_discrete_laplace(histogram, rate);
  }
}

// The law of inversion, draw by draw: a second stream of the same label tells V, and G = floor(-log V / lambda).
template <typename Word>
void expect_inversion(Rate rate, std::uint32_t draws) {
  const BasicLaplaceTable<Word> sampler(rate);
  std::uint32_t compared = 0;
  for (std::uint32_t call = 0; call < draws; ++call) {
    const StreamLabel label{root_path(0), call, 0};
    Stream a(test_key("inversion"), label), b(test_key("inversion"), label);
    const std::int64_t x = sampler.draw(a);
    constexpr Word kTop = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
    const Word word = b.next<Word>();
    long double v = static_cast<long double>(word & ~kTop), place = kTop;
    while (place < 0x1p80L) {
      v = std::ldexp(v, 8 * sizeof(Word)) + static_cast<long double>(b.next<Word>());
      place = std::ldexp(place, 8 * sizeof(Word));
    }
    const long double g = -std::log(v / place) / real(rate);
    const auto whole = static_cast<std::int64_t>(g);
    const bool negative = (word & kTop) != 0;
    if ((negative && whole == 0) || whole >= static_cast<std::int64_t>(sampler.entries())) continue;  // more words
    if (std::fabs(g - std::round(g)) < 1e-12L * (1 + g)) continue;                                    // log's own error
    ASSERT_EQ(x, negative ? -whole : whole) << name(rate) << " call " << call;
    ++compared;
  }
  EXPECT_GT(compared, draws / 3);
}

TEST(LaplaceTable, EveryDrawIsTheInversion) {
  for (Rate rate : {Rate{1, 10}, Rate{7, 10}, Rate{3, 1}}) expect_inversion<std::uint8_t>(rate, 30'000);
  expect_inversion<std::uint8_t>({1, 512}, 10'000);  // ties of 24 bits and more
  for (Rate rate : {Rate{1, 512}, Rate{1, 100}, Rate{1, 10}, Rate{1, 1}, Rate{4, 1}}) {
    expect_inversion<std::uint64_t>(rate, 50'000);
  }
}

// Small rates, where single values are too rare to count: 64 slices of equal probability, and every binary digit.
TEST(DiscreteLaplace, TinyRates) {
  std::uint32_t call = 0;
  for (Rate rate :
       {Rate{1, 1'000'000}, Rate{1, 1'000'000'000}, Rate{1, 1'000'000'000'000}, Rate{1, std::uint64_t{1} << 50}}) {
    const long double lambda = real(rate);
    for (bool use_table : {false, true}) {
      Stream stream(test_key("tiny"), {root_path(0), ++call, 0});
      const LaplaceTable sampler(rate);
      Counts slice(64), bits(60);
      std::uint64_t negative = 0;
      constexpr int kSamples = 200'000;
      for (int i = 0; i < kSamples; ++i) {
        const std::int64_t x = use_table ? sampler.draw(stream) : discrete_laplace_reference(stream, rate);
        const std::uint64_t m = static_cast<std::uint64_t>(std::abs(x));
        const auto beyond = std::exp(-lambda * static_cast<long double>(m));
        ++slice[std::min<std::size_t>(static_cast<std::size_t>(64 * beyond), 63)];
        for (std::size_t k = 0; k < bits.size(); ++k) bits[k] += m >> k & 1;
        negative += x < 0;
      }
      EXPECT_GT(chi_square(slice, std::vector<long double>(64, 1 / 64.0L)).p_value, kFalseAlarm) << name(rate);
      for (std::size_t k = 0; k < bits.size(); ++k) {
        EXPECT_GT(binomial_p_value(bits[k], kSamples, bit_law(lambda, static_cast<int>(k))), kFalseAlarm)
            << name(rate) << " bit " << k;
      }
      EXPECT_GT(binomial_p_value(negative, kSamples, 0.5L), kFalseAlarm) << name(rate);
    }
  }
}

TEST(DiscreteLaplace, HugeRatesGiveZero) {
  Stream stream(test_key("huge"), {});
  for (Rate rate : {Rate{50, 1}, Rate{256, 1}, Rate{1000, 1}, Rate{(std::uint64_t{1} << 62) - 1, 1}}) {
    const LaplaceTable sampler(rate);
    for (int i = 0; i < 1000; ++i) {
      EXPECT_EQ(sampler.draw(stream), 0);
      EXPECT_EQ(discrete_laplace_reference(stream, rate), 0);
    }
  }
}

TEST(LaplaceTable, StaysSmallAtEveryRate) {
  for (std::uint64_t den = 1; den <= std::uint64_t{1} << 50; den *= 2) {
    for (std::uint64_t num : {1, 3, 1000}) {
      EXPECT_LE(LaplaceTable(Rate{num, den}).entries(), 4'097u);
      EXPECT_GE(LaplaceTable(Rate{num, den}).entries(), 1u);
    }
  }
  const std::uint64_t most = (std::uint64_t{1} << 62) - 1;
  EXPECT_LE(LaplaceTable(Rate{most, most}).entries(), 4'097u);
  EXPECT_LE(LaplaceTable(Rate{most / 512, most}).entries(), 4'097u);
}

TEST(LaplaceTable, ThresholdsAreTheLeadingBitsOfTheBracket) {
  for (Rate rate : {Rate{1, 512}, Rate{1, 10}, Rate{7, 10}, Rate{3, 1}, Rate{40, 1},
                    Rate{4'503'599'627'370'497, 123'456'789'012'345'678}}) {
    const LaplaceTable wide(rate);
    const BasicLaplaceTable<std::uint8_t> narrow(rate);
    for (std::size_t m = 1; m <= wide.entries(); ++m) {
      const std::uint64_t low = exp_bracket(static_cast<u128>(m) * rate.num, rate.den).low[0];
      EXPECT_EQ(wide.threshold(m), low >> 1) << name(rate) << " " << m;  // "one less" has a chance of 2^-50 here
      EXPECT_EQ(narrow.threshold(m), low >> 57) << name(rate) << " " << m;
    }
  }
}

TEST(LaplaceTable, FillIsDrawRepeated) {
  for (Rate rate : {Rate{1, 100'000}, Rate{1, 10}, Rate{2, 1}}) {
    Stream a(test_key("fill"), {}), b(test_key("fill"), {});
    const LaplaceTable sampler(rate);
    std::vector<std::int64_t> filled(5'000);
    sampler.fill(a, filled);
    for (std::int64_t x : filled) ASSERT_EQ(x, sampler.draw(b));
  }
}

TEST(DiscreteLaplaceDeathTest, RefusesRatesOutOfRange) {
  Stream stream(test_key("refuse"), {});
  const std::uint64_t limit = std::uint64_t{1} << 62;
  for (Rate rate : {Rate{0, 1}, Rate{1, 0}, Rate{limit, 1}, Rate{1, limit}, Rate{1, (std::uint64_t{1} << 50) + 1}}) {
    EXPECT_FALSE(is_valid(rate));
    EXPECT_DEATH(discrete_laplace_reference(stream, rate), "rate out of range");
    EXPECT_DEATH(LaplaceTable{rate}, "rate out of range");
  }
  EXPECT_TRUE(is_valid({limit - 1, limit - 1}));
}

}  // namespace
}  // namespace stopover
