#include "question/indicator.h"

namespace stopover {

void Indicator::add(Product product, int coefficient) {
  const auto [at, fresh] = terms_.try_emplace(std::move(product), 0);
  at->second += coefficient;
  if (at->second == 0) terms_.erase(at);
  too_large_ = too_large_ || terms_.size() > kMost;
}

Indicator Indicator::sum(const Indicator& other, int sign) const {
  Indicator made = *this;
  made.too_large_ = too_large_ || other.too_large_;
  for (const auto& [product, coefficient] : other.terms_) made.add(product, sign * coefficient);
  return made;
}

Indicator Indicator::operator*(const Indicator& other) const {
  Indicator made;
  made.too_large_ = too_large_ || other.too_large_;
  for (const auto& [a, coefficient_a] : terms_) {
    for (const auto& [b, coefficient_b] : other.terms_) {
      if (made.too_large_) return made;
      // x x = x: a fact that stands in both stands once.
      Product both = a;
      both.insert(b.begin(), b.end());
      made.add(std::move(both), coefficient_a * coefficient_b);
    }
  }
  return made;
}

}  // namespace stopover
