// The paper's formulas as pure functions: Shaham, Ghinita, Shahabi, "Differentially-Private Publication of
// Origin-Destination Matrices with Intermediate Stops", EDBT 2022. docs/internals/paper_notes.md lists every departure.
//
// Symbols: n a *noisy* count (never the true one), e an effective epsilon (divided by k), d axes, m intervals an axis.
// All are total: any finite input, also n <= 0, gives a finite result of at least 1.
#pragma once

#include <cstdint>
#include <vector>

namespace stopover::formulas {

// EUG, the granularity over all query sizes (the paper's "key formula"):
//   m = (2(d-1)/d * n e/(sqrt2 c0))^(2/(3d-2)) * d(3d-2)/(3d^2-3d+2).
// d = 1 gives 1: the formula has a factor (d-1).
double eug(double n, double e, int d, double c0);

// EUG when the share r of the domain that queries cover is declared: (2(d-1)/d * r^(1/d-1/2) * n e/(sqrt2
// c0))^(2/(3d-2)).
double eug_for_share(double n, double e, int d, double c0, double r);

// EUG with the number of border boxes of a d-box counted right, (r^(1/d) m)^(d-1) instead of r^(1/d) m, calibrated to
// be UG at d = 2: m = (n e/(sqrt2 c0))^(2/(d+2)) * d(d+2)/(d^2+3d-2).
double eug_corrected(double n, double e, int d, double c0);

// EBP: m = (n e/sqrt2)^(2/(3d)). Also DAF's fan-out of a node with `d` axes left.
double ebp(double n, double e, int d);

// MKM (Lei 2011, as restated by Su et al. 2016): m = (n/sqrt(ln n))^(2/(2+d)), n at least 3; no epsilon in it.
double mkm(double n, int d);

// UG (Qardaji, Yang, Li 2013): sqrt(n e/10); beyond 2D, by the same argument with d axes, (n e/10)^(2/(d+2)).
double ug(double n, double e, int d);

// AG, the coarse grid: max(10, ceil(sqrt(n e/10))/4) in 2D as published; beyond, max(2, (n e/10)^(2/(d+2))/4^(2/d)).
double ag_first(double n, double e, int d);
// AG, inside a coarse box of noisy count n with the budget e that is left: ceil((n e/5)^(2/(d+2))), in 2D ceil(sqrt(n
// e/5)).
double ag_second(double n, double e, int d);

// DAF's level weights m0^(i/3), i = 1..levels: shares of epsilon are proportional to them. m0 = 1 gives equal shares.
std::vector<double> daf_level_weights(double m0, int levels);

// Geometric shares that grow towards the leaves by cbrt(growth) a level, `growth` being how many times more boxes of
// the next level a query meets (Cormode et al. 2012: 2 for a quadtree). The last is 1.
inline std::vector<double> level_weights(double growth, int levels) { return daf_level_weights(growth, levels); }

// Levels of fan-out 2^d with as many leaves as UG has boxes; at N = 1.63 million, e = 0.5, d = 2 the 8 of Cormode et
// al.
double kd_height(double n, double e, int d);
// Four levels of two more, as boxes at middles can be deeper: there their 10.
double quadtree_height(double n, double e, int d);
// HTF (Shaham et al. 2021): log2(n e/10) levels of two, whatever d.
double htf_height(double n, double e, int d);

// A granularity as a number of intervals: rounded, at least 1, at most `width`.
std::uint32_t intervals(double m, std::uint32_t width);

// The m - 1 inner edges of m intervals of [lo, hi) whose widths differ by at most one cell. REQUIRES: 1 <= m <= hi -
// lo.
std::vector<std::uint32_t> equal_cuts(std::uint32_t lo, std::uint32_t hi, std::uint32_t m);

}  // namespace stopover::formulas
