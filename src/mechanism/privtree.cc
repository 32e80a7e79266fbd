#include "mechanism/privtree.h"

#include <algorithm>

#include "mechanism/tree_table.h"

namespace stopover {

const ParamSpec kPrivtreeParams[2] = {
    {"tree_share", ParamKind::number, "0.5", 0.01, 0.99,
     "share of epsilon that grows the tree; the rest counts its leaves"},
    {"max_partitions", ParamKind::integer, "4194304", 1, 134217728,
     "begin no level that could have more leaves than this"},
};

namespace {

void halve(const Box& box, std::size_t axis, Cuts& cuts) {
  if (box[axis].width() > 1) cuts[axis].push_back(box[axis].lo + box[axis].width() / 2);
}

void plan_grown(Kernel& kernel, const Params& params, Release& release, int log2_fan_out,
                const Kernel::CutsOf& cuts_of) {
  const Ticks all = kernel.left();
  Table table = joint_table(kernel, TableKind::partition, all);
  Family root = kernel.view("joint", table.axes, all);
  if (all < 2) {  // too little to share
    table.append(root.box(0), -1, kernel.count(root, all)[0], all, 0);
    release.tables.push_back(std::move(table));
    return;
  }
  const auto wanted = static_cast<Ticks>(static_cast<double>(all) * params.number("tree_share"));
  const Ticks tree_ticks = std::clamp<Ticks>(wanted, 1, all - 1);
  Grown grown = kernel.grow(std::move(kernel.open(std::move(root))[0]), tree_ticks, log2_fan_out, cuts_of,
                            params.integer("max_partitions"));
  append_grown(kernel, table, std::move(grown), all - tree_ticks, tree_ticks);
  release.tables.push_back(std::move(table));
}

}  // namespace

void plan_privtree(Kernel& kernel, const Params& params, Release& release) {
  const std::size_t d = kernel.domain().d();
  plan_grown(kernel, params, release, static_cast<int>(d), [d](const Box& box, std::uint32_t) {
    Cuts cuts(d);
    for (std::size_t axis = 0; axis < d; ++axis) halve(box, axis, cuts);
    return cuts;
  });
}

void plan_privtree_rr(Kernel& kernel, const Params& params, Release& release) {
  const std::size_t d = kernel.domain().d();
  plan_grown(kernel, params, release, 1, [d](const Box& box, std::uint32_t depth) {
    Cuts cuts(d);
    for (std::size_t i = 0; i < d; ++i) {
      const std::size_t axis = (depth + i) % d;
      halve(box, axis, cuts);
      if (!cuts[axis].empty()) break;
    }
    return cuts;
  });
}

}  // namespace stopover
