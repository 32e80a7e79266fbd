// HaarAnswerer: answers boxes from Haar's wavelets (a stack of differences; mechanism `privlet`), as the paper does:
// the values that a box cuts, each times its weight (peers/haar.h). Nothing is projected, so answers may be negative;
// the consistent and the plain ones are the same. What lies beyond the last cell is known to be empty, so a box that
// reaches the end of an axis is taken to reach to the end of the last block, where fewer values are cut.
//
//   Result<HaarAnswerer> ask = HaarAnswerer::make(made, {.level = 0.95});
//   Answer a = (*ask)(BoxQuery::of(box));
//
// An answer weighs at most (1 + 2 L_1) ... (1 + 2 L_d) values.
#pragma once

#include <vector>

#include "peers/lab_result.h"
#include "query/answer.h"
#include "query/box_query.h"

namespace stopover {

class HaarAnswerer {
 public:
  // Fails (bad_input) unless the result's grids are those of haar.h in their order.
  static Result<HaarAnswerer> make(const LabResult& made, const AnswerOptions& options);

  std::size_t partitions() const { return count_.size(); }
  // Sets estimate, unprojected, noise_variance, noise interval and aligned. REQUIRES: as many axes as the domain.
  Answer operator()(const BoxQuery& query) const;

 private:
  HaarAnswerer() = default;

  AnswerOptions options_;
  std::vector<std::uint32_t> cells_;  // by axis
  std::vector<std::size_t> first_;    // of every grid
  std::vector<double> count_, variance_;
};

}  // namespace stopover
