// Many boxes at once, and the columns of a table of boxes.
//
// A batch table has a header of `AXIS_lo`, `AXIS_hi` pairs in any order and one box per row, in half-open cells; an
// axis without columns is taken whole. Reading the file is the caller's business:
//
//   Result<BatchColumns> columns = BatchColumns::of_header(domain, header);
//   Result<BoxQuery> box = columns->box(domain, fields, row_number);
//   answer_all(index, boxes, options, answers);
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/answer.h"
#include "query/box_index.h"
#include "query/box_query.h"

namespace stopover {

class BatchColumns {
 public:
  // Fails (bad_input) naming the column: not AXIS_lo or AXIS_hi, an unknown axis (with the nearest name), a column
  // twice, one of a pair without the other, no column at all.
  static Result<BatchColumns> of_header(const Domain& domain, std::span<const std::string> header);

  // Fails (bad_input) naming the row and the axis, as parse_box does, and where the number of fields is not the
  // header's. `row` counts from 1.
  Result<BoxQuery> box(const Domain& domain, std::span<const std::string_view> fields, std::size_t row) const;

 private:
  struct Pair {
    std::size_t axis, lo, hi;  // lo, hi: columns
  };
  std::vector<Pair> pairs_;
  std::size_t columns_ = 0;
};

// answers[i] to boxes[i], on this thread. REQUIRES: as many answers as boxes; a level above 0 and below 1.
void answer_all(const BoxIndex& index, std::span<const BoxQuery> boxes, const AnswerOptions& options,
                std::span<Answer> answers);

}  // namespace stopover
