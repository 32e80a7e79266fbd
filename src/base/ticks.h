// Ticks: privacy budget in integer billionths of epsilon.
//
// The only unit in which budgets are kept, split, compared and charged. "0.1" is exactly 100,000,000 ticks; a float
// never takes part, so a sum of shares can neither exceed nor miss its whole by rounding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stopover {

using Ticks = std::uint64_t;

inline constexpr Ticks kTicksPerEpsilon = 1'000'000'000;
// The largest budget anything here accepts: epsilon 1000.
inline constexpr Ticks kMaxTicks = 1000 * kTicksPerEpsilon;

// Parses a plain decimal ("0.1", "2", ".5"): above 0, at most 1000, at most 9 decimals. `what` names the value in
// errors ("epsilon", "budget"). No exponent, no comma, no sign.
Result<Ticks> parse_epsilon(std::string_view text, std::string_view what = "epsilon");

// The same for a number: the ticks of the decimal with at most 9 places whose nearest double it is. Fails as
// parse_epsilon does.
Result<Ticks> epsilon_of(double value, std::string_view what = "epsilon");

// The shortest decimal: 100,000,000 gives "0.1", 0 gives "0".
std::string format_epsilon(Ticks ticks);

// total * numerator / denominator, rounded down, in 128 bits. REQUIRES: denominator > 0, the result fits.
Ticks share(Ticks total, std::uint64_t numerator, std::uint64_t denominator);

// Splits `total` in proportion to `weights` (each >= 0, finite sum > 0); every share rounds down and the last takes the
// exact remainder, so the shares sum to `total`. Weights are public (formulas over released values).
std::vector<Ticks> split_by_weights(Ticks total, const std::vector<double>& weights);

}  // namespace stopover
