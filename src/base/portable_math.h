// exp, log, sin and friends with the same bits on every IEEE machine.
//
// libm's results differ in the last bit between machines with and without FMA, between libraries, and in WebAssembly.
// What a release's estimates and a query's answers are made of must not: these use only + - * / sqrt on doubles and bit
// operations, and are compiled without contraction. Within 1 ulp of the true value unless said otherwise (tested
// against long double).
//
// Code that must give the same bits everywhere needs two things: these functions, and -ffp-contract=off for its own
// arithmetic (the rooms base, release and query set it).
#pragma once

namespace stopover {

// Overflow gives infinity, underflow 0 (gradually), NaN gives NaN.
double portable_exp(double x);

// exp(x) - 1 without loss near 0. Within 2 ulp.
double portable_expm1(double x);

// log(0) is -infinity; of a negative number, NaN.
double portable_log(double x);

// x to the power y for x >= 0 (x < 0 gives NaN). 0 to a negative power is infinity, anything to the power 0 is 1.
double portable_pow(double x, double y);

// REQUIRES: |x| <= 1e6, in radians.
double portable_sin(double x);
double portable_cos(double x);

// The angle of (x, y) in (-pi, pi]; 0 at the origin. Within 2 ulp.
double portable_atan2(double y, double x);

// NaN outside [-1, 1]. Within 3 ulp.
double portable_asin(double x);

}  // namespace stopover
