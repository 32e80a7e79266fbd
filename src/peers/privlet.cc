#include "peers/privlet.h"

#include "mechanism/tree_table.h"
#include "peers/haar.h"

namespace stopover {

Status check_privlet(const Params& params, const Domain& domain) {
  const std::uint64_t limit = params.integer("max_partitions");
  if (HaarGrid::all_boxes(domain) <= limit) return {};
  return Error{
      Failure::usage,
      "privlet has a coefficient for every cell, and " + domain.shape_text() + " has " + to_string(domain.volume()) +
          " cells; at most " + std::to_string(limit) +
          " coefficients are allowed\n  Use another mechanism, a coarser grid, or `params max_partitions=...`"};
}

void plan_privlet(Kernel& kernel, const Params&, LabResult& result) {
  const Ticks all = kernel.left();
  const Domain& domain = kernel.domain();
  const auto grids = static_cast<std::uint64_t>(HaarGrid::grids(domain));
  result.differences = true;
  result.grids.reserve(grids);
  // Grids stand one level below the whole.
  Region whole =
      std::move(kernel.open(kernel.again(std::move(kernel.open(kernel.view("joint", all_axes(domain), all))[0])))[0]);
  for (std::uint64_t number = 0; number < grids; ++number) {
    const HaarGrid grid(domain, number);
    const Ticks share = all / grids + (number < all % grids);
    std::vector<std::int64_t> values(grid.boxes(), 0);
    if (share > 0) values = kernel.count_parts(whole, grid.halves(), share, true);
    Table& table = result.grids.emplace_back(joint_table(kernel, TableKind::partition, share));
    table.reserve(1 + values.size());
    const auto root = static_cast<std::int32_t>(table.append(whole.box(), -1, 0, 0, 0));
    for (std::size_t i = 0; i < values.size(); ++i) table.append(grid.box(i), root, values[i], share, 0);
  }
}

}  // namespace stopover
