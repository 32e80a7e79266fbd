#include "peers/lab_result.h"

#include <algorithm>
#include <map>

namespace stopover {
namespace {

// Charges for counts, by depth and ticks.
using Counts = std::map<std::pair<std::uint32_t, Ticks>, std::uint64_t>;

void add_counts(const Table& table, Counts& counts) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.row_ticks[row] > 0) ++counts[{table.depth[row], table.row_ticks[row]}];
  }
}

std::vector<Charge> receipt_of(const std::string& view, const Counts& counts) {
  std::vector<Charge> charges;
  for (const auto& [key, times] : counts) charges.push_back({view, key.first, "count", key.second, times});
  return charges;
}

// The longest path from the root down.
Ticks spent_on(const Table& table) {
  std::vector<Ticks> path(table.rows());
  Ticks most = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::int32_t parent = table.parent[row];
    path[row] = table.row_ticks[row] + (parent < 0 ? 0 : path[static_cast<std::size_t>(parent)]);
    most = std::max(most, path[row]);
  }
  return most;
}

Error broken(std::size_t grid, const std::string& message) {
  return {Failure::check_failed, "grid " + std::to_string(grid) + ": " + message};
}

}  // namespace

Release LabResult::grid(std::size_t i) const {
  Release result = release;
  Counts counts;
  add_counts(grids[i], counts);
  result.charges = receipt_of(grids[i].name, counts);
  result.spent = spent_on(grids[i]);
  result.tables = {grids[i]};
  return result;
}

std::int64_t LabResult::kept(std::size_t row) const {
  const std::int64_t count = grids[0].count[row];
  return static_cast<double>(count) >= *kept_from ? count : 0;
}

Status check_lab_result(const LabResult& result) {
  if (result.grids.empty()) return check_release(result.release);
  if (!result.release.tables.empty()) return Error{Failure::check_failed, "a stack of grids has no table besides"};
  if (result.kept_from && result.grids.size() != 1) return broken(1, "plain counts are of one grid");
  Counts counts;
  u128 spent = 0;
  for (std::size_t i = 0; i < result.grids.size(); ++i) {
    const Table& table = result.grids[i];
    const Release alone = result.grid(i);
    if (Status ok = check_release(alone); !ok) return broken(i, ok.error().message);
    if (!(table.box(0) == result.release.domain.whole())) return broken(i, "its root is not the whole domain");
    const bool estimates = std::any_of(table.estimate.begin(), table.estimate.end(), [](double e) { return e != 0; });
    if (result.differences && estimates) return broken(i, "differences have no estimates");
    if (result.kept_from && estimates) return broken(i, "plain counts have no estimates");
    add_counts(table, counts);
    spent += alone.spent;
  }
  if (receipt_of(result.grids[0].name, counts) != result.release.charges) {
    return Error{Failure::check_failed, "the receipt does not say what the grids say"};
  }
  if (spent != result.release.spent || spent > result.release.epsilon) {
    return Error{Failure::check_failed, "the grids together spend " + to_string(spent) + " ticks, the receipt says " +
                                            std::to_string(result.release.spent)};
  }
  return {};
}

}  // namespace stopover
