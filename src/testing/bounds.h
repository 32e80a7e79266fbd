// Bounds: a real number that is known to lie between two long doubles. What the likelihood proof calculates with.
//
// Every operation widens its result outwards, so a true inclusion stays true: + - * / by one unit in the last place
// (the processor rounds those correctly), exp and log by sixteen (glibc states at most 4 for its long double functions;
// bounds_test.cc compares them with the 240-bit brackets of privacy/exp_bracket.h).
#pragma once

namespace stopover {

struct Bounds {
  long double lo = 0;
  long double hi = 0;

  Bounds() = default;
  // Exactly this number.
  Bounds(long double value) : lo(value), hi(value) {}
  // REQUIRES: low <= high.
  Bounds(long double low, long double high) : lo(low), hi(high) {}

  long double width() const { return hi - lo; }
  bool contains(long double value) const { return lo <= value && value <= hi; }
};

Bounds operator-(Bounds a);
Bounds operator+(Bounds a, Bounds b);
Bounds operator-(Bounds a, Bounds b);
Bounds operator*(Bounds a, Bounds b);
// REQUIRES: 0 is not in b.
Bounds operator/(Bounds a, Bounds b);

Bounds exp(Bounds a);
// exp(a) - 1 without cancellation.
Bounds expm1(Bounds a);
// REQUIRES: a >= 0; log of 0 is minus infinity.
Bounds log(Bounds a);
// log(1 + a). REQUIRES: a >= -1.
Bounds log1p(Bounds a);

}  // namespace stopover
