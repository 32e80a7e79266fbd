#include "testing/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace stopover {
namespace {

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

Bounds widened(long double lo, long double hi, int units) {
  STOPOVER_CHECK(!std::isnan(lo) && !std::isnan(hi), "bounds of something undefined");
  for (int i = 0; i < units; ++i) {
    lo = std::nextafter(lo, -kInfinity);
    hi = std::nextafter(hi, kInfinity);
  }
  return {lo, hi};
}

constexpr int kBasic = 1;
constexpr int kLibm = 16;

}  // namespace

Bounds operator-(Bounds a) { return {-a.hi, -a.lo}; }
Bounds operator+(Bounds a, Bounds b) { return widened(a.lo + b.lo, a.hi + b.hi, kBasic); }
Bounds operator-(Bounds a, Bounds b) { return a + -b; }

Bounds operator*(Bounds a, Bounds b) {
  const auto [lo, hi] = std::minmax({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
  return widened(lo, hi, kBasic);
}

Bounds operator/(Bounds a, Bounds b) {
  STOPOVER_CHECK(!b.contains(0), "bounds divided by zero");
  const auto [lo, hi] = std::minmax({a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi});
  return widened(lo, hi, kBasic);
}

Bounds exp(Bounds a) {
  const Bounds result = widened(std::exp(a.lo), std::exp(a.hi), kLibm);
  return {std::max(result.lo, 0.0L), result.hi};
}

Bounds expm1(Bounds a) {
  const Bounds result = widened(std::expm1(a.lo), std::expm1(a.hi), kLibm);
  return {std::max(result.lo, -1.0L), result.hi};
}

Bounds log(Bounds a) {
  STOPOVER_CHECK(a.lo >= 0, "log of a negative number");
  return widened(std::log(a.lo), std::log(a.hi), kLibm);
}

Bounds log1p(Bounds a) {
  STOPOVER_CHECK(a.lo >= -1, "log of a negative number");
  return widened(std::log1p(a.lo), std::log1p(a.hi), kLibm);
}

}  // namespace stopover
