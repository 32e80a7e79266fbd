// What goes between the kernel's process and those who count for it elsewhere (piece_tally.h): a task there, sums back.
//
// A task is public: whole numbers of 8 bytes, the lowest byte first, behind a mark that names the version. Sums are
// SECRET: a table of lattice, box, count, in Parquet files, one or more a piece.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/dropped_rows.h"
#include "matrix/tally.h"

namespace stopover {

std::string task_bytes(const TallyTask& task);
// Fails (bad_input) on what no task can be.
Result<TallyTask> task_of_bytes(std::string_view bytes);

// What those who count saw of the rows.
struct RowsSeen {
  std::uint64_t rows = 0, trips = 0;  // good ones; trips cut at kMaxCount
  DroppedRows dropped;

  bool operator==(const RowsSeen&) const = default;
};

// The sums of one piece that are not 0: of box `box` of lattice `lattice`. kTree is the tree, its boxes the slots;
// kSeen are the rows, trips, rows outside and bad counts that were seen, as boxes 0 to 3, each of them always there.
struct TallySums {
  static constexpr std::int32_t kTree = -1, kSeen = -2;
  std::vector<std::int32_t> lattice;
  std::vector<std::int64_t> box, count;
};
TallySums sums_of(Tally& tally, const RowsSeen& seen);

// Adds the sums of all pieces in some Parquet files to a tally of the same task, and gives what all of them saw. Fails
// (bad_input) where a box was not asked for or a count is none.
Result<RowsSeen> add_sums(
    const std::vector<std::string>& files, Tally& tally,
    const std::function<bool()>& interrupted = [] { return false; });

}  // namespace stopover
