#include "eval/printed_selection.h"

#include <cmath>
#include <unordered_map>

namespace stopover {

double BoxNoise::uniform() {
  std::uint64_t z = state_ * 0x9e3779b97f4a7c15u + ++calls_ * 0xd1b54a32d192ed03u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (static_cast<double>((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

double BoxNoise::laplace(double scale) {
  const double u = uniform() - 0.5;
  return -scale * std::copysign(std::log(1 - 2 * std::fabs(u)), u);
}

double printed_scale(double epsilon, std::size_t p) { return 2 / (static_cast<double>(p) * epsilon); }

BlackBox printed_selection(double scale, std::size_t p, double middle) {
  return [=](int side, std::uint64_t run) -> Shown {
    BoxNoise noise(side, run);
    const double f = middle + side;
    const double first = 200.0 / 101 * f, others = 200.0 / 101 * (10 - f);
    std::size_t least = 0;
    double value = first + noise.laplace(scale);
    for (std::size_t j = 1; j < p; ++j) {
      const double other = others + noise.laplace(scale);
      if (other < value) value = other, least = j;
    }
    return {least, least == 0 ? 0u : 1u};
  };
}

double guess_rate(const BlackBox& box, std::uint64_t runs) {
  const std::uint64_t half = runs / 2;
  std::unordered_map<std::uint64_t, std::int64_t> leaning;  // seen more often on side 1
  for (std::uint64_t run = 0; run < half; ++run) {
    ++leaning[box(1, run)[1]];
    --leaning[box(0, run)[1]];
  }
  std::uint64_t right = 0;
  for (std::uint64_t run = half; run < runs; ++run) {
    for (const int side : {0, 1}) {
      const auto found = leaning.find(box(side, run)[1]);
      const bool guess = found != leaning.end() && found->second > 0;
      right += guess == (side == 1) ? 1 : 0;
    }
  }
  return static_cast<double>(right) / static_cast<double>(2 * (runs - half));
}

}  // namespace stopover
