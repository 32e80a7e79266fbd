#include "base/portable_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace stopover {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double next(std::uint64_t& state) {  // splitmix64, to [0, 1)
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// How many ulps of the exact value the result is off.
double ulps(double got, long double exact) {
  if (got == static_cast<double>(exact)) return 0;
  const double near = std::fabs(static_cast<double>(exact));
  const double ulp = std::nextafter(near, kInfinity) - near;
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / ulp);
}

double worst(int n, double lower, double upper, const std::function<double(double)>& ours,
             const std::function<long double(long double)>& exact) {
  std::uint64_t state = 1;
  double most = 0;
  for (int i = 0; i < n; ++i) {
    const double x = lower + (upper - lower) * next(state);
    most = std::max(most, ulps(ours(x), exact(x)));
  }
  return most;
}

constexpr int kTries = 200'000;

TEST(PortableMath, Exp) {
  const auto exact = [](long double x) { return std::exp(x); };
  EXPECT_LE(worst(kTries, -700, 700, portable_exp, exact), 1);
  EXPECT_LE(worst(kTries, -1, 1, portable_exp, exact), 1);
  EXPECT_LE(worst(kTries, -745, -708, portable_exp, exact), 1);
  EXPECT_LE(worst(kTries, 709, 709.78, portable_exp, exact), 1);
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-0.0), 1);
  EXPECT_EQ(portable_exp(709.79), kInfinity);
  EXPECT_EQ(portable_exp(kInfinity), kInfinity);
  EXPECT_EQ(portable_exp(-kInfinity), 0);
  EXPECT_TRUE(std::isnan(portable_exp(std::nan(""))));
}

TEST(PortableMath, Expm1) {
  const auto exact = [](long double x) { return std::expm1(x); };
  EXPECT_LE(worst(kTries, -1, 1, portable_expm1, exact), 2);
  EXPECT_LE(worst(kTries, -50, 50, portable_expm1, exact), 2);
  EXPECT_LE(worst(kTries, -1e-9, 1e-9, portable_expm1, exact), 1);
  EXPECT_EQ(portable_expm1(0), 0);
  EXPECT_EQ(portable_expm1(1e-300), 1e-300);
  EXPECT_EQ(portable_expm1(-1000), -1);
}

TEST(PortableMath, Log) {
  const auto exact = [](long double x) { return std::log(x); };
  EXPECT_LE(worst(kTries, 0, 2, portable_log, exact), 1);
  EXPECT_LE(worst(kTries, 0.999, 1.001, portable_log, exact), 1);
  EXPECT_LE(worst(kTries, 1, 1e12, portable_log, exact), 1);
  EXPECT_LE(worst(kTries, 0, 1e-310, portable_log, exact), 1);
  EXPECT_LE(worst(kTries, 1e300, 1.7e308, portable_log, exact), 1);
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_EQ(portable_log(0), -kInfinity);
  EXPECT_TRUE(std::isnan(portable_log(-1)));
}

TEST(PortableMath, Pow) {
  std::uint64_t state = 7;
  double most = 0;
  for (int i = 0; i < kTries; ++i) {
    const double x = std::exp(40 * next(state) - 20);
    const double y = 60 * next(state) - 30;
    const long double exact = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    if (exact > 1e-300L && exact < 1e300L) most = std::max(most, ulps(portable_pow(x, y), exact));
  }
  EXPECT_LE(most, 1);
  EXPECT_EQ(portable_pow(2, 10), 1024);
  EXPECT_EQ(portable_pow(10, -2), 0.01);
  EXPECT_EQ(portable_pow(1e6, 0.5), 1000);
  EXPECT_EQ(portable_pow(0, 3), 0);
  EXPECT_EQ(portable_pow(0, -3), kInfinity);
  EXPECT_EQ(portable_pow(0, 0), 1);
  EXPECT_EQ(portable_pow(2, 1e300), kInfinity);
  EXPECT_EQ(portable_pow(0.5, 1e300), 0);
  EXPECT_EQ(portable_pow(kInfinity, -1), 0);
  EXPECT_TRUE(std::isnan(portable_pow(-1, 2)));
}

TEST(PortableMath, SinAndCos) {
  const auto sine = [](long double x) { return std::sin(x); };
  const auto cosine = [](long double x) { return std::cos(x); };
  for (double width : {0.7, 7.0, 1000.0, 999999.0}) {
    EXPECT_LE(worst(kTries, -width, width, portable_sin, sine), 1) << width;
    EXPECT_LE(worst(kTries, -width, width, portable_cos, cosine), 1) << width;
  }
  EXPECT_EQ(portable_sin(0), 0);
  EXPECT_EQ(portable_cos(0), 1);
  EXPECT_LE(ulps(portable_sin(3.141592653589793), std::sin(static_cast<long double>(3.141592653589793))), 1);
}

TEST(PortableMath, AsinAndAtan2) {
  EXPECT_LE(worst(kTries, -1, 1, portable_asin, [](long double x) { return std::asin(x); }), 3);
  EXPECT_LE(worst(kTries, -1e-8, 1e-8, portable_asin, [](long double x) { return std::asin(x); }), 2);
  std::uint64_t state = 3;
  double most = 0;
  for (int i = 0; i < kTries; ++i) {
    const double x = 2 * next(state) - 1, y = (2 * next(state) - 1) * std::exp(20 * next(state) - 10);
    most = std::max(most,
                    ulps(portable_atan2(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x))));
  }
  EXPECT_LE(most, 2);
  EXPECT_EQ(portable_atan2(0, 1), 0);
  EXPECT_EQ(portable_atan2(0, 0), 0);
  EXPECT_EQ(portable_atan2(0, -1), std::acos(-1.0));
  EXPECT_EQ(portable_atan2(1, 0), std::acos(0.0));
  EXPECT_EQ(portable_asin(1), std::acos(0.0));
  EXPECT_TRUE(std::isnan(portable_asin(1.01)));
}

// The bits themselves, so that another compiler or machine that gives others is noticed.
TEST(PortableMath, SameBitsEverywhere) {
  std::uint64_t hash = 0, state = 11;
  for (int i = 0; i < 20'000; ++i) {
    const double a = next(state), b = next(state);
    for (double value :
         {portable_exp(128 * a - 64), portable_expm1(a - b), portable_log(a + 1e-300), portable_pow(9 * a, 9 * b),
          portable_sin(9 * a), portable_cos(9 * a), portable_asin(a), portable_atan2(a, b - 0.5)}) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3;
    }
  }
  EXPECT_EQ(hash, 7141124924123639620u);
}

}  // namespace
}  // namespace stopover
