#include "mechanism/families.h"

namespace stopover {

Families families_of(const Table& table) {
  Families families;
  families.children.assign(table.rows(), {0, 0});
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.parent[row] < 0) continue;
    const auto parent = static_cast<std::size_t>(table.parent[row]);
    auto& range = families.children[parent];
    if (range.first == range.second) {
      range.first = row;
      if (families.of_depth.size() <= table.depth[parent])
        families.of_depth.resize(table.depth[parent] + std::size_t{1});
      families.of_depth[table.depth[parent]].push_back(parent);
    }
    range.second = row + 1;
  }
  return families;
}

void join_upwards(const Families& families, std::vector<double>& z, std::vector<double>& w) {
  // Parents stand before their children, so going backwards meets children first, already joined with what lies below.
  for (std::size_t row = z.size(); row-- > 0;) {
    const auto [first, last] = families.children[row];
    if (first == last) continue;
    double sum = 0, variance = 0;
    // Siblings have independent noise, so variances add.
    for (std::size_t child = first; child < last; ++child) {
      sum += z[child];
      variance += w[child];
    }
    z[row] = (z[row] * variance + sum * w[row]) / (variance + w[row]);
    w[row] = variance * w[row] / (variance + w[row]);
  }
}

void project_family(std::vector<double>& z, const std::vector<double>& w, std::vector<bool> pinned, double sum) {
  std::vector<double> x(z.size());
  for (bool again = true; again;) {
    double total = 0, weight = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (pinned[i]) continue;
      total += z[i];
      weight += w[i];
    }
    again = false;
    for (std::size_t i = 0; i < z.size(); ++i) {
      x[i] = pinned[i] ? 0 : z[i] + w[i] / weight * (sum - total);
      if (x[i] < 0) {
        x[i] = 0;
        pinned[i] = true;
        again = true;
      }
    }
  }
  z = x;
}

}  // namespace stopover
