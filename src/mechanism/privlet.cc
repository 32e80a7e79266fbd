#include "mechanism/privlet.h"

#include "mechanism/tree_table.h"
#include "release/haar.h"

namespace stopover {

const ParamSpec kPrivletParams[1] = {
    {"max_partitions", ParamKind::integer, "4194304", 1, 134217728, "refuse domains of more coefficients than this"},
};

Status check_privlet(const Params& params, const Domain& domain) {
  const std::uint64_t limit = params.integer("max_partitions");
  if (HaarGrid::all_boxes(domain) <= limit) return {};
  return Error{Failure::usage, "privlet has a coefficient for every cell, and " + domain.shape_text() + " has " +
                                   to_string(domain.volume()) + " cells; at most " + std::to_string(limit) +
                                   " coefficients are allowed\n  Use another mechanism, a coarser grid, or `params max_partitions=...`"};
}

void plan_privlet(Kernel& kernel, const Params&, Release& release) {
  const Ticks all = kernel.left();
  const Domain& domain = kernel.domain();
  const auto grids = static_cast<std::uint64_t>(HaarGrid::grids(domain));
  Table table = joint_table(kernel, TableKind::contrasts, all);
  table.multiplicity = static_cast<std::uint32_t>(grids);
  table.reserve(static_cast<std::size_t>(grids + HaarGrid::all_boxes(domain)));
  // Grids stand one level below the whole.
  Region whole = std::move(kernel.open(kernel.again(std::move(kernel.open(kernel.view("joint", table.axes, all))[0])))[0]);
  for (std::uint64_t number = 0; number < grids; ++number) {
    const HaarGrid grid(domain, number);
    const Ticks share = all / grids + (number < all % grids);
    std::vector<std::int64_t> values(grid.boxes(), 0);
    if (share > 0) values = kernel.count_parts(whole, grid.halves(), share, true);
    const auto root = static_cast<std::int32_t>(table.append(whole.box(), -1, 0, 0, 0));
    for (std::size_t i = 0; i < values.size(); ++i) table.append(grid.box(i), root, values[i], share, 0);
  }
  release.tables.push_back(std::move(table));
}

}  // namespace stopover
