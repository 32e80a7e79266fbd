// Indicator: whether a trip is counted, as a polynomial in facts. A fact is "at stop s the trip is in region r", 0 or
// 1; so its square is itself, `and` is a product, `not` is 1 - x, and what is left after multiplying out are sums of
// products with whole coefficients: inclusion and exclusion, each product a region like any other.
// Internal to this room.
//
//   Indicator a = Indicator::fact({0, 0}), b = Indicator::fact({1, 0});
//   Indicator either = a + b - a * b;                  // region 0 at stop 0 or at stop 1
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace stopover {

class Indicator {
 public:
  struct Fact {
    std::size_t stop = 0, region = 0;  // the region's number in a list of the caller's
    auto operator<=>(const Fact&) const = default;
  };
  using Product = std::set<Fact>;

  // More products than this are too many to be asked.
  static constexpr std::size_t kMost = 512;

  // Nobody.
  Indicator() = default;
  static Indicator all() { return of({}); }
  static Indicator fact(Fact one) { return of({one}); }

  const std::map<Product, int>& terms() const { return terms_; }
  // Whether it grew beyond kMost; then it is no longer right.
  bool too_large() const { return too_large_; }

  Indicator operator*(const Indicator& other) const;
  Indicator operator+(const Indicator& other) const { return sum(other, 1); }
  Indicator operator-(const Indicator& other) const { return sum(other, -1); }
  // Trips that are not counted.
  Indicator inverse() const { return all() - *this; }

 private:
  static Indicator of(Product product) {
    Indicator one;
    one.terms_.emplace(std::move(product), 1);
    return one;
  }
  Indicator sum(const Indicator& other, int sign) const;
  void add(Product product, int coefficient);

  std::map<Product, int> terms_;  // no coefficient is 0
  bool too_large_ = false;
};

}  // namespace stopover
