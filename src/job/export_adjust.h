// Public numbers on an export's table of pairs of zones: `expand`, `fix_totals`, `integers`
// (exports/pair_adjustment.h). What was done goes onto the card and into the facts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "exports/pair_adjustment.h"
#include "job/export_job.h"

namespace stopover {

//   Result<ExportAdjustment> adjust = ExportAdjustment::make(job, leg, zones);    // files are read and checked
//   ask the release about every pair
//   Result<AdjustedPairs> done = adjust->apply(job, columns);
class ExportAdjustment {
 public:
  // What the spec asks for, if anything.
  static Result<ExportAdjustment> make(const ExportJob& job, const ExportJob::Leg& leg,
                                       const std::vector<std::string>& zones);
  // REQUIRES: describe() was not called yet; columns of one row per pair of the zones, in their order.
  Result<AdjustedPairs> apply(ExportJob& job, const PairColumns& columns) const;

 private:
  std::unique_ptr<SumTree> tree_;
  std::optional<PairAdjustment> pairs_;  // empty: nothing is asked for
};

// Says on the card what `whole` numbers of a table are, and their sum in the facts.
void tell_whole(ExportJob& job, const std::vector<std::int64_t>& whole);

// The factor for a table that is not one of pairs; 1 if none was asked for. Fails (usage) for what needs pairs: totals,
// whole numbers, factors per zone.
Result<double> factor_without_pairs(ExportJob& job);

}  // namespace stopover
