#include "base/ticks.h"

#include <cmath>

#include "base/wide.h"

namespace stopover {
namespace {

Error bad_epsilon(std::string_view what, std::string_view text, std::string_view rule) {
  std::string message(what);
  message.append(" must be ").append(rule).append(", not \"").append(text).append("\"");
  message.append("\n  Write a plain decimal such as 0.1 or 1.5.");
  return {Failure::usage, message};
}

}  // namespace

Result<Ticks> parse_epsilon(std::string_view text, std::string_view what) {
  constexpr std::string_view kRule = "a number above 0 and at most 1000";
  u128 ticks = 0;
  int decimals = -1;  // -1: no point yet
  bool digits = false;
  for (char c : text) {
    if (c == '.' && decimals < 0) {
      decimals = 0;
    } else if (c >= '0' && c <= '9') {
      digits = true;
      if (decimals >= 9) {
        if (c != '0') return bad_epsilon(what, text, "given with at most 9 decimals");
        continue;
      }
      ticks = ticks * 10 + static_cast<unsigned>(c - '0');
      if (decimals >= 0) ++decimals;
      if (ticks > static_cast<u128>(kMaxTicks) * 10) return bad_epsilon(what, text, kRule);
    } else {
      return bad_epsilon(what, text, kRule);
    }
  }
  if (!digits) return bad_epsilon(what, text, kRule);
  for (int i = decimals < 0 ? 0 : decimals; i < 9; ++i) ticks *= 10;
  if (ticks == 0 || ticks > kMaxTicks) return bad_epsilon(what, text, kRule);
  return static_cast<Ticks>(ticks);
}

Result<Ticks> epsilon_of(double value, std::string_view what) {
  const auto told = [&](std::string_view rule) {
    const bool whole = std::fabs(value) < 1e15 && std::floor(value) == value;
    return bad_epsilon(what, whole ? std::to_string(static_cast<long long>(value)) : std::to_string(value), rule);
  };
  if (!(value > 0 && value <= 1000)) return told("a number above 0 and at most 1000");
  const double ticks = std::round(value * 1e9);
  // Below 2^53 and exact, so that this quotient is the double nearest to the decimal.
  if (ticks < 1 || ticks / 1e9 != value) return told("given with at most 9 decimals");
  return static_cast<Ticks>(ticks);
}

std::string format_epsilon(Ticks ticks) {
  std::string text = std::to_string(ticks / kTicksPerEpsilon);
  std::string decimals = std::to_string(ticks % kTicksPerEpsilon);
  decimals.insert(0, 9 - decimals.size(), '0');
  while (!decimals.empty() && decimals.back() == '0') decimals.pop_back();
  if (!decimals.empty()) text += "." + decimals;
  return text;
}

Ticks share(Ticks total, std::uint64_t numerator, std::uint64_t denominator) {
  STOPOVER_CHECK(denominator > 0, "share of zero parts");
  const u128 result = static_cast<u128>(total) * numerator / denominator;
  STOPOVER_CHECK(result <= UINT64_MAX, "share does not fit");
  return static_cast<Ticks>(result);
}

std::vector<Ticks> split_by_weights(Ticks total, const std::vector<double>& weights) {
  STOPOVER_CHECK(!weights.empty(), "no weights to split by");
  double sum = 0;
  for (double w : weights) {
    STOPOVER_CHECK(w >= 0 && std::isfinite(w), "weights must be finite and not negative");
    sum += w;
  }
  STOPOVER_CHECK(sum > 0 && std::isfinite(sum), "weights must sum to a positive number");
  std::vector<Ticks> shares;
  Ticks left = total;
  for (std::size_t i = 0; i + 1 < weights.size(); ++i) {
    const double wanted = std::floor(static_cast<double>(total) * (weights[i] / sum));
    const Ticks got = wanted >= static_cast<double>(left) ? left : static_cast<Ticks>(wanted);
    shares.push_back(got);
    left -= got;
  }
  shares.push_back(left);
  return shares;
}

}  // namespace stopover
