// Comparison: figures looked up in a table of results, and ratios between mechanisms with an interval.
//
// A comparison is a ratio between two mechanisms on the same data, queries and epsilon, averaged geometrically over
// such cells; its interval is a bootstrap over the data sets (95 %, seed fixed).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eval/result_table.h"

namespace stopover {

// One place in the grid of experiments.
struct CellName {
  std::string data, epsilon, workload;
};

struct Ratio {
  double mean = 1;  // geometric
  double lower = 1, upper = 1;
  std::size_t cells = 0;  // 0: nothing to compare
};

class Comparison {
 public:
  explicit Comparison(std::span<const ResultRow> rows);

  // Mean over the repetitions. `mechanism` "" for figures of the data itself: of any mechanism.
  std::optional<double> figure(const CellName& cell, const std::string& mechanism, const std::string& metric) const;
  // Median over the repetitions: for sizes of needles, of which some may never be found.
  std::optional<double> median(const CellName& cell, const std::string& mechanism, const std::string& metric) const;
  // Standard error of figure(), by how the repetitions differ; none for one of them.
  std::optional<double> error(const CellName& cell, const std::string& mechanism, const std::string& metric) const;
  std::size_t count(const CellName& cell, const std::string& mechanism, const std::string& metric) const;
  // Least of several mechanisms' figures.
  std::optional<double> best(const CellName& cell, const std::vector<std::string>& mechanisms,
                             const std::string& metric) const;

  // best(left)/best(right), over the cells where both are there and above 0.
  Ratio ratio(std::span<const CellName> cells, const std::vector<std::string>& left,
              const std::vector<std::string>& right, const std::string& metric) const;

  const std::vector<std::string>& mechanisms() const { return mechanisms_; }  // in order of appearance

 private:
  std::map<std::string, std::vector<double>> values_;
  std::vector<std::string> mechanisms_;
};

// Of log ratios, grouped by data set.
Ratio geometric_mean(const std::map<std::string, std::vector<double>>& logs_by_data);

}  // namespace stopover
