// PieceTally: counts one piece of the rows where they are, on another machine perhaps, for a kernel elsewhere. What is
// to be counted is a task that came as bytes; the sums go back as a table (tally_wire.h). SECRET: rows and sums.
//
//   Result<PieceTally> piece = PieceTally::of(bytes);
//   piece->add(columns, counts);        // as often as there are rows
//   piece->sums();
//
// What a row must hold is the same as for read_matrix (matrix_reader.h): the same rows are dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/tally_wire.h"

namespace stopover {

class PieceTally {
 public:
  // Fails (bad_input) on what no task can be.
  static Result<PieceTally> of(std::string_view task);
  PieceTally(PieceTally&&) noexcept;
  PieceTally& operator=(PieceTally&&) noexcept;
  ~PieceTally();

  // A column an axis, of equal lengths: what is below 0 or outside its axis is no cell. `counts`: trips of the rows, of
  // the same length; without them a row is one trip. Fails (bad_input) on other columns.
  Status add(std::span<const std::span<const std::int64_t>> columns,
             std::optional<std::span<const std::int64_t>> counts);
  // Once, after the last row.
  TallySums sums();

 private:
  struct State;
  explicit PieceTally(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace stopover
