#include "mechanism/leaf_sum.h"

#include <algorithm>

namespace stopover {
namespace {

constexpr double kApart = 3;         // of the variance of beliefs that lean on others
constexpr double kLeaning = 0.1;     // of the square of what they lean on
constexpr double kLeastRest = 1e-3;  // of the noise: n - V and G are told to be no less

double leaning(double variance, double noise) { return std::max(0.0, 1 - variance / noise); }

}  // namespace

void LeafSum::add(double mean, double variance, double count, double noise) {
  const double leans = leaning(variance, noise);
  mean_ += mean;
  variance_ += std::min(variance, noise);
  count_ += count;
  noise_ += noise;
  leaned_ += leans * mean;
  apart_ += leans * variance;
}

void LeafSum::add_share(const LeafSum& other, double share) {
  mean_ += share * other.mean_;
  variance_ += share * other.variance_;
  count_ += share * other.count_;
  noise_ += share * other.noise_;
  leaned_ += share * other.leaned_;
  apart_ += share * other.apart_;
}

double LeafSum::together() const {
  return std::max(kApart * apart_ + kLeaning * leaned_ * leaned_, kLeastRest * noise_);
}

KnownValue LeafSum::value() const {
  const double g = together(), rest = std::max(noise_ - variance_, kLeastRest * noise_);
  const double counts = g / (rest + g), beliefs = 1 - counts;
  return {beliefs * mean_ + counts * count_,
          beliefs * beliefs * variance_of_beliefs() + 2 * beliefs * counts * variance_ + counts * counts * noise_};
}

double LeafSum::belief_variance(double mean, double variance, double noise) const {
  const double leans = leaning(variance, noise);
  return std::min(variance, noise) + leans * (kApart * variance + kLeaning * leaned_ * mean);
}

}  // namespace stopover
