#include "mechanism/history_filter.h"

#include <algorithm>
#include <cmath>

#include "mechanism/drift_filter.h"

namespace stopover {
namespace {

constexpr double kFloorShare = 0.3;  // of an even share of the parent's trips: no child is thought to drift by less
// Forecasts below, about and far above the noise drift differently: each class has a law of its own.
constexpr double kFaint = 1, kClear = 5;  // in standard deviations of the noise
constexpr double kLeastDriftClear = 1;    // where counts are clear they speak for themselves
constexpr double kNothing = 0.5;          // deviations: a forecast so small that a box may be taken as empty
constexpr double kChange = 2;             // deviations of noise and chance above what came out

std::size_t class_of(const Forecast& c) {
  const double signal = c.f / std::sqrt(c.w);
  return signal < kFaint ? 0 : signal < kClear ? 1 : 2;
}

class HistoryFilter {
 public:
  HistoryFilter(const TreeCounts& counts, std::vector<double> forecast, double total)
      : counts_(counts), forecast_(std::move(forecast)), estimate_(counts.z.size(), 0.0) {
    estimate_[0] = total;
  }

  std::vector<double> run() {
    go_down();
    if (add_changes()) go_down();
    return std::move(estimate_);
  }

 private:
  void go_down() {
    for (const std::vector<std::size_t>& parents : counts_.families.of_depth) {
      for (std::size_t parent : parents) scale(parent);
      filter_level(parents);
    }
  }

  // A family's forecasts become trips, shares of what its parent is believed to hold; where nothing was counted they
  // are what is believed.
  void scale(std::size_t parent) {
    const auto [first, last] = counts_.families.children[parent];
    double sum = 0;
    for (std::size_t child = first; child < last; ++child) sum += forecast_[child];
    for (std::size_t child = first; child < last; ++child) {
      const double share = sum > 0 ? forecast_[child] / sum : 1 / static_cast<double>(last - first);
      estimate_[child] = forecast_[child] = share * estimate_[parent];
    }
  }

  // `alone`: a child stands between it and its forecast as far as the filter goes from the forecast towards the count.
  // So where nothing leans, a family is as it would be alone.
  void filter_level(const std::vector<std::size_t>& parents) {
    std::vector<Forecast> of_class[3];
    const auto forecast_of = [&](std::size_t parent, std::size_t child) {
      const auto [first, last] = counts_.families.children[parent];
      const double f = forecast_[child], w = counts_.w[child];
      const double least = f > kClear * std::sqrt(w) ? kLeastDriftClear : counts_.least_drift;
      return Forecast{f, kFloorShare * estimate_[parent] / static_cast<double>(last - first), counts_.z[child], w,
                      least};
    };
    for (std::size_t parent : parents) {
      const auto [first, last] = counts_.families.children[parent];
      for (std::size_t child = first; child < last && counts_.counted[child]; ++child) {
        const Forecast c = forecast_of(parent, child);
        of_class[class_of(c)].push_back(c);
      }
    }
    const DriftFilter filters[3] = {DriftFilter(of_class[0]), DriftFilter(of_class[1]), DriftFilter(of_class[2])};
    for (std::size_t parent : parents) {
      const auto [first, last] = counts_.families.children[parent];
      if (!counts_.counted[first]) continue;
      std::vector<double> x, v;
      std::vector<bool> pinned;
      const double now = counts_.alone[parent] > 0 ? estimate_[parent] / counts_.alone[parent] : 0;
      for (std::size_t child = first; child < last; ++child) {
        const Forecast c = forecast_of(parent, child);
        pinned.push_back(counts_.alone[child] <= 0 && c.f < kNothing * std::sqrt(c.w));
        const Believed believed = filters[class_of(c)](c);
        const double own = now > 0 ? counts_.alone[child] * now : std::max(0.0, c.z), off = c.z - c.f;
        const double pull = off == 0 ? 0 : std::clamp((believed.x - c.f) / off, 0.0, 1.0);
        x.push_back(c.f + pull * (own - c.f));
        v.push_back(believed.variance);
      }
      if (std::all_of(pinned.begin(), pinned.end(), [](bool p) { return p; })) pinned.assign(x.size(), false);
      project_family(x, v, pinned, estimate_[parent]);
      std::copy(x.begin(), x.end(), estimate_.begin() + static_cast<std::ptrdiff_t>(first));
    }
  }

  // The rule of changes. Whether there are any.
  bool add_changes() {
    const Families& families = counts_.families;
    const std::size_t rows = estimate_.size();
    std::vector<double> change(rows, 0.0);
    for (std::size_t row = rows; row-- > 0;) {
      // What changed in a box is what changed in its parts, or what its own count shows beyond them.
      const auto [first, last] = families.children[row];
      for (std::size_t child = first; child < last; ++child) change[row] += change[child];
      const double excess = counts_.z[row] - estimate_[row];
      const bool seen =
          row > 0 && counts_.counted[row] && excess > kChange * std::sqrt(counts_.w[row] + estimate_[row]);
      if (seen) change[row] = std::max(change[row], excess);
    }
    for (std::size_t row = 0; row < rows; ++row) forecast_[row] += change[row];
    return change[0] > 0;
  }

  const TreeCounts& counts_;
  std::vector<double> forecast_;  // of rows that were gone through, in trips
  std::vector<double> estimate_;
};

}  // namespace

std::vector<double> filter_tree(const TreeCounts& counts, std::vector<double> forecast, double total) {
  return HistoryFilter(counts, std::move(forecast), total).run();
}

}  // namespace stopover
