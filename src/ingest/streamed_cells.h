// StreamedCells: a source of counts (matrix/count_source.h) whose rows stay in Parquet files. Every pass reads them
// again, a batch at a time, and adds them up in all threads: memory does not grow with the rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ingest/cell_rows.h"
#include "matrix/count_source.h"

namespace stopover {

// How far a pass is, in rows. SECRET as the number of rows is: for the curator's eyes.
using PassProgress = std::function<void(std::uint64_t rows, std::uint64_t of)>;

class StreamedCells final : public CountSource {
 public:
  // Reads all rows once, to count them and those to be dropped. Fails as read_matrix does. `progress` is told of every
  // pass, by one thread.
  static Result<std::unique_ptr<StreamedCells>> open(const std::vector<std::string>& paths, const Domain& domain,
                                                     const CellRowOptions& options, PassProgress progress = {});

  const DroppedRows& dropped() const { return dropped_; }
  const std::vector<std::string>& unused_axes() const { return reader_.unused_axes(); }
  std::uint64_t rows() const { return rows_; }

  const Domain& domain() const override { return domain_; }
  std::uint64_t total() const override { return total_; }
  // Fails (bad_input) as well where the files do not hold what they held at first.
  void pass(Tally& tally) const override;

 private:
  StreamedCells(CellRowReader reader, const Domain& domain, unsigned threads, PassProgress progress)
      : reader_(std::move(reader)), domain_(domain), threads_(threads), progress_(std::move(progress)) {}

  CellRowReader reader_;
  Domain domain_;
  unsigned threads_;
  PassProgress progress_;
  DroppedRows dropped_;
  std::uint64_t rows_ = 0, total_ = 0;
};

}  // namespace stopover
