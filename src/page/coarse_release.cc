#include "page/coarse_release.h"

#include <algorithm>
#include <map>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "release/children.h"

namespace stopover {
namespace {

// One flag a row: roots, and the children of rows with most trips as long as there is room for all of a family.
std::vector<bool> kept_rows(const Table& table, std::size_t most) {
  const ChildIndex children(table);
  std::vector<bool> kept(table.rows(), false);
  // By estimate; the first of equals, so that the same release makes the same page.
  const auto later = [&](std::uint32_t a, std::uint32_t b) {
    return table.estimate[a] != table.estimate[b] ? table.estimate[a] < table.estimate[b] : a > b;
  };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(later)> open(later);
  std::size_t rows = 0;
  const auto keep = [&](std::span<const std::uint32_t> family) {
    for (const std::uint32_t row : family) {
      kept[row] = true;
      if (!children.of(row).empty()) open.push(row);
    }
    rows += family.size();
  };
  keep(children.roots());
  while (!open.empty()) {
    const std::span<const std::uint32_t> family = children.of(open.top());
    open.pop();
    if (rows + family.size() <= most) keep(family);
  }
  return kept;
}

Ticks longest_path(const Table& table) {
  std::vector<Ticks> path(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    path[row] = table.row_ticks[row] + table.side_ticks[row];
    if (table.parent[row] >= 0) path[row] += path[static_cast<std::size_t>(table.parent[row])];
  }
  return *std::max_element(path.begin(), path.end());
}

// The receipt's lines of a table as its rows say them.
std::vector<Charge> charges_of(const Table& table) {
  std::map<std::tuple<std::uint32_t, std::string, Ticks>, std::uint64_t> times;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.row_ticks[row] > 0) ++times[{table.depth[row], "count", table.row_ticks[row]}];
    if (table.side_ticks[row] > 0) ++times[{table.depth[row], "choose", table.side_ticks[row]}];
  }
  std::vector<Charge> charges;
  for (const auto& [line, n] : times) {
    charges.push_back({table.name, std::get<0>(line), std::get<1>(line), std::get<2>(line), n});
  }
  return charges;
}

Table without_others(const Table& table, const std::vector<bool>& kept) {
  Table fewer = table.without_rows();
  fewer.reserve(static_cast<std::size_t>(std::count(kept.begin(), kept.end(), true)));
  std::vector<std::int32_t> number(table.rows(), -1);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!kept[row]) continue;
    const std::int32_t parent = table.parent[row];
    number[row] = static_cast<std::int32_t>(
        fewer.append(table.box(row), parent < 0 ? -1 : number[static_cast<std::size_t>(parent)], table.count[row],
                     table.row_ticks[row], table.side_ticks[row]));
    fewer.estimate.back() = table.estimate[row];
  }
  return fewer;
}

}  // namespace

std::optional<Release> coarsened(const Release& release, std::size_t most) {
  const Table& table = release.tables[0];
  if (table.rows() <= most || table.kind != TableKind::partition || !table.view.empty()) return std::nullopt;
  const std::vector<bool> kept = kept_rows(table, most);
  if (std::find(kept.begin(), kept.end(), false) == kept.end()) return std::nullopt;
  Release coarse = release.without_tables();
  coarse.charges.clear();
  // Learned from rows that are gone.
  coarse.calibration.reset();
  coarse.probes.reset();
  coarse.tables.push_back(without_others(table, kept));
  coarse.tables.insert(coarse.tables.end(), release.tables.begin() + 1, release.tables.end());
  coarse.spent = release.spent - (longest_path(table) - longest_path(coarse.tables[0]));
  bool told = false;
  for (const Charge& charge : release.charges) {
    if (charge.purpose == "ranks") {
      coarse.spent -= charge.ticks;
    } else if (charge.view != table.name) {
      coarse.charges.push_back(charge);
    } else if (!std::exchange(told, true)) {
      const std::vector<Charge> lines = charges_of(coarse.tables[0]);
      coarse.charges.insert(coarse.charges.end(), lines.begin(), lines.end());
    }
  }
  return coarse;
}

}  // namespace stopover
