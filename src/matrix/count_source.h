// CountSource: where the true counts are. SECRET, as Matrix is; only the kernel asks it.
//
// Rows may lie in memory (MatrixSource), in files that are read once a pass (ingest/streamed_cells.h), or on other
// machines. A source answers one question: the sums of a public task over all its rows (tally.h). Sums do not depend on
// the order of rows, on batches or on threads, so every source of the same rows gives the same sums, and the kernel,
// which alone draws noise, the same release.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "base/result.h"
#include "domain/domain.h"
#include "matrix/matrix.h"
#include "matrix/tally.h"

namespace stopover {

// Thrown where a pass cannot be finished: a file that is gone or was changed, a machine that does not answer, or
// somebody who wants to stop. What was reserved is then spent; nothing is released.
class SourceFailure : public std::runtime_error {
 public:
  explicit SourceFailure(const Error& error) : std::runtime_error(error.message), error_(error) {}
  const Error& error() const { return error_; }

 private:
  Error error_;
};

class CountSource {
 public:
  virtual ~CountSource() = default;
  virtual const Domain& domain() const = 0;
  // All trips, cut at kMaxCount.
  virtual std::uint64_t total() const = 0;
  // The rows themselves, where all of them are in memory and may be copied; else none.
  virtual const Matrix* matrix() const { return nullptr; }
  // A view of all axes of at most so many cells is counted cell by cell, in one pass, and then held in memory.
  virtual u128 most_cells() const { return kMostCellsOfAPass; }
  static constexpr u128 kMostCellsOfAPass = u128{1} << 27;
  // Adds every row once. Throws SourceFailure.
  virtual void pass(Tally& tally) const = 0;
};

class MatrixSource final : public CountSource {
 public:
  explicit MatrixSource(const Matrix& matrix) : MatrixSource(matrix, false) {}
  // Rows that are never copied: the kernel walks over them instead. `most_cells`: 0 for tests of that walk.
  // REQUIRES: the matrix outlives it.
  static MatrixSource in_passes(const Matrix& matrix, unsigned threads = 0, u128 most_cells = kMostCellsOfAPass) {
    MatrixSource source(matrix, true);
    source.threads_ = threads;
    source.most_cells_ = most_cells;
    return source;
  }
  const Domain& domain() const override { return matrix_.domain(); }
  std::uint64_t total() const override { return matrix_.total(); }
  const Matrix* matrix() const override { return in_passes_ ? nullptr : &matrix_; }
  u128 most_cells() const override { return most_cells_; }
  void pass(Tally& tally) const override;

 private:
  MatrixSource(const Matrix& matrix, bool in_passes) : matrix_(matrix), in_passes_(in_passes) {}
  const Matrix& matrix_;
  bool in_passes_;
  unsigned threads_ = 0;
  u128 most_cells_ = kMostCellsOfAPass;
};

}  // namespace stopover
