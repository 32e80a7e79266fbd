#include "eval/trip_list.h"

#include <algorithm>

namespace stopover {

TripList::TripList(const Matrix& matrix) : matrix_(matrix) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : matrix.counts()) ends_.push_back(sum += count);
}

std::vector<std::uint32_t> TripList::cell_of_row(std::size_t row) const {
  const CellKeys& keys = matrix_.keys_of_axes();
  std::vector<std::uint32_t> cell;
  for (std::size_t axis = 0; axis < keys.axes(); ++axis) cell.push_back(keys.cell(matrix_.keys()[row], axis));
  return cell;
}

std::vector<std::uint32_t> TripList::cell(std::uint64_t trip) const {
  return cell_of_row(static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), trip) - ends_.begin()));
}

std::uint64_t count_at(const Matrix& matrix, const std::vector<std::uint32_t>& cell) {
  const u128 key = matrix.keys_of_axes().pack(cell);
  const auto keys = matrix.keys();
  const auto found = std::lower_bound(keys.begin(), keys.end(), key);
  return found != keys.end() && *found == key ? matrix.counts()[static_cast<std::size_t>(found - keys.begin())] : 0;
}

Matrix with_trips(const Matrix& matrix, const std::vector<std::uint32_t>& cell, std::uint64_t trips) {
  const TripList list(matrix);
  MatrixBuilder builder(matrix.domain());
  for (std::size_t row = 0; row < matrix.keys().size(); ++row) builder.add(list.cell_of_row(row), matrix.counts()[row]);
  builder.add(cell, trips);
  return std::move(builder).build();
}

std::pair<Matrix, Matrix> halves(const Matrix& matrix, NumberSequence& numbers) {
  const TripList list(matrix);
  MatrixBuilder first(matrix.domain()), second(matrix.domain());
  for (std::size_t row = 0; row < matrix.keys().size(); ++row) {
    std::uint64_t heads = 0;
    for (std::uint64_t trip = 0; trip < matrix.counts()[row]; ++trip) heads += numbers.next() >> 63;
    first.add(list.cell_of_row(row), heads);
    second.add(list.cell_of_row(row), matrix.counts()[row] - heads);
  }
  return {std::move(first).build(), std::move(second).build()};
}

}  // namespace stopover
