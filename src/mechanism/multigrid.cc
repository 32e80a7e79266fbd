#include "mechanism/multigrid.h"

#include <algorithm>

#include "mechanism/grid_estimate.h"
#include "mechanism/level_grid.h"
#include "mechanism/map_squares.h"
#include "mechanism/tree_table.h"
#include "release/consistency.h"

namespace stopover {

const ParamSpec kMultigridParams[2] = {
    {"leaf_weight", ParamKind::number, "2.5", 0.1, 1000,
     "trips times epsilon a leaf should hold where the map is rough"},
    {"max_partitions", ParamKind::integer, "1048576", 16, 134217728,
     "stop dividing when the boxes would be more than this"},
};

Status check_multigrid(const Params&, const Domain& domain) {
  return check_map_squares("multigrid", domain, all_axes(domain));
}

void plan_multigrid(Kernel& kernel, const Params& params, Release& release) {
  constexpr double kRootShare = 0.005;
  constexpr double kLeastShare = 0.1;  // a level, so that large boxes of many trips are known well too
  const double weight = params.number("leaf_weight");
  Table table;
  table.name = "joint";
  table.axes = all_axes(kernel.domain());
  table.ticks = kernel.left();
  table.smooth = true;
  // A map of very many cells is counted in the squares that it is drawn in.
  const std::uint32_t step = map_step(kernel.domain(), table.axes);
  Family root = kernel.pooled_view("joint", {table.axes}, table.ticks, step);
  const Ticks root_ticks = std::max<Ticks>(1, static_cast<Ticks>(static_cast<double>(root.left()) * kRootShare));
  const std::int64_t total = kernel.count(root, root_ticks)[0];
  GridCounts grid =
      measure_grid(kernel, std::move(kernel.open(std::move(root))[0]), std::max<double>(1, static_cast<double>(total)),
                   noise_variance(effective(kernel, root_ticks)),
                   {weight, 0.8 * weight, 16 * weight, params.integer("max_partitions"), kLeastShare, true});
  if (step > 1) to_cells(grid.tree, kernel.domain(), table.axes, step);
  table.lo.resize(table.axes.size());
  table.hi.resize(table.axes.size());
  table.append(grid.tree.box(0), -1, total, root_ticks, 0);
  for (std::size_t row = 1; row < grid.tree.rows(); ++row) grid.append_to(table, row, 0);
  table.estimate = estimate_stops(grid, release.rate(1))[0];
  release.answer_model = AnswerModel::maps;
  release.tables.push_back(std::move(table));
}

}  // namespace stopover
