// ReleaseMeter: asks a release a workload's questions and tells how wrong it was. SECRET wherever the truth is real.
//
//   Result<ReleaseMeter> meter = ReleaseMeter::make(release, truth);
//   Measured m = meter->measure(workload);
//   m.consistent.mre; m.plain.median_re; m.exact.bounded_re;
#pragma once

#include <optional>

#include "base/result.h"
#include "eval/error.h"
#include "eval/range_counter.h"
#include "eval/workload.h"
#include "query/box_index.h"
#include "release/release.h"

namespace stopover {

struct Measured {
  ErrorSummary consistent;  // of the post-processed estimates; its intervals are the noise intervals at `level`
  ErrorSummary plain;       // of the leaves' own noisy counts, as the paper answers; no intervals
  // Of the same leaves with their true counts: what the partition alone gets wrong, were there no noise. No intervals.
  ErrorSummary exact;
  double seconds_per_query = 0;  // consistent, with intervals
};

class ReleaseMeter {
 public:
  // Fails where the release cannot answer boxes (BoxIndex::make). Without `count_leaves` Measured.exact stays empty.
  // REQUIRES: `truth` outlives the meter, 0 < level < 1.
  static Result<ReleaseMeter> make(const Release& release, const RangeCounter& truth, double level = 0.95,
                                   bool count_leaves = true);

  std::size_t partitions() const { return index_.partitions(); }
  Measured measure(const Workload& workload) const;

 private:
  ReleaseMeter(BoxIndex index, std::optional<BoxIndex> exact, const RangeCounter& truth, double level)
      : index_(std::move(index)), exact_(std::move(exact)), truth_(&truth), level_(level) {}

  BoxIndex index_;
  std::optional<BoxIndex> exact_;
  const RangeCounter* truth_;
  double level_;
};

}  // namespace stopover
