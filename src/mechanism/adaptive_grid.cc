#include "mechanism/adaptive_grid.h"

#include <algorithm>
#include <cmath>

#include "mechanism/formulas.h"
#include "mechanism/tree_table.h"

namespace stopover {

const ParamSpec kUgParams[1] = {
    {"max_partitions", ParamKind::integer, "4194304", 1, 134217728,
     "coarsen the grid until it has at most this many boxes"},
};
const ParamSpec kAgParams[2] = {
    {"alpha", ParamKind::number, "0.5", 0.01, 0.99, "share of epsilon for the coarse grid"},
    {"max_partitions", ParamKind::integer, "4194304", 1, 134217728,
     "stop dividing when the boxes would be more than this"},
};

namespace {

Cuts grid(const Box& box, double m) {
  Cuts cuts;
  for (std::size_t axis = 0; axis < box.axes(); ++axis) {
    cuts.push_back(formulas::equal_cuts(box[axis].lo, box[axis].hi, formulas::intervals(m, box[axis].width())));
  }
  return cuts;
}

double boxes_of(const Cuts& cuts) {
  double product = 1;
  for (const auto& axis : cuts) product *= static_cast<double>(axis.size() + 1);
  return product;
}

// The first grid, from a noisy total that cost eps/100; no more boxes than allowed.
Cuts first_grid(const Box& box, double m, double most) {
  Cuts cuts = grid(box, m);
  for (; boxes_of(cuts) > most && m > 1; m *= 0.98) cuts = grid(box, m * 0.98);
  return cuts;
}

}  // namespace

void plan_ug(Kernel& kernel, const Params& params, Release& release) {
  TreeTable tree(kernel, "joint", all_axes(kernel.domain()), kernel.left());
  Family root = tree.take_root();
  const double n = std::max<double>(1, static_cast<double>(tree.count(root, std::max<Ticks>(1, root.left() / 100))[0]));
  if (root.left() > 0) {
    const int d = static_cast<int>(kernel.domain().d());
    const double m = formulas::ug(n, effective(kernel, root.left()), d);
    const Cuts cuts = first_grid(root.box(0), m, static_cast<double>(params.integer("max_partitions")));
    Family parts = kernel.split(std::move(kernel.open(std::move(root))[0]), cuts);
    tree.count(parts, parts.left(), 0);
  }
  release.tables.push_back(std::move(tree).finish());
}

void plan_ag(Kernel& kernel, const Params& params, Release& release) {
  TreeTable tree(kernel, "joint", all_axes(kernel.domain()), kernel.left());
  Family root = tree.take_root();
  const double n = std::max<double>(1, static_cast<double>(tree.count(root, std::max<Ticks>(1, root.left() / 100))[0]));
  const auto most = static_cast<double>(params.integer("max_partitions"));
  const int d = static_cast<int>(kernel.domain().d());
  const Ticks rest = root.left();
  const auto coarse_ticks = static_cast<Ticks>(static_cast<double>(rest) * params.number("alpha"));
  if (coarse_ticks > 0 && rest > coarse_ticks) {
    const double m1 = formulas::ag_first(n, effective(kernel, rest), d);
    const Cuts cuts = first_grid(root.box(0), m1, most);
    Family coarse = kernel.split(std::move(kernel.open(std::move(root))[0]), cuts);
    const std::vector<std::int64_t> counts = tree.count(coarse, coarse_ticks, 0);
    std::vector<Region> regions = kernel.open(std::move(coarse));
    const double fine = effective(kernel, rest - coarse_ticks);
    for (std::size_t i = 0; i < regions.size(); ++i) {
      Cuts parts = grid(regions[i].box(), formulas::ag_second(static_cast<double>(counts[i]), fine, d));
      if (static_cast<double>(tree.rows() + regions.size() - i) + boxes_of(parts) > most) parts = {};
      Family family = kernel.split(std::move(regions[i]), parts);
      tree.count(family, family.left(), static_cast<std::int32_t>(1 + i));
    }
  }
  release.tables.push_back(std::move(tree).finish());
}

}  // namespace stopover
