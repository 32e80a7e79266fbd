// LabResult: what any row of the table of mechanisms makes, in memory, for the laboratory and for tests.
//
// Most rows make a release. Those that are only compared with (Mechanism::publishes() is false) make a stack of grids
// over one domain, and one trip pays in each of them. Their boxes overlap, so that no answer is a plain sum of them; or
// there is one grid whose noisy counts stand as they are, while a release has estimates that are not negative. Files,
// questions, pages and exports know of releases alone, and a `Release` has no place for either.
//
//   const LabResult made = run_in_lab(mechanism, params, kernel, Unit::trip);   // peers/lab_run.h
//   for (const Table& table : made.tables()) ...
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "release/release.h"

namespace stopover {

struct LabResult {
  LabResult() = default;
  LabResult(Release made) : release(std::move(made)) {}  // not explicit: a plan may return a release

  // The release; of a stack of grids its head and receipt, without any table, so that nothing can write or ask it.
  Release release;
  // Each a partition under one root, the whole domain.
  std::vector<Table> grids;
  // The grids count differences: some trips of a box count -1 (haar.h says which). Their rows have no estimates.
  bool differences = false;
  // Plain counts: there is one grid, and an answer is the sum of those of its counts that are at least this much. Its
  // rows have no estimates.
  std::optional<double> kept_from;

  // What was measured, of either kind.
  std::span<const Table> tables() const { return grids.empty() ? release.tables : grids; }
  // Grid i as a release of its own, with its part of the receipt. REQUIRES: i < grids.size().
  Release grid(std::size_t i) const;
  // The count of a row of plain counts, or 0 where it is not kept. REQUIRES: kept_from.
  std::int64_t kept(std::size_t row) const;

  bool operator==(const LabResult&) const = default;
};

// A release keeps the rules of check_release. Of a stack every grid keeps them, as grid(i); its root is the whole
// domain; differences and plain counts have no estimates; and the receipt, `spent` included, is that of all grids
// together.
Status check_lab_result(const LabResult& result);

}  // namespace stopover
