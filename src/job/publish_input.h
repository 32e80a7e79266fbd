// PublishInput: what is to be published, and what is known about it before it is read. Rows are turned into cells on
// the way; a cells file says itself which domain and unit it has; a bare matrix is what its spec declares.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "job/observer.h"
#include "job/publish_spec.h"
#include "matrix/count_source.h"
#include "matrix/matrix.h"

namespace stopover {

// What was read. SECRET.
struct PublishRows {
  std::vector<Matrix> matrices;  // in the order of the parts; none where they stay where they are:
  std::vector<std::unique_ptr<CountSource>> sources = {};
  PrivateFacts facts;                 // of rows; empty for cells
  std::vector<std::string> left_out;  // of cells, in words
};

struct PublishInput {
  CountsFrom counts_from = CountsFrom::memory;  // memory, stream or spark
  // One, or the disjoint parts of trips with different counts of stops.
  std::vector<TripPart> parts;
  UnitSpec unit;           // checked
  bool unit_kept = false;  // whether the bound was or will be enforced; of a bare matrix it is only declared
  std::size_t phases = 0;  // of `read`
  std::function<Result<PublishRows>(const Observer& observer)> read = {};
  // Counts in memory instead; before read. None where that was not left to size alone.
  std::function<void()> count_in_memory = {};
  // Of cells in memory: many of them need not be in order (ingest/held_cells.h); before read. For mechanisms that only
  // pass over rows.
  std::function<void()> only_passes = {};
  // Of rows: of users and trips. Does all the work once more; after read. None for cells.
  std::function<Result<PrivateFacts>()> user_facts = {};
};

// Fails (privacy) when what is declared contradicts a cells file, or a domain is missing.
Result<PublishInput> open_publish_input(const PublishSpec& spec, const std::variant<RowsSpec, MatrixSpec>& data,
                                        const Observer& observer);

}  // namespace stopover
