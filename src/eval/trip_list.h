// TripList: a matrix as a numbered list of its trips, cell after cell; and matrices with some more or fewer of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "matrix/matrix.h"
#include "synthetic/number_sequence.h"

namespace stopover {

class TripList {
 public:
  // REQUIRES: the matrix outlives it.
  explicit TripList(const Matrix& matrix);

  std::uint64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  // Its index on every axis. REQUIRES: trip < size().
  std::vector<std::uint32_t> cell(std::uint64_t trip) const;
  // Of a non-empty cell, by its number in the matrix.
  std::vector<std::uint32_t> cell_of_row(std::size_t row) const;

 private:
  const Matrix& matrix_;
  std::vector<std::uint64_t> ends_;  // trips in this cell and those before it
};

std::uint64_t count_at(const Matrix& matrix, const std::vector<std::uint32_t>& cell);

// With `trips` more in that cell.
Matrix with_trips(const Matrix& matrix, const std::vector<std::uint32_t>& cell, std::uint64_t trips);

// Every trip in one of two, by the toss of a coin.
std::pair<Matrix, Matrix> halves(const Matrix& matrix, NumberSequence& numbers);

}  // namespace stopover
