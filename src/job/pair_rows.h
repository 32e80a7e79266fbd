// PairRows: all pairs of zones of a leg, block by block, as a table of an export. A table of 10,000 zones has 100
// million answers, so that it is never held whole.
//
//   PairRows pairs(job, flows, leg);
//   pairs.adjust();  // by public numbers, if any were given
//   while (pairs.done() < flows.zones()) pairs.next(take);
//   pairs.tell();
#pragma once

#include <tbb/global_control.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "base/result.h"
#include "exports/zone_flows.h"
#include "job/export_adjust.h"
#include "job/export_job.h"
#include "question/zone_gain.h"

namespace stopover {

class PairRows {
 public:
  // All three must outlive it.
  PairRows(ExportJob& job, ZoneFlows& flows, const ExportJob::Leg& leg);

  // What is to be done to the table with public numbers, if anything: all estimates are asked for beforehand.
  Status adjust();

  // A pair's whole number. REQUIRES: they were asked for.
  std::int64_t whole(std::size_t from, std::size_t to) const { return adjusted_->whole[from * flows_.zones() + to]; }

  // Rows of the table that were answered.
  std::size_t done() const { return done_; }

  // The next rows, at most `most` of them: calls take(from, to, answer) for each pair that is not left out.
  using Take = std::function<void(std::size_t from, std::size_t to, const Answer& answer)>;
  Status next(const Take& take, std::size_t most = SIZE_MAX);

  // The facts, and a summary for people.
  void tell() const;

 private:
  std::size_t rows_of_a_block() const;
  double size_of(std::size_t from, std::size_t to, const Answer& answer) const;
  double least_asked(std::size_t first) const;

  ExportJob& job_;
  ZoneFlows& flows_;
  const ExportJob::Leg& leg_;
  const double least_;
  std::optional<tbb::global_control> limit_;
  std::size_t done_ = 0;
  std::uint64_t pairs_ = 0;
  double all_ = 0, left_out_ = 0;
  std::optional<AdjustedPairs> adjusted_;
  ZoneGain gain_;
};

}  // namespace stopover
