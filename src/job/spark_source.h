// SparkSource: a source of counts (matrix/count_source.h) whose rows Apache Spark has. A pass sends its public task
// there, and the sums of all pieces come back; they are added up here, and the kernel alone draws noise.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/domain.h"
#include "ingest/dropped_rows.h"
#include "matrix/count_source.h"

namespace stopover {

struct SparkRows {
  std::vector<std::string> paths;      // Parquet files of cells, as Spark sees them
  std::string plan;                    // or the plan that makes them (Ingest::plan_json)
  std::optional<std::uint32_t> stops;  // of cells of several parts: this one
};

struct SparkPlace {
  std::string master, folder;  // the folder must be one that all of Spark's machines see
  std::function<bool()> interrupted = [] { return false; };
};

class SparkSource final : public CountSource {
 public:
  // Starts spark/count.py with the Python of STOPOVER_PYTHON, which must have pyspark and the package stopover, and lets
  // it look at all rows once. Fails (usage, bad_input, interrupted).
  static Result<std::unique_ptr<SparkSource>> open(const SparkRows& rows, const Domain& domain, const SparkPlace& place);
  ~SparkSource() override;

  const DroppedRows& dropped() const;
  const Domain& domain() const override;
  std::uint64_t total() const override;
  void pass(Tally& tally) const override;

 private:
  struct State;
  explicit SparkSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace stopover
