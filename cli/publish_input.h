// PublishInput: what is to be published, and what is known about it before it is read. Rows (IN or --sql) are turned into
// cells on the way; a cells file says itself which domain and unit it has; a bare matrix is what the flags declare.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/declared_domain.h"
#include "cli/ingest_flags.h"
#include "cli/voice.h"
#include "matrix/matrix.h"

namespace stopover {

// What was read. SECRET.
struct PublishRows {
  std::vector<Matrix> matrices;       // in the order of the parts
  PrivateFacts facts;                 // of rows; empty for cells
  std::vector<std::string> left_out;  // of cells, in words
};

struct PublishInput {
  // One, or the disjoint parts of trips with different counts of stops.
  std::vector<TripPart> parts;
  // Whether unit and bound are known from the input; if not, the flags alone say so.
  bool unit_known = false;
  std::optional<std::uint32_t> max_trips_per_user;  // with unit_known: unset is unit trip
  std::size_t phases = 0;  // of `read`
  std::function<Result<PublishRows>(const Voice& voice)> read = {};
  // Of rows: of users and trips. Does all the work once more; after read. None for cells.
  std::function<Result<PrivateFacts>()> user_facts = {};
};

// `rows` has unit and max-trips-per-user as given, empty if not. Fails (privacy) when the flags contradict a cells file, or a
// domain is to be inferred.
Result<PublishInput> open_publish_input(const std::string& matrix, const DomainFlags& domain, IngestFlags rows,
                                        const Voice& voice);

}  // namespace stopover
