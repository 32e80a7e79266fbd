#include "mechanism/history.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "mechanism/families.h"
#include "mechanism/grid_estimate.h"
#include "mechanism/history_filter.h"
#include "mechanism/place_forecast.h"
#include "release/consistency.h"

namespace stopover {
namespace {

constexpr double kUnknown = 1e300;
constexpr double kLeastDrift = 0.02;  // of maps: no forecast is trusted beyond a drift of this variance
constexpr double kRidge = 0.01;
constexpr double kTypicalDrift = 0.02;  // of a box, relative, squared
// A release whose maps leave more than this of the misfit that an even division has is of another city. (Periods of one
// city leave up to 0.34, other cities 0.86 and more, 0.5 at an epsilon of 0.02.)
constexpr double kRefuted = 0.45;
// Before anything is counted: of the forecast, the part of the product of the maps, and how a release counts for less
// than the next one.
constexpr double kProduct = 0.2, kAging = 0.9;
constexpr std::ptrdiff_t kEnough = 2;  // releases to cut by

double noise_of(const Table& table, std::size_t row, double ticks_to_rate) {
  return noise_variance(static_cast<double>(table.row_ticks[row]) * ticks_to_rate);
}

std::pair<Interval, Interval> sides_of(const Table& table, std::size_t row) {
  const Box box = table.box(row);
  // A pooled grid has the stop's number as its first axis or none: the map's axes are the last ones.
  return {box[0], box.axes() > 1 ? box[1] : Interval{0, 1}};
}

// How far forecasts are off beyond noise and chance, on the whole, each count weighed by how sure and how large it is
// whatever the forecast.
class Misfit {
 public:
  void add(double f, double z, double w, double about) {
    sum_ += ((z - f) * (z - f) - w - f) / (w + about + kTypicalDrift * about * about);
  }
  double sum() const { return sum_; }

 private:
  double sum_ = 0;
};

}  // namespace

bool History::tells_places() const {
  return std::any_of(past.begin(), past.end(), [](const auto& one) { return one->tells_places(); });
}

bool History::foretells_cuts() const {
  return std::count_if(past.begin(), past.end(), [](const auto& one) { return one->tells_places(); }) >= kEnough;
}

void drop_refuted(History& history, GridCounts& grid, double ticks_to_rate, const std::vector<std::size_t>& factors) {
  const std::size_t rows = grid.tree.rows();
  const double stops = static_cast<double>(grid.stops);
  const Families families = families_of(grid.tree);
  estimate_stops(grid, ticks_to_rate);
  const std::vector<double>& alone = grid.tree.estimate;  // the mean
  const auto refuted = [&](const std::shared_ptr<const PastRelease>& past) {
    if (!past->tells_places()) return false;  // the joint tree judges it
    std::vector<double> then(rows, 0.0);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto [x, y] = sides_of(grid.tree, row);
      for (std::size_t stop = 0; stop < grid.stops; ++stop) then[row] += past->map_share(factors[stop], x, y);
    }
    Misfit of_past, of_even;
    for (std::size_t parent = 0; parent < rows; ++parent) {
      const auto [first, last] = families.children[parent];
      double sum = 0;
      for (std::size_t child = first; child < last; ++child) sum += then[child];
      for (std::size_t child = first; child < last; ++child) {
        const double w = noise_of(grid.tree, child, ticks_to_rate) / (grid.apart[child] ? stops : stops * stops);
        const double even = alone[parent] / static_cast<double>(last - first), z = grid.mean(child);
        // An empty part weighs no more than an even one would: all cities have empty corners, which say nothing.
        const double about = std::max(alone[child], even);
        of_past.add(sum > 0 ? alone[parent] * then[child] / sum : even, z, w, about);
        of_even.add(even, z, w, about);
      }
    }
    return of_past.sum() > kRefuted * std::max(0.0, of_even.sum());
  };
  std::erase_if(history.past, refuted);
}

std::vector<std::vector<double>> estimate_stops(GridCounts& grid, double ticks_to_rate,
                                                const std::vector<PlaceForecast>& forecasts) {
  const std::size_t rows = grid.tree.rows();
  const double stops = static_cast<double>(grid.stops);
  const Families families = families_of(grid.tree);
  // Of every row, its share of each stop's map then, and of all together.
  std::vector<std::vector<double>> then(grid.stops, std::vector<double>(rows));
  std::vector<double> mean_then(rows, 0.0);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto [x, y] = sides_of(grid.tree, row);
    for (std::size_t stop = 0; stop < grid.stops; ++stop) {
      then[stop][row] = forecasts[stop].share(x, y);
      mean_then[row] += then[stop][row] / stops;
    }
  }
  std::vector<double> z = {grid.total}, w = {std::max(1e-9, grid.total_variance)};
  for (std::size_t row = 1; row < rows; ++row) {
    z.push_back(grid.mean(row));
    w.push_back(noise_of(grid.tree, row, ticks_to_rate) / (grid.apart[row] ? stops : stops * stops));
  }
  const std::vector<std::vector<double>> alone_of = estimate_stops(grid, ticks_to_rate);
  const std::vector<double> alone = grid.tree.estimate;  // the mean
  join_upwards(families, z, w);
  std::vector<double>& mean = grid.tree.estimate;
  const double total = std::max(0.0, z[0]);
  mean = filter_tree({families, std::move(z), std::move(w), alone, std::vector<bool>(rows, true), kLeastDrift},
                     mean_then, total);
  if (grid.stops == 1) return {mean};

  std::vector<std::vector<double>> estimates;
  for (std::size_t stop = 0; stop < grid.stops; ++stop) {
    // The stop's own counts, joined from below where whole families were counted apart.
    std::vector<double> own(rows, 0.0), variance(rows, kUnknown);
    for (std::size_t row = rows; row-- > 1;) {
      if (!grid.apart[row]) continue;
      own[row] = static_cast<double>(grid.counts[row][stop]);
      variance[row] = noise_of(grid.tree, row, ticks_to_rate);
      const auto [first, last] = families.children[row];
      if (first == last || !grid.apart[first]) continue;
      double sum = 0, of_sum = 0;
      for (std::size_t child = first; child < last; ++child) {
        sum += own[child];
        of_sum += variance[child];
      }
      own[row] = (own[row] * of_sum + sum * variance[row]) / (of_sum + variance[row]);
      variance[row] = of_sum * variance[row] / (of_sum + variance[row]);
    }
    // Then as it was at this stop; where stops were counted together, raked to what all of them are now.
    std::vector<double> forecast = then[stop];
    for (std::size_t row = 1; row < rows; ++row) {
      if (!grid.apart[row])
        forecast[row] = mean_then[row] > 0 ? forecast[row] * (mean[row] / mean_then[row]) : mean[row];
    }
    estimates.push_back(filter_tree(
        {families, std::move(own), std::move(variance), alone_of[stop], grid.apart, kLeastDrift}, forecast, mean[0]));
  }
  return estimates;
}

void place_in_leaves(const std::vector<Table*>& maps, const std::vector<PlaceForecast>& then, double least,
                     std::size_t most_rows, std::uint32_t step) {
  const Table& first = *maps[0];
  const std::vector<bool> leaves = first.leaves();
  const std::size_t counted = first.rows();
  for (std::size_t row = 0; row < first.rows() && first.rows() < most_rows; ++row) {
    if (row < counted && !leaves[row]) continue;
    const auto few = [&](const Table* map) { return map->estimate[row] < least; };
    const Box box = first.box(row);
    const auto [x, y] = sides_of(first, row);
    const std::size_t axis = x.width() >= y.width() ? 0 : 1;
    const std::uint32_t side = axis == 0 ? x.width() : y.width();
    if (std::all_of(maps.begin(), maps.end(), few) || side <= step) continue;
    Box below = box, above = box;
    below[axis].hi = above[axis].lo = box[axis].lo + std::max(side / 2 / step, 1u) * step;
    for (std::size_t stop = 0; stop < maps.size(); ++stop) {
      const auto mass = [&](const Box& half) {
        return then[stop].last_share(half[0], half.axes() > 1 ? half[1] : Interval{0, 1});
      };
      // The floor of a map keeps both above 0.
      const double low = mass(below), high = mass(above), n = maps[stop]->estimate[row];
      const double part = low + high > 0 ? low / (low + high) : 0.5;
      for (const auto& [half, trips] : {std::pair{below, n * part}, std::pair{above, n - n * part}}) {
        const std::size_t made = maps[stop]->append(half, static_cast<std::int32_t>(row), 0, 0, 0);
        maps[stop]->estimate[made] = trips;
      }
    }
  }
}

std::vector<double> JointForecast::candidates(const ForecastBox& box) const {
  std::vector<double> shares = {box.mu};
  for (std::size_t i = history_.past.size(); i-- > 0;) {
    const PastRelease& past = *history_.past[i];
    const double then = past.product(box.box);
    if (!past.tells_places()) {
      // Of a table: how many times as many trips there are as if stops did not hang together.
      shares.push_back(then > 0 ? box.mu * past.share(box.box) / then : box.mu);
      continue;
    }
    // As the box was then, moved half of the way that its maps have moved (in logarithms), as what they say of a small
    // box is noise in good part. Beyond a factor of 3 they are believed: what they have more of now is spread by them,
    // and what they have less of is gone.
    const double moved = then > 0 ? box.mu / then : 1;
    const double ratio = std::sqrt(std::clamp(moved, 1.0 / 3, 3.0)) * std::min(1.0, 3 * moved);
    shares.push_back(past.share(box.box) * ratio + std::max(0.0, box.mu - 3 * then));
  }
  return shares;
}

std::vector<double> JointForecast::prior() const {
  // A fifth for the product, the rest for releases, the later the more.
  const std::size_t k = size();
  std::vector<double> prior(k, kProduct);
  double sum = 0;
  for (std::size_t j = 1; j < k; ++j) sum += std::pow(kAging, static_cast<double>(j - 1));
  for (std::size_t j = 1; j < k; ++j) prior[j] = (1 - kProduct) * std::pow(kAging, static_cast<double>(j - 1)) / sum;
  if (k == 1) prior[0] = 1;
  return prior;
}

double JointForecast::mix(const std::vector<double>& weights, const std::vector<double>& candidates) {
  double sum = 0;
  for (std::size_t j = 0; j < candidates.size(); ++j) sum += weights[j] * candidates[j];
  return sum;
}

std::vector<double> JointForecast::weigh(const std::vector<std::vector<double>>& shares, const std::vector<double>& z,
                                         const std::vector<double>& w, double total) const {
  const std::size_t k = size();
  const std::vector<double> prior = this->prior();
  std::vector<std::vector<double>> a(k, std::vector<double>(k, 0.0));
  std::vector<double> b(k, 0.0);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    double m = 0;
    for (std::size_t j = 0; j < k; ++j) m += prior[j] * shares[i][j] * total;
    const double weight = 1 / (w[i] + m + kTypicalDrift * m * m);
    for (std::size_t j = 0; j < k; ++j) {
      for (std::size_t l = 0; l < k; ++l) a[j][l] += weight * shares[i][j] * shares[i][l] * total * total;
      b[j] += weight * shares[i][j] * total * z[i];
    }
  }
  double trace = 0;
  for (std::size_t j = 0; j < k; ++j) trace += a[j][j] / static_cast<double>(k);
  const double ridge = kRidge * trace + 1e-9;
  for (std::size_t j = 0; j < k; ++j) {
    a[j][j] += ridge;
    b[j] += ridge * prior[j];
  }
  // Coordinate descent: one weight at a time, not below 0.
  std::vector<double> x = prior;
  for (int pass = 0; pass < 200; ++pass) {
    for (std::size_t j = 0; j < k; ++j) {
      double rest = b[j];
      for (std::size_t l = 0; l < k; ++l) rest -= l == j ? 0 : a[j][l] * x[l];
      x[j] = std::max(0.0, rest / a[j][j]);
    }
  }
  double all = 0;
  for (double each : x) all += each;
  for (double& each : x) each = all > 0 ? each / all : 1.0 / static_cast<double>(k);
  return x;
}

std::vector<double> estimate_over_history(Table& table, const ForecastRows& rows, double ticks_to_rate,
                                          const JointForecast& forecast) {
  const std::size_t n = table.rows();
  const Families families = families_of(table);
  std::vector<double> z(n), w(n);
  std::vector<std::vector<double>> shares(n);
  for (std::size_t row = 0; row < n; ++row) {
    z[row] = static_cast<double>(table.count[row]);
    w[row] = noise_of(table, row, ticks_to_rate);
  }
  tbb::parallel_for(std::size_t{0}, n, [&](std::size_t row) { shares[row] = forecast.candidates(rows.boxes[row]); });
  join_upwards(families, z, w);
  const std::vector<double> alone = table.estimate;
  // A release that says less of this period than the product of its maps does has no say.
  std::vector<Misfit> misfits(forecast.size());
  for (std::size_t row = 1; row < n; ++row) {
    for (std::size_t j = 0; j < misfits.size(); ++j)
      misfits[j].add(shares[row][j] * alone[0], z[row], w[row], alone[row]);
  }
  std::vector<bool> heard(forecast.size(), true);
  for (std::size_t j = 1; j < heard.size(); ++j) heard[j] = misfits[j].sum() < misfits[0].sum();
  for (std::vector<double>& each : shares) {
    for (std::size_t j = 1; j < heard.size(); ++j) each[j] = heard[j] ? each[j] : 0;
  }
  if (std::none_of(heard.begin() + 1, heard.end(), [](bool h) { return h; })) return {};
  std::vector<double> weights(forecast.size(), 1.0 / static_cast<double>(forecast.size()));
  std::vector<double> mixed(n, 0.0);
  for (const auto& parents : families.of_depth) {
    std::vector<std::vector<double>> own;
    std::vector<double> own_z, own_w;
    for (std::size_t parent : parents) {
      const auto [first, last] = families.children[parent];
      if (rows.followed[parent]) continue;
      for (std::size_t child = first; child < last; ++child) {
        own.push_back(shares[child]);
        own_z.push_back(z[child]);
        own_w.push_back(w[child]);
      }
    }
    if (!own.empty()) weights = forecast.weigh(own, own_z, own_w, table.estimate[0]);
    for (std::size_t parent : parents) {
      const auto [first, last] = families.children[parent];
      for (std::size_t child = first; child < last; ++child) {
        for (std::size_t j = 0; j < weights.size(); ++j) mixed[child] += weights[j] * shares[child][j];
      }
    }
  }
  table.estimate = filter_tree({families, std::move(z), std::move(w), alone, std::vector<bool>(n, true), 0},
                               std::move(mixed), table.estimate[0]);
  return weights;
}

}  // namespace stopover
