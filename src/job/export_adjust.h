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
//   ask the release about every pair, if adjust->any()
//   Result<AdjustedPairs> done = adjust->apply(job, estimates);
class ExportAdjustment {
 public:
  // The most pairs of a table that is held at once: 10,000 zones.
  static constexpr std::uint64_t kMostPairs = 100'000'000;

  // What the spec asks for, if anything. Fails (usage) for more than kMostPairs, and as PairAdjustment does.
  static Result<ExportAdjustment> make(const ExportJob& job, const ExportJob::Leg& leg,
                                       const std::vector<std::string>& zones);
  bool any() const { return pairs_.has_value(); }
  // REQUIRES: any(); describe() was not called yet; one estimate per pair of the zones, in their order.
  Result<AdjustedPairs> apply(ExportJob& job, std::vector<double> estimates) const;

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
