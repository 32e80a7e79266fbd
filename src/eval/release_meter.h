// ReleaseMeter: asks a release, or a peer's grids, a workload's questions and tells how wrong it was. SECRET wherever
// the truth is real.
//
//   Result<ReleaseMeter> meter = ReleaseMeter::make(made, truth);
//   Measured m = meter->measure(workload);
//   m.consistent.mre; m.plain.median_re; m.exact.bounded_re;
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "eval/error.h"
#include "eval/range_counter.h"
#include "eval/workload.h"
#include "peers/cover_answerer.h"
#include "peers/haar_answerer.h"
#include "peers/plain_answerer.h"
#include "query/box_index.h"

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
  static constexpr std::size_t kMostLeaves = 262'144;

  // Fails where the result cannot answer boxes (BoxIndex::make, or that of its answerer in src/peers). Without
  // `count_leaves`, beyond kMostLeaves, where counting them would take longer than all the rest, and where boxes
  // overlap, Measured.exact stays empty.
  // REQUIRES: `truth` outlives the meter, 0 < level < 1.
  static Result<ReleaseMeter> make(const LabResult& made, const RangeCounter& truth, double level = 0.95,
                                   bool count_leaves = true);

  std::size_t partitions() const {
    return cover_    ? cover_->partitions()
           : haar_   ? haar_->partitions()
           : counts_ ? counts_->partitions()
                     : index_->partitions();
  }
  bool counted_leaves() const { return exact_.has_value(); }
  Measured measure(const Workload& workload) const;
  // What is answered for these boxes: consistent estimates.
  std::vector<double> estimates(std::span<const Box> boxes) const;

 private:
  ReleaseMeter(const RangeCounter& truth, double level) : truth_(&truth), level_(level) {}

  std::optional<BoxIndex> index_;
  std::optional<CoverAnswerer> cover_, plain_cover_;  // instead of it
  std::optional<HaarAnswerer> haar_;                  // the same
  std::optional<PlainAnswerer> counts_;               // the same
  std::optional<BoxIndex> exact_;
  const RangeCounter* truth_;
  double level_;
};

}  // namespace stopover
