#include "privacy/sparse_noise.h"

#include <algorithm>

#include "base/check.h"
#include "privacy/bernoulli.h"
#include "privacy/discrete_laplace.h"
#include "privacy/exp_bracket.h"

namespace stopover {
namespace {

constexpr std::uint64_t kTop = std::uint64_t{1} << 63;

Fraction one_minus(const Fraction& a) {
  bool borrow = false;
  return difference({}, a, borrow);
}

// (1 + a)/2
Fraction middle(const Fraction& a) {
  Fraction out = half(a);
  out[0] |= kTop;
  return out;
}

// The cells that an empty domain would list, one after the other.
class EmptyCells {
 public:
  EmptyCells(Stream& stream, Rate rate, std::uint64_t threshold, std::uint64_t cells)
      : stream_(stream), tail_(exp_bracket(static_cast<u128>(rate.num) * threshold, rate.den)) {
    const ExpBracket a = exp_bracket(rate.num, rate.den);
    low_ = middle(a.low), high_ = middle(a.high);
    // p < (tail + 2^-64) 2/(1 + a) and 2/(1 + a) < 2^64/low, low the leading bits of (1 + a)/2
    const u128 p = ((static_cast<u128>(tail_.high[0]) + 1) << 63) / (low_[0] >> 1) + 1;  // of 2^64
    STOPOVER_CHECK(p <= kTop, "the threshold lists more than half of the empty cells");
    gap_ = std::min(kTop / static_cast<std::uint64_t>(p), std::uint64_t{1} << 50);
    STOPOVER_CHECK(cells / gap_ < std::uint64_t{1} << 28, "the threshold lists too many empty cells");
    const ExpBracket e = exp_bracket(1, gap_);
    low_ = product(low_, one_minus(e.high)), high_ = product(high_, one_minus(e.low));
  }

  // How many cells are skipped before the next one that is listed.
  u128 skip() {
    for (u128 skipped = 0;; ++skipped) {
      skipped += geometric_exp(stream_, gap_);
      if (keep() || skipped >> 62 != 0) return skipped;
    }
  }

 private:
  // u low_ <= u p' (1 + a)/2 < u high_ + 4 ulps: one for each product cut off, one for the bits of u after the 256th.
  bool keep() {
    const Fraction u = {stream_.next64(), stream_.next64(), stream_.next64(), stream_.next64()};
    if (!(product(u, low_) < tail_.high)) return false;
    bool borrow = false;
    const Fraction room = difference(tail_.low, product(u, high_), borrow);
    STOPOVER_CHECK(!borrow && !(room < Fraction{0, 0, 0, 4}), "256 random bits did not settle a coin");
    return true;
  }

  Stream& stream_;
  ExpBracket tail_;      // a^threshold
  Fraction low_, high_;  // p' (1 + a)/2
  std::uint64_t gap_;
};

}  // namespace

std::vector<NumberedCount> sparse_noise(Stream& stream, Rate rate, std::uint64_t threshold, std::uint64_t cells,
                                        std::span<const NumberedCount> truth) {
  const auto t = static_cast<std::int64_t>(threshold);
  EmptyCells empty(stream, rate, threshold, cells);
  std::vector<NumberedCount> listed;
  const bool first_is_empty = truth.empty() || truth[0].cell != 0;
  if (first_is_empty) listed.push_back({0, discrete_laplace_reference(stream, rate)});
  for (const NumberedCount& known : truth) {
    const std::int64_t value = known.count + discrete_laplace_reference(stream, rate);
    if (known.cell == 0 || value >= t || value <= -t) listed.push_back({known.cell, value});
  }
  auto next = truth.begin();
  for (u128 cell = empty.skip() + 1; cell < cells; cell += empty.skip() + 1) {  // from cell 1 on
    const bool negative = stream.next64() >= kTop;
    std::int64_t more = discrete_laplace_reference(stream, rate);
    while (more < 0) more = discrete_laplace_reference(stream, rate);
    while (next != truth.end() && next->cell < cell) ++next;
    if (next != truth.end() && next->cell == cell) continue;
    listed.push_back({static_cast<std::uint64_t>(cell), negative ? -t - more : t + more});
  }
  std::sort(listed.begin(), listed.end(), [](const auto& a, const auto& b) { return a.cell < b.cell; });
  return listed;
}

}  // namespace stopover
