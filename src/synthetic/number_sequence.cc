#include "synthetic/number_sequence.h"

#include <cmath>

#include "base/check.h"
#include "base/wide.h"

namespace stopover {
namespace {

constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

}  // namespace

double plain_exp(double x) {
  const double k = std::floor(x * 0x1.71547652b82fep0 + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 1;
  for (int i = 14; i > 0; --i) sum = 1 + sum * r / i;
  return std::ldexp(sum, static_cast<int>(k));
}

double plain_log(double x) {
  int e = 0;
  double m = std::frexp(x, &e);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --e;
  }
  const double s = (m - 1) / (m + 1);
  const double t = s * s;
  double sum = 0;
  for (int i = 21; i > 1; i -= 2) sum = (sum + 1.0 / i) * t;
  return e * kLn2High + (2 * s + (2 * s * sum + e * kLn2Low));
}

std::uint64_t NumberSequence::below(std::uint64_t n) {
  STOPOVER_CHECK(n > 0, "a number below 0 was asked for");
  const std::uint64_t refused = (0 - n) % n;
  for (;;) {
    const u128 product = static_cast<u128>(next()) * n;
    if (static_cast<std::uint64_t>(product) >= refused) return static_cast<std::uint64_t>(product >> 64);
  }
}

double NumberSequence::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  for (;;) {
    const double u = 2 * uniform() - 1;
    const double v = 2 * uniform() - 1;
    const double q = u * u + v * v;
    if (q >= 1 || q == 0) continue;
    const double scale = std::sqrt(-2 * plain_log(q) / q);
    spare_ = v * scale;
    has_spare_ = true;
    return u * scale;
  }
}

}  // namespace stopover
