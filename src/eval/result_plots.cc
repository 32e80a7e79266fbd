#include "eval/result_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "eval/comparison.h"
#include "eval/needle.h"

namespace stopover {
namespace {

constexpr const char* kBounded = "bounded_re";
constexpr const char* kBaseline = "daf-entropy";
constexpr std::size_t kMostBands = 3;
const std::vector<std::pair<std::string, double>> kSides = {{"dcov1", 1}, {"dcov5", 5}, {"dcov10", 10}};

std::string first_word(const std::string& data) { return data.substr(0, data.find(' ')); }

struct Group {
  std::string name;  // 4d
  std::vector<std::string> data;
};

class ResultPlots {
 public:
  ResultPlots(std::span<const ResultRow> rows, const std::vector<std::string>& mechanisms) : figures_(rows) {
    std::set<std::string> seen;
    for (const ResultRow& row : rows) {
      if (std::find(epsilons_.begin(), epsilons_.end(), row.epsilon) == epsilons_.end())
        epsilons_.push_back(row.epsilon);
      if (!seen.insert(row.data).second) continue;
      const std::string word = first_word(row.data);
      const std::size_t dash = word.rfind("-n");
      if (dash != std::string::npos) {
        growth_[word.substr(0, dash)].push_back(row.data);
      } else if (!word.empty() && std::isdigit(static_cast<unsigned char>(word.back())) != 0) {
        groups_[word.substr(word.size() - 1) + "d"].push_back(row.data);
      }
    }
    std::sort(epsilons_.begin(), epsilons_.end(),
              [](const std::string& a, const std::string& b) { return std::stod(a) < std::stod(b); });
    mechanisms_ = mechanisms.empty() ? figures_.mechanisms() : mechanisms;
  }

  std::vector<NamedPlot> all() {
    for (const auto& [name, data] : groups_) {
      const std::string sets = names(data), band = data.size() > 1 ? "; bands from the least to the greatest" : "";
      add("error-" + name,
          {fmt::format("Error over epsilon, {} axes", name.substr(0, 1)),
           sets + "; random boxes" + band,
           "epsilon",
           "relative error, floored, %",
           Scale::log,
           Scale::log,
           {}},
          [&](const std::string& mechanism, Curve& curve) {
            for (const std::string& epsilon : epsilons_) {
              point(curve, std::stod(epsilon), data, [&](const std::string& set) {
                return figures_.figure({set, epsilon, "random"}, mechanism, kBounded);
              });
            }
          });
      const std::string& middle = epsilons_[epsilons_.size() / 2];
      add("size-" + name,
          {fmt::format("Error over query size, {} axes", name.substr(0, 1)),
           fmt::format("{}; boxes on data, epsilon {}{}", sets, middle, band),
           "side of the box, %",
           "relative error, floored, %",
           Scale::log,
           Scale::log,
           {}},
          [&](const std::string& mechanism, Curve& curve) {
            for (const auto& [workload, side] : kSides) {
              point(curve, side, data, [&](const std::string& set) {
                return figures_.figure({set, middle, workload}, mechanism, kBounded);
              });
            }
          });
      add("noise-" + name,
          {fmt::format("How much of the error is noise, {} axes", name.substr(0, 1)),
           sets + "; random boxes" + band,
           "epsilon",
           "share of the error that noise makes, %",
           Scale::log,
           Scale::linear,
           {}},
          [&](const std::string& mechanism, Curve& curve) {
            for (const std::string& epsilon : epsilons_) {
              point(curve, std::stod(epsilon), data, [&](const std::string& set) -> std::optional<double> {
                const auto own = figures_.figure({set, epsilon, "random"}, mechanism, kBounded);
                const auto exact = figures_.figure({set, epsilon, "random"}, mechanism, "bounded_re_exact");
                if (!own || !exact || !(*own > 0)) return std::nullopt;
                return std::max(0.1, 100 * (1 - *exact / *own));
              });
            }
          });
      for (const char* kind : {"needle", "blob"}) over_needles(name, data, kind, sets + band);
      add("busy-" + name,
          {fmt::format("Busy pairs, {} axes", name.substr(0, 1)),
           sets + "; districts with 50 trips and more" + band,
           "epsilon",
           "mean relative error, %",
           Scale::log,
           Scale::log,
           {}},
          [&](const std::string& mechanism, Curve& curve) {
            over_epsilons(
                curve, data, [&](const CellName& cell) { return figures_.figure(cell, mechanism, "mre"); }, "busy");
          },
          {bound("one count", data, "busy", "mre_floor", 1)});
    }
    for (const auto& [name, data] : growth_) {
      for (const auto& [file, metric, label] :
           {std::tuple("time", "publish_seconds", "seconds to publish"),
            std::tuple("memory", "peak_memory_mb", "peak memory of the process, MB")}) {
        add(fmt::format("{}-{}", file, name),
            {fmt::format("{} of publishing over trips", file[0] == 't' ? "Time" : "Memory"),
             name + ", epsilon " + epsilons_[0],
             "trips",
             label,
             Scale::log,
             Scale::log,
             {}},
            [&](const std::string& mechanism, Curve& curve) {
              std::map<double, double> points;
              for (const std::string& set : data) {
                const CellName cell{set, epsilons_[0], kNoWorkload};
                const auto trips = figures_.figure(cell, mechanism, "trips"),
                           value = figures_.figure(cell, mechanism, metric);
                if (trips && value) points[*trips] = *value;
              }
              for (const auto& [x, y] : points) curve.x.push_back(x), curve.y.push_back(y);
            });
      }
    }
    return std::move(plots_);
  }

 private:
  static std::string names(const std::vector<std::string>& data) {
    std::string all;
    for (const std::string& set : data) all += (all.empty() ? "" : ", ") + first_word(set);
    return all;
  }

  // The median over repetitions at every epsilon; where it is kNeverFound limits, that is drawn.
  void over_needles(const std::string& group, const std::vector<std::string>& data, const std::string& kind,
                    const std::string& words) {
    add(kind + "-" + group,
        {fmt::format("A {} found half of the time, {} axes", kind, group.substr(0, 1)),
         words,
         "epsilon",
         "trips",
         Scale::log,
         Scale::log,
         {}},
        [&](const std::string& mechanism, Curve& curve) {
          over_epsilons(
              curve, data, [&](const CellName& cell) { return figures_.median(cell, mechanism, "needle_size"); }, kind);
        },
        {bound("limit", data, kind, "limit", 1), bound("not found", data, kind, "limit", kNeverFound)});
  }

  template <typename Value>
  void over_epsilons(Curve& curve, const std::vector<std::string>& data, Value&& value_of,
                     const std::string& workload) const {
    for (const std::string& epsilon : epsilons_) {
      point(curve, std::stod(epsilon), data,
            [&](const std::string& set) { return value_of({set, epsilon, workload}); });
    }
  }

  // A figure of the data itself, whatever the mechanism, times a factor.
  Curve bound(std::string name, const std::vector<std::string>& data, const std::string& workload,
              const std::string& metric, double factor) const {
    Curve curve{std::move(name), 0, {}, {}, {}, {}, true};
    over_epsilons(
        curve, data,
        [&](const CellName& cell) -> std::optional<double> {
          const auto value = figures_.figure(cell, "", metric);
          if (!value) return std::nullopt;
          return factor * *value;
        },
        workload);
    curve.low.clear();
    curve.high.clear();
    return curve;
  }

  // `bounds` are drawn where any mechanism is.
  template <typename Fill>
  void add(std::string name, LinePlot plot, Fill&& fill, const std::vector<Curve>& bounds = {}) {
    for (const std::string& mechanism : mechanisms_) {
      Curve curve{mechanism, slot_of(mechanism), {}, {}, {}, {}};
      fill(mechanism, curve);
      if (curve.x.size() > 1) plot.series.push_back(std::move(curve));
    }
    for (std::size_t i = 1; i < plot.series.size() && plot.series.size() > kMostBands; ++i) {
      if (plot.series[i].name != kBaseline) plot.series[i].low.clear(), plot.series[i].high.clear();
    }
    if (plot.series.empty()) return;
    plot.series.insert(plot.series.end(), bounds.begin(), bounds.end());
    plots_.push_back({std::move(name), "Results", std::move(plot)});
  }

  template <typename Value>
  static void point(Curve& curve, double x, const std::vector<std::string>& data, Value&& value_of) {
    double log_sum = 0, least = INFINITY, most = 0;
    int n = 0;
    for (const std::string& set : data) {
      const std::optional<double> value = value_of(set);
      if (!value || !(*value > 0)) continue;
      log_sum += std::log(*value);
      least = std::min(least, *value);
      most = std::max(most, *value);
      ++n;
    }
    if (n == 0) return;
    curve.x.push_back(x);
    curve.y.push_back(std::exp(log_sum / n));
    curve.low.push_back(least);
    curve.high.push_back(most);
  }

  Comparison figures_;
  std::vector<std::string> epsilons_, mechanisms_;
  std::map<std::string, std::vector<std::string>> groups_, growth_;
  std::vector<NamedPlot> plots_;
};

}  // namespace

std::vector<NamedPlot> result_plots(std::span<const ResultRow> rows, const std::vector<std::string>& mechanisms) {
  if (rows.empty()) return {};
  return ResultPlots(rows, mechanisms).all();
}

}  // namespace stopover
