// What goes between the kernel's process and those who count for it elsewhere (matrix/tally.h): a task there, sums back.
// Whole numbers of 8 bytes, the lowest first. Tasks are public, sums SECRET.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "matrix/tally.h"

namespace stopover {

std::string task_bytes(const TallyTask& task);
// Fails (bad_input) on what no task can be.
Result<TallyTask> task_of_bytes(std::string_view bytes);

// The sums that are not 0: of lattice `where`, box `box`; -1 is the tree, its boxes the slots.
struct TallySums {
  std::vector<std::int32_t> where;
  std::vector<std::int64_t> box, count;
};
TallySums sums_of(Tally& tally);
// Adds one of them. Fails (bad_input) where the task has no such box.
Status add_sum(Tally& tally, std::int32_t where, std::int64_t box, std::int64_t count);

}  // namespace stopover
