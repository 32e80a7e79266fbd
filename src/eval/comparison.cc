#include "eval/comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "eval/error.h"
#include "synthetic/number_sequence.h"

namespace stopover {
namespace {

constexpr int kResamples = 1000;

std::string key(const CellName& cell, const std::string& mechanism, const std::string& metric) {
  return cell.data + "\n" + cell.epsilon + "\n" + cell.workload + "\n" + mechanism + "\n" + metric;
}

}  // namespace

Comparison::Comparison(std::span<const ResultRow> rows) {
  for (const ResultRow& row : rows) {
    for (const std::string& mechanism : {row.mechanism, std::string()}) {
      values_[key({row.data, row.epsilon, row.workload}, mechanism, row.metric)].push_back(row.value);
    }
    if (std::find(mechanisms_.begin(), mechanisms_.end(), row.mechanism) == mechanisms_.end())
      mechanisms_.push_back(row.mechanism);
  }
}

std::optional<double> Comparison::figure(const CellName& cell, const std::string& mechanism,
                                         const std::string& metric) const {
  const auto found = values_.find(key(cell, mechanism, metric));
  if (found == values_.end()) return std::nullopt;
  return std::accumulate(found->second.begin(), found->second.end(), 0.0) / static_cast<double>(found->second.size());
}

std::optional<double> Comparison::median(const CellName& cell, const std::string& mechanism,
                                         const std::string& metric) const {
  const auto found = values_.find(key(cell, mechanism, metric));
  if (found == values_.end()) return std::nullopt;
  std::vector<double> sorted = found->second;
  std::sort(sorted.begin(), sorted.end());
  return quantile(sorted, 0.5);
}

std::optional<double> Comparison::error(const CellName& cell, const std::string& mechanism,
                                        const std::string& metric) const {
  const std::optional<double> mean = figure(cell, mechanism, metric);
  const std::size_t n = count(cell, mechanism, metric);
  if (!mean || n < 2) return std::nullopt;
  double squares = 0;
  for (double value : values_.at(key(cell, mechanism, metric))) squares += (value - *mean) * (value - *mean);
  return std::sqrt(squares / static_cast<double>(n - 1) / static_cast<double>(n));
}

std::size_t Comparison::count(const CellName& cell, const std::string& mechanism, const std::string& metric) const {
  const auto found = values_.find(key(cell, mechanism, metric));
  return found == values_.end() ? 0 : found->second.size();
}

std::optional<double> Comparison::best(const CellName& cell, const std::vector<std::string>& mechanisms,
                                       const std::string& metric) const {
  std::optional<double> least;
  for (const std::string& mechanism : mechanisms) {
    const std::optional<double> value = figure(cell, mechanism, metric);
    if (value && (!least || *value < *least)) least = value;
  }
  return least;
}

Ratio Comparison::ratio(std::span<const CellName> cells, const std::vector<std::string>& left,
                        const std::vector<std::string>& right, const std::string& metric) const {
  std::map<std::string, std::vector<double>> logs;
  for (const CellName& cell : cells) {
    const std::optional<double> a = best(cell, left, metric), b = best(cell, right, metric);
    if (a && b && *a > 0 && *b > 0) logs[cell.data].push_back(std::log(*a / *b));
  }
  return geometric_mean(logs);
}

Ratio geometric_mean(const std::map<std::string, std::vector<double>>& logs_by_data) {
  std::vector<std::pair<double, double>> groups;  // sum, number
  Ratio ratio;
  double sum = 0;
  for (const auto& [data, logs] : logs_by_data) {
    double part = 0;
    for (double value : logs) part += value;
    groups.emplace_back(part, static_cast<double>(logs.size()));
    sum += part;
    ratio.cells += logs.size();
  }
  if (ratio.cells == 0) return ratio;
  ratio.mean = std::exp(sum / static_cast<double>(ratio.cells));
  NumberSequence numbers(1);
  std::vector<double> means;
  for (int i = 0; i < kResamples; ++i) {
    double total = 0, count = 0;
    for (std::size_t j = 0; j < groups.size(); ++j) {
      const auto& [part, size] = groups[numbers.below(groups.size())];
      total += part;
      count += size;
    }
    means.push_back(std::exp(total / count));
  }
  std::sort(means.begin(), means.end());
  ratio.lower = quantile(means, 0.025);
  ratio.upper = quantile(means, 0.975);
  return ratio;
}

}  // namespace stopover
