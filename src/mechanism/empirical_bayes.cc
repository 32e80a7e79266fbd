#include "mechanism/empirical_bayes.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "release/consistency.h"

namespace stopover {
namespace {

const double kStep = std::log(1.25);         // between classes and between lambdas, in logarithms
constexpr int kBelow = 10;                   // lambdas that start so many steps below the first class
constexpr double kBinWidth = 0.06;           // of u = 2 asinh(z/2s): 0.06 s near zero, 6 % far away
constexpr double kLowest = -12, kKeep = 15;  // in scales: lower counts are raised to it, larger ones stand as they are
constexpr double kTop = 40;                  // in scales, where lambdas and bases end
constexpr double kTiny = 0.3;                // in scales: beliefs below are doubted
constexpr int kReach = 3;                    // classes that are borrowed from, to either side
constexpr double kLeastForKappa = 200;       // values
constexpr double kLowestLevel = 0.25, kHighestLevel = 0.6;  // of quantiles
constexpr std::size_t kChunk = 1 << 16;  // values that one task takes; sums are joined in their order

// The values of x at which laws are kept: all small ones, then ever wider cells of which `at` is the middle.
struct CountGrid {
  std::vector<double> at, lo, hi;

  CountGrid(double scale, double most) {
    for (double x = 0; x <= most;) {
      // A cell of 5 % of x blurs a Poisson law little and one of a fifth of a scale the noise.
      const double width = std::max(1.0, std::floor(std::min(0.05 * x, 0.2 * scale)));
      lo.push_back(x);
      hi.push_back(x + width);
      at.push_back(x + (width - 1) / 2);
      x += width;
    }
  }
  std::size_t size() const { return at.size(); }
};

// P(X < x) for X ~ Poisson(lambda), by Wilson and Hilferty's cube root: right to a thousandth from x = 20 on.
double poisson_below(double x, double lambda) {
  const double z = 3 * std::sqrt(x) * (1 - 1 / (9 * x) - std::cbrt(lambda / x));
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

std::vector<double> poisson(double lambda, const CountGrid& grid) {
  std::vector<double> p(grid.size(), 0.0);
  if (lambda == 0) {
    p[0] = 1;
    return p;
  }
  // Single counts in logarithms, each from the one before: log p(x) = log p(x - 1) + log(lambda/x).
  double sum = 0, log_p = -lambda;
  const double log_lambda = std::log(lambda);
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (grid.hi[i] - grid.lo[i] == 1) {
      if (i > 0) log_p += log_lambda - std::log(grid.at[i]);
      p[i] = log_p > -60 ? std::exp(log_p) : 0;
    } else {
      p[i] = std::max(0.0, poisson_below(grid.hi[i], lambda) - poisson_below(grid.lo[i], lambda));
    }
    sum += p[i];
  }
  for (double& each : p) each = sum > 0 ? each / sum : 0;
  return p;
}

double fourth_power(double x) { return x * x * x * x; }

class Bayes {
 public:
  Bayes(std::span<const float> bases, std::span<const std::int64_t> counts, double rate, const BayesOptions& options)
      : bases_(bases), counts_(counts), options_(options), rate_(rate), scale_(1 / rate), noise_(noise_variance(rate)) {
    // No count beyond the largest that is not kept, and a wide margin of noise, comes into question.
    const double unit = std::max(scale_, 1.0);
    double largest = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (!kept(i)) largest = std::max(largest, static_cast<double>(counts[i]));
    }
    top_ = std::min(kTop * unit, largest + 12 * scale_ + 4);
    least_base_ = 0.01 * unit;
    log_least_ = std::log(least_base_);
    lowest_bin_ = std::floor(bin_place(kLowest * scale_));
    bins_ = static_cast<std::size_t>(std::ceil(bin_place(kKeep * scale_)) - lowest_bin_) + 2;
  }

  Beliefs run() {
    Beliefs result;
    result.mean.resize(bases_.size());
    result.variance.resize(bases_.size());
    collect();
    if (classes_ > 0) {
      start();
      double values = 0;
      for (const ClassSums& each : sums_) values += each.n;
      // A handful of values teaches no law, however long it is looked at.
      const int steps = values < kLeastForKappa ? options_.steps / 4 : options_.steps;
      for (int step = 0; step < steps; ++step) improve();
      conclude();
    }
    for_chunks([&](std::size_t chunk, std::size_t first, std::size_t last) {
      Sums& sums = chunk_sums_[chunk];
      sums.assign(classes_, {});
      for (std::size_t i = first; i < last; ++i) {
        read(i, result);
        if (kept(i)) continue;
        const std::size_t c = class_of(i);
        sums[c].z += static_cast<double>(counts_[i]);
        sums[c].m += result.mean[i];
        sums[c].n += 1;
      }
    });
    keep_sums(result);
    if (options_.quantiles) take_quantiles(result);
    return result;
  }

 private:
  struct ClassSums {
    double n = 0, z = 0, m = 0, base = 0, base2 = 0, misfit = 0;
  };
  using Sums = std::vector<ClassSums>;

  // Threads only where there is work for them.
  template <typename Work>
  void in_parallel(std::size_t tasks, const Work& work) const {
    if (bases_.size() < kChunk / 8) {
      for (std::size_t task = 0; task < tasks; ++task) work(task);
    } else {
      tbb::parallel_for(std::size_t{0}, tasks, work);
    }
  }
  template <typename Work>
  void for_chunks(const Work& work) {
    const std::size_t chunks = (bases_.size() + kChunk - 1) / kChunk;
    chunk_sums_.assign(chunks, {});
    in_parallel(chunks,
                [&](std::size_t chunk) { work(chunk, chunk * kChunk, std::min(bases_.size(), (chunk + 1) * kChunk)); });
  }

  bool kept(std::size_t i) const { return static_cast<double>(counts_[i]) > kKeep * scale_; }
  double bin_place(double z) const { return 2 * std::asinh(z / (2 * scale_)) / kBinWidth; }
  // The middle of bin j, and where count i lies among the bins' middles.
  double bin_count(std::size_t j) const {
    return 2 * scale_ * std::sinh((static_cast<double>(j) + lowest_bin_) * kBinWidth / 2);
  }
  double bin_of(std::size_t i) const {
    return bin_place(std::max(static_cast<double>(counts_[i]), kLowest * scale_)) - lowest_bin_;
  }
  std::size_t nearest_bin(std::size_t i) const { return static_cast<std::size_t>(bin_of(i) + 0.5); }
  // Steps above the least base.
  double place(std::size_t i) const {
    const double b = std::clamp<double>(bases_[i], least_base_, top_);
    return (std::log(b) - log_least_) / kStep;
  }
  std::size_t class_of(std::size_t i) const {
    return std::clamp(static_cast<std::size_t>(place(i)), first_class_, first_class_ + classes_ - 1) - first_class_;
  }
  double class_base(std::size_t c) const {
    return least_base_ * std::exp((static_cast<double>(c + first_class_) + 0.5) * kStep);
  }

  // The histogram of bins per class, and the sums that kappa is made of.
  void collect() {
    const auto most = static_cast<std::size_t>(std::log(top_ / least_base_) / kStep) + 1;
    first_class_ = 0;
    classes_ = most;
    std::vector<std::vector<double>> histogram(most);
    Sums sums(most);
    for (std::size_t i = 0; i < bases_.size(); ++i) {
      if (kept(i)) continue;
      const std::size_t c = class_of(i);
      if (histogram[c].empty()) histogram[c].resize(bins_);
      histogram[c][nearest_bin(i)] += 1;
      const double b = bases_[i], z = static_cast<double>(counts_[i]);
      sums[c].n += 1;
      sums[c].base2 += b * b;
      // If the bases were right, counts would be off by noise and by chance (Poisson) alone; what is left on average is
      // kappa b^2.
      sums[c].misfit += (z - b) * (z - b) - noise_ - b;
    }
    std::size_t first = 0, last = most;
    while (first < last && sums[first].n == 0) ++first;
    while (last > first && sums[last - 1].n == 0) --last;
    first_class_ = first;
    classes_ = last - first;
    sums_.assign(sums.begin() + static_cast<std::ptrdiff_t>(first), sums.begin() + static_cast<std::ptrdiff_t>(last));
    histogram_.assign(classes_, {});
    std::vector<bool> used(bins_, false);
    for (std::size_t c = 0; c < classes_; ++c) {
      const std::vector<double>& bins = histogram[c + first];
      for (std::size_t j = 0; j < bins.size(); ++j) {
        if (bins[j] == 0) continue;
        histogram_[c].push_back({j, bins[j]});
        for (std::size_t k = j - (j > 0); k <= std::min(j + 1, bins_ - 1); ++k) used[k] = true;
      }
    }
    for (std::size_t j = 0; j < bins_; ++j) {
      if (used[j]) used_bins_.push_back(j);
    }
  }

  // Laws of x for every lambda, the likelihoods of every bin, and first weights of the lambdas.
  void start() {
    const CountGrid grid(scale_, top_ + 20);
    at_ = grid.at;
    lambdas_ = {0};
    for (int k = -kBelow;; ++k) {
      lambdas_.push_back(least_base_ * std::exp(k * kStep));
      if (lambdas_.back() >= top_) break;
    }
    for (double lambda : lambdas_) poisson_.push_back(poisson(lambda, grid));
    noise_at_.resize(bins_);
    likelihood_.resize(bins_);
    for (std::size_t j : used_bins_) {
      const double z = bin_count(j);
      noise_at_[j].resize(at_.size());
      for (std::size_t x = 0; x < at_.size(); ++x) noise_at_[j][x] = std::exp(-rate_ * std::abs(z - at_[x]));
      for (const std::vector<double>& law : poisson_) {
        double sum = 0;
        for (std::size_t x = 0; x < at_.size(); ++x) sum += law[x] * noise_at_[j][x];
        likelihood_[j].push_back(std::max(sum, 1e-280));
      }
    }
    weights_.assign(classes_, std::vector<double>(lambdas_.size()));
    for (std::size_t c = 0; c < classes_; ++c) {
      const double kappa = kappa_of(c);
      const double variance = std::clamp(std::log(1 + kappa), 0.03, 4.0);
      // Around the base as a log-normal law of that kappa would lie, with tails so that EM can go anywhere.
      double sum = 0;
      for (std::size_t k = 1; k < lambdas_.size(); ++k) {
        const double d = std::log(lambdas_[k] / class_base(c));
        const double off = d + variance / 2;
        weights_[c][k] =
            std::exp(-off * off / (2 * variance)) / std::sqrt(variance) + 0.01 * std::exp(-std::abs(d) / 1.5) + 1e-7;
        sum += weights_[c][k];
      }
      weights_[c][0] = (kappa > 0.5 ? 0.2 : 0.01) * sum;
      sum += weights_[c][0];
      for (double& w : weights_[c]) w /= sum;
    }
  }

  // By moments, over the class and two to either side, and more until there are enough values.
  double kappa_of(std::size_t c) const {
    double misfit = 0, base2 = 0, n = 0;
    const auto add = [&](std::size_t i) {
      misfit += sums_[i].misfit;
      base2 += sums_[i].base2;
      n += sums_[i].n;
    };
    add(c);
    for (std::size_t r = 1; r < classes_ && (r <= 2 || n < kLeastForKappa); ++r) {
      if (c >= r) add(c - r);
      if (c + r < classes_) add(c + r);
    }
    return base2 > 0 ? std::clamp(misfit / base2, 0.02, 20.0) : 0.02;
  }

  // One step of EM: every value is shared out to the lambdas by what it now says of them, and a class's weights become
  // what its values say, with a little of what the neighbouring classes' do, moved along with the base.
  void improve() {
    const std::size_t n = lambdas_.size();
    told_.assign(classes_, std::vector<double>(n, 0.0));
    for (std::size_t c = 0; c < classes_; ++c) {
      for (const auto& [j, times] : histogram_[c]) {
        const std::vector<double>& likelihood = likelihood_[j];
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += weights_[c][k] * likelihood[k];
        const double each = times / sum;
        for (std::size_t k = 0; k < n; ++k) told_[c][k] += each * weights_[c][k] * likelihood[k];
      }
    }
    for (std::size_t c = 0; c < classes_; ++c) {
      std::vector<double> next(n, 0.0);
      const std::size_t from = c - std::min<std::size_t>(c, kReach), to = std::min(classes_ - 1, c + kReach);
      for (std::size_t other = from; other <= to; ++other) {
        if (sums_[other].n == 0) continue;
        const auto shift = static_cast<std::ptrdiff_t>(c) - static_cast<std::ptrdiff_t>(other);
        const double far = static_cast<double>(std::abs(shift));
        // A value says little where the base is far below the noise: (base/scale)^2 of one. Of such, more are taken.
        const double faint = std::max(1.0, scale_ / class_base(other));
        const double weight = shift == 0 ? 1 : std::min(1.0, options_.borrow * faint * faint / (far * sums_[other].n));
        next[0] += weight * told_[other][0];
        for (std::size_t k = 1; k < n; ++k) {
          const auto moved =
              std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(k) + shift, 1, static_cast<std::ptrdiff_t>(n) - 1);
          next[static_cast<std::size_t>(moved)] += weight * told_[other][k];
        }
      }
      double sum = 0;
      for (double w : next) sum += w;
      if (sum <= 0) continue;  // no values near: as it was
      for (std::size_t k = 0; k < n; ++k) weights_[c][k] = next[k] / sum;
    }
  }

  // Posterior mean and variance per class and bin.
  void conclude() {
    law_.assign(classes_, std::vector<double>(at_.size(), 0.0));
    mean_.assign(classes_, std::vector<double>(bins_, 0.0));
    variance_ = mean_;
    in_parallel(classes_, [&](std::size_t c) {
      for (std::size_t k = 0; k < lambdas_.size(); ++k) {
        if (weights_[c][k] == 0) continue;
        for (std::size_t x = 0; x < at_.size(); ++x) law_[c][x] += weights_[c][k] * poisson_[k][x];
      }
      for (std::size_t j : used_bins_) {
        double p = 0, px = 0, pxx = 0;
        for (std::size_t x = 0; x < at_.size(); ++x) {
          const double each = law_[c][x] * noise_at_[j][x];
          p += each;
          px += each * at_[x];
          pxx += each * at_[x] * at_[x];
        }
        if (!(p > 0)) continue;
        mean_[c][j] = px / p;
        variance_[c][j] = std::max(0.0, pxx / p - px / p * (px / p));
      }
    });
  }

  // Between the classes' middles and between bins, linearly.
  void read(std::size_t i, Beliefs& result) const {
    if (kept(i)) {
      result.mean[i] = static_cast<float>(counts_[i]);
      result.variance[i] = static_cast<float>(noise_);
      return;
    }
    const double across =
        std::clamp(place(i) - 0.5 - static_cast<double>(first_class_), 0.0, static_cast<double>(classes_ - 1));
    const double along = bin_of(i);
    const auto c = static_cast<std::size_t>(across), j = static_cast<std::size_t>(along);
    const std::size_t c1 = std::min(c + 1, classes_ - 1), j1 = std::min(j + 1, bins_ - 1);
    const double p = across - static_cast<double>(c), q = along - static_cast<double>(j);
    const auto between = [&](const std::vector<std::vector<double>>& of) {
      return (1 - p) * ((1 - q) * of[c][j] + q * of[c][j1]) + p * ((1 - q) * of[c1][j] + q * of[c1][j1]);
    };
    result.mean[i] = static_cast<float>(between(mean_));
    // At least a thousandth of the noise's, so that whoever weighs by it can divide.
    result.variance[i] = static_cast<float>(std::max(between(variance_), 1e-3 * std::min(noise_, 1.0) + 1e-30));
  }

  // Beliefs of a class should sum to what its counts do, as far as those are known: many small beliefs are moved
  // together, large ones, which are known each for itself, not. And since beliefs are not negative, those of a class
  // that is truly empty sum to more than nothing: with `doubt`, tiny ones whose sum could be noise are drawn to zero.
  void keep_sums(Beliefs& result) {
    sums_.assign(classes_, {});
    for (const Sums& part : chunk_sums_) {
      for (std::size_t c = 0; c < classes_; ++c) {
        sums_[c].n += part[c].n;
        sums_[c].z += part[c].z;
        sums_[c].m += part[c].m;
      }
    }
    std::vector<double> factor(classes_, 1.0), doubted(classes_, 1.0);
    for (std::size_t c = 0; c < classes_; ++c) {
      if (!(sums_[c].m > 0)) continue;
      const double rho = std::max(0.0, sums_[c].z) / sums_[c].m;
      const double off = std::sqrt(noise_ * sums_[c].n) / sums_[c].m;
      factor[c] = std::clamp((1 + (rho - 1) / (1 + 4 * off * off)), 0.02, 2.0);
      doubted[c] = 1 / (1 + options_.doubt * off * off);
    }
    for_chunks([&](std::size_t chunk, std::size_t first, std::size_t last) {
      chunk_sums_[chunk].assign(classes_, {});
      for (std::size_t i = first; i < last; ++i) {
        if (kept(i)) continue;
        const std::size_t c = class_of(i);
        const double large = fourth_power(result.mean[i] / (2 * scale_));
        const double tiny = fourth_power(result.mean[i] / (kTiny * scale_));
        result.mean[i] *= static_cast<float>((1 + (factor[c] - 1) / (1 + large)) * (1 + (doubted[c] - 1) / (1 + tiny)));
        chunk_sums_[chunk][c].m += result.mean[i];
      }
    });
    for (std::size_t c = 0; c < classes_; ++c) {
      sums_[c].m = 0;
      for (const Sums& part : chunk_sums_) sums_[c].m += part[c].m;
    }
  }

  // The smallest x that is not exceeded with probability `level`, given a count of bin j in class c.
  double quantile(std::size_t c, std::size_t j, double level) const {
    double all = 0;
    for (std::size_t x = 0; x < at_.size(); ++x) all += law_[c][x] * noise_at_[j][x];
    double below = 0;
    for (std::size_t x = 0; x < at_.size(); ++x) {
      below += law_[c][x] * noise_at_[j][x];
      if (below >= level * all) return at_[x];
    }
    return mean_[c][j];
  }

  void take_quantiles(Beliefs& result) {
    std::vector<std::vector<float>> quantiles(classes_, std::vector<float>(bins_, 0.0F));
    in_parallel(classes_, [&](std::size_t c) {
      // The sum grows with the level: halving finds the one that keeps it.
      double lo = kLowestLevel, hi = kHighestLevel;
      for (int step = 0; step < 24; ++step) {
        const double level = (lo + hi) / 2;
        double sum = 0;
        for (const auto& [j, times] : histogram_[c]) sum += times * quantile(c, j, level);
        (sum < sums_[c].m ? lo : hi) = level;
      }
      for (const auto& [j, times] : histogram_[c]) quantiles[c][j] = static_cast<float>(quantile(c, j, (lo + hi) / 2));
    });
    result.quantile = result.mean;
    for_chunks([&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        if (!kept(i)) result.quantile[i] = quantiles[class_of(i)][nearest_bin(i)];
      }
    });
  }

  std::span<const float> bases_;
  std::span<const std::int64_t> counts_;
  const BayesOptions& options_;
  double rate_, scale_, noise_;
  double top_, least_base_, log_least_, lowest_bin_;
  std::size_t bins_;
  std::size_t first_class_ = 0, classes_ = 0;
  Sums sums_;                                                           // per class
  std::vector<Sums> chunk_sums_;                                        // per chunk and class
  std::vector<std::vector<std::pair<std::size_t, double>>> histogram_;  // per class: bins and how many values
  std::vector<std::size_t> used_bins_;                                  // with a value in them or beside them
  std::vector<double> at_;                                              // counts at which laws are kept
  std::vector<double> lambdas_;                                         // 0 first
  std::vector<std::vector<double>> poisson_;                            // per lambda: of every x
  std::vector<std::vector<double>> noise_at_, likelihood_;              // per bin: given x; given lambda
  std::vector<std::vector<double>> weights_, told_, law_;               // per class: of lambdas; of lambdas; of x
  std::vector<std::vector<double>> mean_, variance_;                    // per class and bin
};

}  // namespace

Beliefs empirical_bayes(std::span<const float> bases, std::span<const std::int64_t> counts, double rate,
                        const BayesOptions& options) {
  STOPOVER_CHECK(bases.size() == counts.size() && rate > 0, "one base per count, and noise of a known rate");
  return Bayes(bases, counts, rate, options).run();
}

}  // namespace stopover
