#include "synthetic/generate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/usage_error.h"
#include "synthetic/discrete_law.h"

namespace stopover {
namespace {

std::string text_of(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end);
}

Result<Domain> check_sizes(std::uint64_t dims, std::uint64_t n, std::uint64_t width) {
  if (dims < 1 || dims > kMaxAxes) return usage_error("`dims` must be 1 to 12, not " + std::to_string(dims));
  if (n > kMaxSyntheticTrips) return usage_error("`n` must be at most 1000000000, not " + std::to_string(n));
  if (width < 1 || width > kMaxSyntheticWidth) {
    return usage_error("`width` must be 1 to 1048576 cells, not " + std::to_string(width));
  }
  return Domain::of_shape(std::vector<std::uint64_t>(dims, width));
}

// Weight of the cells by the normal density integrated over each (Gauss-Legendre, pieces of at most half an sd).
std::vector<double> normal_weights(std::uint64_t width, std::uint64_t centre, double sd) {
  constexpr std::array<std::array<double, 2>, 3> kNodes = {{{-0x1.8c97ef43f7248p-1, 0x1.1c71c71c71c72p-1},
                                                            {0, 0x1.c71c71c71c71cp-1},
                                                            {0x1.8c97ef43f7248p-1, 0x1.1c71c71c71c72p-1}}};
  const int pieces = static_cast<int>(std::ceil(std::min(2 / sd, 200.0)));
  std::vector<double> weights(width);
  for (std::uint64_t cell = 0; cell < width; ++cell) {
    const double left = static_cast<double>(cell) - static_cast<double>(centre) - 0.5;
    for (int piece = 0; piece < pieces; ++piece) {
      for (const auto& [node, share] : kNodes) {
        const double z = (left + (piece + 0.5 + 0.5 * node) / pieces) / sd;
        if (z * z < 1400) weights[cell] += share * plain_exp(-0.5 * z * z);
      }
    }
  }
  return weights;
}

SyntheticTrips draw_axes(Domain domain, const std::vector<DiscreteLaw>& laws, std::uint64_t n, std::uint64_t seed,
                         std::string summary) {
  SyntheticTrips trips{std::move(domain), {}, std::move(summary)};
  for (std::size_t axis = 0; axis < laws.size(); ++axis) {
    NumberSequence numbers(seed, axis + 1);
    std::vector<std::uint32_t>& column = trips.cells.emplace_back(n);
    for (std::uint32_t& cell : column) cell = laws[axis].draw(numbers);
  }
  return trips;
}

std::string summary_of(const char* what, std::uint64_t dims, std::uint64_t n, std::uint64_t width, const char* name,
                       double value, std::uint64_t seed) {
  return std::string(what) + ", " + std::to_string(dims) + " axes of " + std::to_string(width) + " cells, " + name +
         " " + text_of(value) + ", " + std::to_string(n) + " trips, seed " + std::to_string(seed);
}

}  // namespace

Result<SyntheticTrips> generate_gaussian(std::uint64_t dims, std::uint64_t n, std::uint64_t width, double sd,
                                         std::uint64_t seed) {
  Result<Domain> domain = check_sizes(dims, n, width);
  if (!domain) return domain.error();
  if (!(sd >= 0.01 && sd <= 1e6)) return usage_error("`sd` must be 0.01 to 1000000 cells, not " + text_of(sd));
  NumberSequence centres(seed);
  std::vector<DiscreteLaw> laws;
  for (std::uint64_t axis = 0; axis < dims; ++axis) {
    laws.emplace_back(normal_weights(width, centres.below(width), sd));
  }
  return draw_axes(*std::move(domain), laws, n, seed, summary_of("gaussian", dims, n, width, "sd", sd, seed));
}

Result<SyntheticTrips> generate_zipf(std::uint64_t dims, std::uint64_t n, std::uint64_t width, double a,
                                     std::uint64_t seed) {
  Result<Domain> domain = check_sizes(dims, n, width);
  if (!domain) return domain.error();
  if (!(a >= 0 && a <= 50)) return usage_error("`a` must be 0 to 50, not " + text_of(a));
  std::vector<double> weights;
  for (std::uint64_t x = 1; x <= width; ++x) weights.push_back(plain_exp(-a * plain_log(static_cast<double>(x))));
  return draw_axes(*std::move(domain), std::vector<DiscreteLaw>(dims, DiscreteLaw(weights)), n, seed,
                   summary_of("zipf", dims, n, width, "a", a, seed));
}

Matrix to_matrix(const SyntheticTrips& trips) {
  MatrixBuilder builder(trips.domain);
  std::array<std::uint32_t, kMaxAxes> cell{};
  for (std::size_t row = 0; row < trips.rows(); ++row) {
    for (std::size_t axis = 0; axis < trips.cells.size(); ++axis) cell[axis] = trips.cells[axis][row];
    builder.add(std::span(cell.data(), trips.cells.size()), 1);
  }
  return std::move(builder).build();
}

}  // namespace stopover
