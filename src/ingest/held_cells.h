// HeldCells: a source of counts (matrix/count_source.h) whose rows were read once and lie in memory, 8 bytes a row of
// one trip, 16 a row of more. A Matrix of the same rows takes 24 a cell, and room for its order; here rows stay as they
// came, because sums do not ask for an order. For many rows, and mechanisms that only pass over them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ingest/cell_rows.h"
#include "matrix/cell_key.h"
#include "matrix/count_source.h"

namespace stopover {

class HeldCells final : public CountSource {
 public:
  // Whether a cell's key has at most 64 bits.
  static bool fit(const Domain& domain);

  // Fails as read_matrix does. REQUIRES: fit(domain).
  static Result<std::unique_ptr<HeldCells>> read(const std::vector<std::string>& paths, const Domain& domain,
                                                 const CellRowOptions& options);

  const DroppedRows& dropped() const { return dropped_; }
  const std::vector<std::string>& unused_axes() const { return unused_axes_; }

  const Domain& domain() const override { return domain_; }
  std::uint64_t total() const override { return total_; }
  void pass(Tally& tally) const override;

 private:
  HeldCells(const Domain& domain, unsigned threads);
  void add(const CellRows& rows);

  Domain domain_;
  CellKeys layout_;
  unsigned threads_;
  std::vector<std::uint64_t> ones_;                      // keys of rows of one trip
  std::vector<std::uint64_t> several_, several_counts_;  // of more, and how many
  std::uint64_t total_ = 0;
  DroppedRows dropped_;
  std::vector<std::string> unused_axes_;
};

}  // namespace stopover
