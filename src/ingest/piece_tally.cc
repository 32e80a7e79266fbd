#include "ingest/piece_tally.h"

#include <algorithm>
#include <utility>

#include "base/bad_input.h"
#include "matrix/matrix.h"

namespace stopover {

struct PieceTally::State {
  explicit State(TallyTask given) : task(std::move(given)), tally(task), hand(std::in_place, tally) {}

  TallyTask task;
  Tally tally;
  std::optional<TallyHand> hand;  // until the sums are asked for
  RowsSeen seen;
  std::vector<std::uint32_t> cells;
  std::vector<std::uint64_t> counts;
};

PieceTally::PieceTally(std::unique_ptr<State> state) : state_(std::move(state)) {}
PieceTally::PieceTally(PieceTally&&) noexcept = default;
PieceTally& PieceTally::operator=(PieceTally&&) noexcept = default;
PieceTally::~PieceTally() = default;

Result<PieceTally> PieceTally::of(std::string_view task) {
  Result<TallyTask> read = task_of_bytes(task);
  if (!read) return read.error();
  return PieceTally(std::make_unique<State>(std::move(*read)));
}

Status PieceTally::add(std::span<const std::span<const std::int64_t>> columns,
                       std::optional<std::span<const std::int64_t>> counts) {
  State& own = *state_;
  const std::size_t d = own.task.widths.size(), n = columns.empty() ? 0 : columns[0].size();
  const bool even = std::all_of(columns.begin(), columns.end(), [&](const auto& column) { return column.size() == n; });
  if (columns.size() != d || !even || (counts && counts->size() != n) || !own.hand)
    return bad_input("rows to be counted have other columns than the task");
  own.cells.clear();
  own.counts.clear();
  for (std::size_t row = 0; row < n; ++row) {
    bool inside = true;
    for (std::size_t axis = 0; axis < d; ++axis)
      inside = inside && static_cast<std::uint64_t>(columns[axis][row]) < own.task.widths[axis];  // below 0: too large
    const std::uint64_t count = counts ? static_cast<std::uint64_t>((*counts)[row]) : 1;
    if (!inside) {
      ++own.seen.dropped.outside;
    } else if (count > kMaxRowCount) {
      ++own.seen.dropped.bad_count;
    } else if (count > 0) {
      for (std::size_t axis = 0; axis < d; ++axis) own.cells.push_back(static_cast<std::uint32_t>(columns[axis][row]));
      own.counts.push_back(count);
      own.seen.trips = std::min(kMaxCount, own.seen.trips + count);
    }
  }
  own.seen.rows += own.counts.size();
  own.hand->add({own.cells, own.counts});
  return {};
}

TallySums PieceTally::sums() {
  state_->hand.reset();
  return sums_of(state_->tally, state_->seen);
}

}  // namespace stopover
