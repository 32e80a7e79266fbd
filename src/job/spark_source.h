// Sources of counts (matrix/count_source.h) whose rows Apache Spark has: a pass sends its public task to
// spark/count.py, which broadcasts it; executors add their pieces up (ingest/piece_tally.h); the sums of the pieces
// come back as Parquet and are added up here. No noise is drawn there, and no key is known there.
//
// Task and sums pass through a private folder that the machines of Spark must see, too. SECRET: sums, as the rows are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "ingest/dropped_rows.h"
#include "ingest/ingest.h"
#include "matrix/count_source.h"

namespace stopover {

struct SparkRows {
  std::vector<std::string> files;  // Parquet files of cells, as Spark sees them; none:
  std::string plan;                // the plan that makes them (Ingest::plan_json)
  std::vector<TripPart> parts;     // several: the rows of each have its number in their column `stops`
};

struct SparkPlace {
  std::string master;  // "local[*]"
  std::string folder;  // one that all of Spark's machines see
  std::function<bool()> interrupted = [] { return false; };
  // How far a pass is, in rows, reckoned from Spark's finished tasks. SECRET.
  std::function<void(std::uint64_t rows, std::uint64_t of)> progress = [](std::uint64_t, std::uint64_t) {};
};

struct SparkSources {
  std::vector<std::unique_ptr<CountSource>> sources;  // one a part; they share one program, which ends with the last
  DroppedRows dropped;                                // of all parts
  PrivateFacts facts;                                 // of the lines of CSV files
};

// Starts spark/count.py with the Python of STOPOVER_PYTHON, which must have pyspark and the package stopover, and lets
// it look at all rows once. A source fails where Spark does, or where a pass sees other rows than the first one did.
// Fails (usage, bad_input, interrupted).
Result<SparkSources> open_spark_sources(const SparkRows& rows, const SparkPlace& place);

}  // namespace stopover
