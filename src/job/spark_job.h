// run_spark_job: the plan of an Ingest, run by Apache Spark instead of DuckDB. Starts spark/cells.py with the Python of
// STOPOVER_PYTHON (python3), which must have pyspark; the plan, what Spark spills and its output pass through a private
// folder in TMPDIR. Once `interrupted` says so, all of the job's processes are told to end, and waited for.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "ingest/ingest.h"

namespace stopover {

// The path of the job: STOPOVER_SPARK_JOB, else beside the program's installation (share/stopover/spark/cells.py) or in
// the folders above the program (spark/cells.py). Fails (usage) where it is nowhere.
Result<std::string> find_spark_job();

// {"odd_quotes": 3} as facts; none where there is no such file.
PrivateFacts read_spark_facts(const std::string& path);

// Writes the cells file; gives what the job saw in the lines of a CSV file.
Result<PrivateFacts> run_spark_job(Ingest& in, const std::string& master, const std::string& output,
                                   const std::function<bool()>& interrupted);

}  // namespace stopover
