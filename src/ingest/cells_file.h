// A cells file: Parquet with the columns a0, a1, ..., count (and stops, where trips of several counts of stops are
// parts) and, in its metadata, what they mean: the domain, the unit of privacy and the bound that was applied. SECRET:
// the counts are true. `stopover cells` writes it, `stopover publish --matrix` reads it and holds to what it says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/domain.h"
#include "duck/duck.h"
#include "ingest/trip_request.h"

namespace stopover {

struct CellsFacts {
  std::vector<TripPart> parts;
  // Unit user: no user has more trips in the cells. Unset: the unit is one trip.
  std::optional<std::uint32_t> max_trips_per_user;
};

// From a table or view of the session with columns a0, ..., count, with several parts also stops; rows in ascending
// order of cells, so that equal cells give equal bytes. The file is made or replaced; nobody but its owner can read it,
// from its first moment (mode 0600).
Status write_cells(DuckSession& duck, const std::string& from, const CellsFacts& facts, const std::string& path);

// Nothing when the file is not Parquet or carries no such metadata; fails (bad_input) when it does but makes no sense.
Result<std::optional<CellsFacts>> read_cells_facts(const std::string& path);

// How many rows Parquet files have, by their own words. SECRET.
Result<std::uint64_t> rows_of_parquet(const std::vector<std::string>& files);

// The domain as JSON, and back.
std::string domain_to_json(const Domain& domain);
Result<Domain> domain_from_json(const std::string& text, std::shared_ptr<const ZoneSet> zones = nullptr);

}  // namespace stopover
