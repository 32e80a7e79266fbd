// at_tail: a table of distances by tail probability, read at any probability.
#pragma once

#include <vector>

namespace stopover {

// `values` has one entry per tail; tails fall. Between two of them, and beyond the last two, linear in the logarithm of
// p. The tail of an exponential law is a straight line there, and a normal one bends slowly, so that little is lost
// between neighbours. Above the first tail: its value.
double at_tail(const std::vector<double>& tails, const double* values, double p);

}  // namespace stopover
