#include "mechanism/sparse.h"

#include <algorithm>
#include <cmath>

#include "mechanism/tree_table.h"

namespace stopover {

const ParamSpec kSparseParams[2] = {
    {"zeros", ParamKind::number, "65536", 1, 67108864, "list about this many empty cells, where there are so many"},
    {"threshold", ParamKind::integer, "0", 0, 1e15,
     "list counts of this size and more; 0: by zeros. Never lower than zeros allows"},
};

Status check_sparse(const Params&, const Domain& domain) {
  if (domain.volume() < u128{1} << 62) return {};
  return Error{Failure::usage, "sparse takes fewer than 2^62 cells, and " + domain.shape_text() + " has " +
                                   to_string(domain.volume()) + "\n  Use another mechanism or a coarser grid."};
}

double sparse_threshold(double e, double cells, double listed) {
  const double share = std::min(0.49, listed / cells);
  return std::max(1.0, std::ceil(std::log(2 / ((1 + std::exp(-e)) * share)) / e));
}

void plan_sparse(Kernel& kernel, const Params& params, Release& release) {
  const Ticks all = kernel.left();
  Table table = joint_table(kernel, TableKind::cells, all);
  Region whole = std::move(kernel.open(kernel.view("joint", table.axes, all))[0]);
  const auto cells = static_cast<double>(kernel.domain().volume());
  const double lowest = sparse_threshold(effective(kernel, all), cells, params.number("zeros"));
  const double threshold = std::min(std::max(lowest, static_cast<double>(params.integer("threshold"))), 1e18);
  const Box box = whole.box();
  for (const NumberedCount& listed : kernel.count_sparsely(whole, all, static_cast<std::uint64_t>(threshold))) {
    Box cell = box;
    std::uint64_t number = listed.cell;
    for (std::size_t axis = box.axes(); axis-- > 0;) {
      const auto index = static_cast<std::uint32_t>(number % box[axis].width());
      number /= box[axis].width();
      cell[axis] = {index, index + 1};
    }
    table.append(cell, -1, listed.count, all, 0);
  }
  release.tables.push_back(std::move(table));
}

}  // namespace stopover
