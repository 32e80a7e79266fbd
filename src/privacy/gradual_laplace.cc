#include "privacy/gradual_laplace.h"

#include <algorithm>

#include "privacy/bernoulli.h"
#include "privacy/discrete_laplace.h"

namespace stopover {
namespace {

// True with probability (1 - exp(-part/den)) / (1 - exp(-whole/den)) = P(G < part | G < whole), G of rate 1/den.
// Either way a proposal is kept with probability at least 1 - 1/e.
bool bernoulli_share(Stream& stream, std::uint64_t part, std::uint64_t whole, std::uint64_t den) {
  for (;;) {
    if (whole <= den) {
      const u128 g = uniform_below(stream, whole);
      if (bernoulli_exp(stream, g, den)) return g < part;
    } else {
      const u128 g = geometric_exp(stream, den);
      if (g < whole) return g < part;
    }
  }
}

}  // namespace

GradualDraw gradual_laplace(Stream& stream, Rate fine, Rate coarse) {
  STOPOVER_CHECK(fine.den == coarse.den && fine.num >= coarse.num, "gradual release needs fine >= coarse over one den");
  const std::int64_t hidden = discrete_laplace_reference(stream, fine);
  const bool same = bernoulli_exp(stream, fine.num - coarse.num, fine.den) &&
                    bernoulli_share(stream, coarse.num, fine.num, fine.den) &&
                    bernoulli_share(stream, coarse.num, fine.num, fine.den);
  const std::int64_t sum = hidden + (same ? 0 : discrete_laplace_reference(stream, coarse));
  return {hidden, std::clamp(sum, -kNoiseLimit, kNoiseLimit)};
}

}  // namespace stopover
