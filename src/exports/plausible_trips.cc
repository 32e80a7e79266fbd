#include "exports/plausible_trips.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stopover {
namespace {

constexpr double kMostTheta = 0.95;

// Gamma of that shape, at least 1, and scale 1 (Marsaglia, Tsang 2000).
double draw_gamma(double shape, NumberSequence& numbers) {
  // d v with v = (1 + c x)^3 is nearly a Gamma variable for a normal x; the test below makes it exact by rejection.
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = numbers.normal();
    const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    if (v <= 0) continue;
    const double u = numbers.uniform();
    // Von Neumann's rejection: accepted with the ratio of the densities.
    if (u == 0 || plain_log(u) < 0.5 * x * x + d - d * v + d * plain_log(v)) return d * v;
  }
}

double draw_value(double mean, double variance, NumberSequence& numbers) {
  if (!(mean > 0)) return 0;
  // A Gamma law of shape a and mean m has the variance m^2/a: with a = 1 + m^2/s that is s m^2/(m^2 + s). A shape of at
  // least 1 means a density without a pole at 0.
  const double shape = variance > 0 ? 1 + mean * mean / variance : 1e18;  // an infinite variance gives 1
  // So sure that the draw would not differ in its digits that matter.
  if (shape > 1e12) return mean;
  return draw_gamma(shape, numbers) * mean / shape;
}

}  // namespace

PlausibleTrips::PlausibleTrips(const Release& release, TripModel model)
    : release_(&release),
      model_(std::move(model)),
      children_(release.tables[0]),
      least_squares_(least_squares(release.tables[0], release.rate(1))) {}

Result<PlausibleTrips> PlausibleTrips::make(const Release& release) {
  Result<TripModel> model = TripModel::make(release);
  if (!model) return model.error();
  PlausibleTrips plausible(release, *std::move(model));
  plausible.theta_ = plausible.find_theta();
  if (Result<PosteriorDraws> posterior = PosteriorDraws::make(release)) {
    plausible.posterior_.emplace(*std::move(posterior));
  }
  return plausible;
}

// By moments over the finest families, the nearest thing to the inside of a leaf: E gap^2 is about noise + n p (1 - p)
// of chance + theta n^2 p (1 - p) of trips that go together.
double PlausibleTrips::find_theta() const {
  const Table& table = release_->tables[0];
  double beyond = 0, possible = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto family = children_.of(row);
    // All children are leaves and were counted.
    const bool finest = family.size() > 1 && std::all_of(family.begin(), family.end(), [&](std::uint32_t child) {
                          return children_.of(child).empty() && table.row_ticks[child] > 0;
                        });
    const double n = table.estimate[row];
    const double whole = model_.weight(table.box(row));
    if (!finest || !(n > 0) || !(whole > 0)) continue;
    for (const std::uint32_t child : family) {
      // p: what the answer model says of the child's share of its parent.
      const double share = std::min(1.0, model_.weight(table.box(child)) / whole);
      const double gap = static_cast<double>(table.count[child]) - n * share;
      beyond += gap * gap - noise_variance(release_->rate(table.row_ticks[child])) - n * share * (1 - share);
      possible += n * n * share * (1 - share);
    }
  }
  // A ratio of sums: large families, which tell more, weigh more. Not below 0, and not 1, where all trips of a leaf
  // would be in one cell.
  return possible > 0 ? std::clamp(beyond / possible, 0.0, kMostTheta) : 0;
}

std::vector<double> PlausibleTrips::draw_counts(std::uint64_t seed, std::uint64_t number) const {
  const Table& table = release_->tables[0];
  // Even branches for counts, odd ones for places: both can be drawn by themselves.
  NumberSequence numbers(seed, 2 * number);
  std::vector<double> values(table.rows(), 0.0);
  for (const std::uint32_t root : children_.roots()) {
    values[root] = draw_value(table.estimate[root], least_squares_[root].variance, numbers);
  }
  // Parents stand before their children, so a parent's value is final when it is divided.
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto family = children_.of(row);
    double sum = 0;
    for (const std::uint32_t child : family) {
      // The variance from below alone: what is above enters by the scaling.
      values[child] = draw_value(table.estimate[child], least_squares_[child].subtree_variance, numbers);
      sum += values[child];
    }
    // Scaled, so children sum to what was drawn for their parent. A family of zeros under a parent that has trips loses
    // them.
    for (const std::uint32_t child : family) values[child] *= sum > 0 ? values[row] / sum : 0;
  }
  std::vector<double> leaves(model_.leaves());
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) leaves[leaf] = values[model_.row(leaf)];
  return leaves;
}

std::vector<std::vector<std::uint32_t>> PlausibleTrips::place(std::uint64_t seed, std::uint64_t number,
                                                              NumberSequence& numbers) const {
  const std::vector<double> counts = draw_counts(seed, number);
  std::vector<std::vector<std::uint32_t>> cells(model_.domain().d());
  std::array<std::uint32_t, kMaxAxes> cell{};
  // a = 1/theta - 1: Polya's urn with this weight has shares of variance theta p (1 - p). Without clumping no trip
  // follows another.
  const double together = theta_ > 0 ? 1 / theta_ - 1 : HUGE_VAL;
  for (std::size_t leaf = 0; leaf < counts.size(); ++leaf) {
    // Rounded up with the probability of the fraction: right on average.
    const auto n = static_cast<std::uint64_t>(counts[leaf] + numbers.uniform());
    const std::size_t first = cells[0].size();
    for (std::uint64_t placed = 0; placed < n; ++placed) {
      const auto j = static_cast<double>(placed);
      if (placed > 0 && numbers.uniform() * (j + together) < j) {
        // Any of those placed, so popular places grow.
        const std::size_t earlier = first + numbers.below(placed);
        for (std::vector<std::uint32_t>& column : cells) column.push_back(column[earlier]);
      } else {
        model_.draw_cell(leaf, numbers, std::span(cell.data(), cells.size()));
        for (std::size_t axis = 0; axis < cells.size(); ++axis) cells[axis].push_back(cell[axis]);
      }
    }
  }
  return cells;
}

SyntheticTrips PlausibleTrips::draw(std::uint64_t seed, std::uint64_t number) const {
  NumberSequence numbers(seed, 2 * number + 1);
  SyntheticTrips drawn{model_.domain(), {}, {}};
  // How far stops pull each other inside leaves is not known: drawn anew for every matrix.
  drawn.cells = posterior_ ? posterior_->draw(numbers, numbers.uniform(0, posterior_->most_power())).cells
                           : place(seed, number, numbers);
  // Fisher and Yates: every order is equally likely, so that it tells nothing of the leaves.
  for (std::size_t i = drawn.rows(); i > 1; --i) {
    const std::size_t j = numbers.below(i);
    for (std::vector<std::uint32_t>& column : drawn.cells) std::swap(column[i - 1], column[j]);
  }
  return drawn;
}

}  // namespace stopover
