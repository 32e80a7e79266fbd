#include "base/portable_math.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/check.h"

namespace stopover {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// ln 2 and pi/2 in parts: the first ones have 33 bits, so that small integers times them are exact.
constexpr double kLn2High = 0x1.62e42fefp-1, kLn2Low = 0x1.473de6af278edp-34;
constexpr double kOneByLn2 = 0x1.71547652b82fep+0;
constexpr double kHalfPi1 = 0x1.921fb544p+0, kHalfPi2 = 0x1.0b4611a6p-34, kHalfPi3 = 0x1.3198a2e037073p-69;
constexpr double kTwoByPi = 0x1.45f306dc9c883p-1;
constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;

// A number as the sum of two doubles, the second below half an ulp of the first.
struct Pair {
  double high, low;
};

Pair two_sum(double a, double b) {
  const double sum = a + b;
  const double back = sum - a;
  return {sum, (a - (sum - back)) + (b - back)};
}

Pair two_product(double a, double b) {
  constexpr double kSplit = 0x1p27 + 1;
  const double product = a * b;
  const double ca = kSplit * a, cb = kSplit * b;
  const double ah = ca - (ca - a), bh = cb - (cb - b);
  const double al = a - ah, bl = b - bh;
  return {product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
}

double power_of_two(int k) { return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52); }

// x times 2^k, rounded once also when the result is below the normal range.
double scale(double x, int k) {
  if (k > 1023) return x * power_of_two(1023) * power_of_two(k - 1023);
  if (k < -1021) return x * power_of_two(k + 1000) * power_of_two(-1000);
  return x * power_of_two(k);
}

int nearest_whole(double x) { return static_cast<int>(x < 0 ? x - 0.5 : x + 0.5); }

// c[0] + x c[1] + x^2 c[2] ...
template <std::size_t N>
double polynomial(double x, const std::array<double, N>& c) {
  double sum = c[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

// 1/2!, 1/3!, ... 1/15!
constexpr std::array<double, 14> kInverseFactorials = [] {
  std::array<double, 14> c{};
  double factorial = 1;
  for (std::size_t i = 0; i < c.size(); ++i) {
    factorial *= static_cast<double>(i + 2);
    c[i] = 1 / factorial;
  }
  return c;
}();

// exp(x) = 2^k (1 + m), |log(1 + m)| <= ln(2)/2.
struct Exponential {
  int k;
  double m;
};

// Of x + more, `more` tiny. REQUIRES: |x| < 1000.
Exponential exponential(double x, double more) {
  const int k = nearest_whole(x * kOneByLn2);
  const double high = x - k * kLn2High;
  const double low = k * kLn2Low - more;
  const double r = high - low;
  const double lost = (high - r) - low;
  return {k, r + (r * r * polynomial(r, kInverseFactorials) + lost * (1 + r))};
}

double exp_of(double x, double more) {
  if (x > 709.79) return kInfinity;
  if (x < -745.2) return 0;
  const Exponential e = exponential(x, more);
  return scale(1 + e.m, e.k);
}

// log(x). REQUIRES: x is finite and above 0.
Pair log_of(double x) {
  int k = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    k = -54;
  }
  auto bits = std::bit_cast<std::uint64_t>(x);
  constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  const auto exponent = static_cast<int>((bits - kSqrtHalf + (std::uint64_t{1023} << 52)) >> 52) - 1023;
  bits -= static_cast<std::uint64_t>(static_cast<std::int64_t>(exponent)) << 52;
  k += exponent;
  const double m = std::bit_cast<double>(bits);  // sqrt(1/2) .. sqrt(2)

  // log(m) = 2 atanh(s) = 2s (1 + z/3 + z^2/5 + ...) with s = (m-1)/(m+1), z = s^2 <= 0.0295.
  constexpr std::array<double, 10> kTail = {1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13,
                                            1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
  const double f = m - 1;
  const Pair below = two_sum(m, 1);
  const double s = f / below.high;
  const Pair product = two_product(s, below.high);
  const double s_low = ((f - product.high) - product.low - s * below.low) / below.high;
  const Pair square = two_product(s, s);
  const double z = square.high, z_low = square.low + 2 * s * s_low;
  constexpr double kThird = 1.0 / 3, kThirdLow = 0x1.5555555555555p-56;
  const Pair third = two_product(z, kThird);
  const Pair u = two_sum(third.high, third.low + z_low * kThird + z * kThirdLow + z * z * polynomial(z, kTail));
  const Pair su = two_product(s, u.high);
  const Pair atanh = two_sum(s, su.high);
  const double atanh_low = atanh.low + (su.low + s * u.low + s_low * u.high + s_low);

  const Pair sum = two_sum(k * kLn2High, 2 * atanh.high);
  const Pair all = two_sum(sum.high, sum.low + (2 * atanh_low + k * kLn2Low));
  return all;
}

// sin(r + more), cos(r + more) for |r| <= pi/4.
double sin_of(double r, double more) {
  constexpr std::array<double, 8> kTail = [] {
    std::array<double, 8> c{};
    double factorial = 1;
    for (std::size_t i = 0; i < c.size(); ++i) {
      factorial *= -static_cast<double>((2 * i + 2) * (2 * i + 3));
      c[i] = 1 / factorial;
    }
    return c;
  }();
  const double z = r * r;
  return r + (r * z * polynomial(z, kTail) + more * (1 - z / 2));
}

double cos_of(double r, double more) {
  constexpr std::array<double, 8> kTail = [] {  // 1/4!, -1/6!, ...
    std::array<double, 8> c{};
    double factorial = -2;
    for (std::size_t i = 0; i < c.size(); ++i) {
      factorial *= -static_cast<double>((2 * i + 3) * (2 * i + 4));
      c[i] = 1 / factorial;
    }
    return c;
  }();
  const double z = r * r;
  const double half = z / 2;
  const double most = 1 - half;
  return most + (((1 - most) - half) + (z * z * polynomial(z, kTail) - r * more));
}

struct Quarter {
  int turns;  // 0..3
  double r, more;
};

Quarter reduce(double x) {
  const int k = nearest_whole(x * kTwoByPi);
  const Pair first = two_sum(x - k * kHalfPi1, -(k * kHalfPi2));
  const double rest = k * kHalfPi3 - first.low;
  const double r = first.high - rest;
  return {k & 3, r, (first.high - r) - rest};
}

double sin_or_cos(double x, int shift) {
  if (x != x) return x;
  STOPOVER_CHECK(x >= -1e6 && x <= 1e6, "angles are at most a million radians");
  const Quarter q = reduce(x);
  const int turns = (q.turns + shift) & 3;
  const double value = (turns & 1) != 0 ? cos_of(q.r, q.more) : sin_of(q.r, q.more);
  return (turns & 2) != 0 ? -value : value;
}

// atan of 0 .. 1: the nearest_whole eighth from the table, the rest by its series.
double atan_of(double x) {
  constexpr std::array<Pair, 9> kEighths = {{{0, 0},
                                             {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                             {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                             {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                             {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                             {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                             {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                             {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                             {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}}};
  constexpr std::array<double, 7> kTail = {-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15};
  const int eighths = nearest_whole(8 * x);
  const double c = eighths / 8.0;
  const double u = (x - c) / (1 + x * c);
  const double z = u * u;
  const Pair& base = kEighths[static_cast<std::size_t>(eighths)];
  return base.high + (u + (base.low + u * z * polynomial(z, kTail)));
}

}  // namespace

double portable_exp(double x) { return x != x ? x : exp_of(x, 0); }

double portable_expm1(double x) {
  if (x != x) return x;
  if (x > 40 || x < -40) return exp_of(x, 0) - 1;
  if (x > -0x1p-54 && x < 0x1p-54) return x;
  const Exponential e = exponential(x, 0);
  const double two = power_of_two(e.k);
  return e.k == 0 ? e.m : two * e.m + (two - 1);
}

double portable_log(double x) {
  if (x != x || x < 0) return kNaN;
  if (x == 0) return -kInfinity;
  if (x == kInfinity) return x;
  return log_of(x).high;
}

double portable_pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y || x < 0) return kNaN;
  if (x == 0 || x == kInfinity) return (x == 0) == (y > 0) ? 0 : kInfinity;
  if (y == kInfinity || y == -kInfinity) return (x > 1) == (y > 0) ? kInfinity : 0;
  const Pair log = log_of(x);
  const double rough = log.high * y;
  if (rough > 710) return kInfinity;
  if (rough < -746) return 0;
  const Pair product = two_product(log.high, y);
  return exp_of(product.high, product.low + log.low * y);
}

double portable_sin(double x) { return sin_or_cos(x, 0); }

double portable_cos(double x) { return sin_or_cos(x, 1); }

double portable_atan2(double y, double x) {
  if (x != x || y != y) return kNaN;
  if (x == 0 && y == 0) return 0;
  const double ax = x < 0 ? -x : x, ay = y < 0 ? -y : y;
  double angle;
  if (ay <= ax) {
    angle = ax == ay ? kHalfPi / 2 : atan_of(ay / ax);
    if (x < 0) angle = 2 * kHalfPi - (angle - 2 * kHalfPiLow);
  } else {
    angle = atan_of(ax / ay);
    angle = x < 0 ? kHalfPi + (angle + kHalfPiLow) : kHalfPi - (angle - kHalfPiLow);
  }
  return y < 0 ? -angle : angle;
}

double portable_asin(double x) {
  if (!(x >= -1 && x <= 1)) return kNaN;
  return portable_atan2(x, std::sqrt((1 - x) * (1 + x)));
}

}  // namespace stopover
