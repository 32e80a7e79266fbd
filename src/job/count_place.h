// CountPlace: where counts are held while a release is made, and how much room there is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ingest/source.h"
#include "ingest/trip_request.h"
#include "job/publish_spec.h"

namespace stopover {

struct CountPlace {
  CountsFrom wanted = CountsFrom::automatic;
  std::uint64_t memory = 0;  // bytes, of all the process
  std::string folder;        // for what does not fit

  // Fails (usage) on a size that is none, or too little, or a folder that is not there.
  static Result<CountPlace> of(const PublishSpec& spec);

  // DuckDB's part of the memory while rows are passed over: "512MB".
  std::string duck_memory() const;
  // Memory where these cells fit into it, else stream; what is wanted, where something is. Fails (usage) for files that
  // cannot be passed over, and for memory where cells have no keys.
  Result<CountsFrom> choose(const std::vector<std::string>& files, const std::vector<TripPart>& parts) const;
  // Of rows: memory where as many cells as there are rows would fit, else stream. Text is taken for as many rows as its
  // bytes can hold; of a query or a table in memory nobody knows, and they are counted in memory. Never Spark.
  Result<CountsFrom> choose(const Source& rows, const std::vector<TripPart>& parts) const;
};

}  // namespace stopover
