// PlainAnswerer: answers boxes from plain counts of cells (mechanisms `laplace`, `laplace-threshold`): the sum of those
// that are kept. Nothing is projected, so answers may be negative; the consistent and the plain ones are the same. The
// noise interval is about the counts before any was put to zero.
//
//   Result<PlainAnswerer> ask = PlainAnswerer::make(made, {.level = 0.95});
//   Answer a = (*ask)(BoxQuery::of(box));
#pragma once

#include "peers/lab_result.h"
#include "query/answerer.h"

namespace stopover {

class PlainAnswerer {
 public:
  // Fails (bad_input) unless the result is one grid of plain counts.
  static Result<PlainAnswerer> make(const LabResult& made, const AnswerOptions& options);

  std::size_t partitions() const { return counts_.partitions(); }
  // Sets what Answerer sets. REQUIRES: as many axes as the domain.
  Answer operator()(const BoxQuery& query) const;

 private:
  PlainAnswerer(BoxIndex counts, BoxIndex kept, const AnswerOptions& options)
      : counts_(std::move(counts)), kept_(std::move(kept)), options_(options) {
    options_.estimates = Estimates::plain;
  }

  BoxIndex counts_, kept_;
  AnswerOptions options_;
};

}  // namespace stopover
