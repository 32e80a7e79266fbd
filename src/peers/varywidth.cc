#include "peers/varywidth.h"

#include <algorithm>
#include <cmath>

#include "mechanism/formulas.h"
#include "mechanism/tree_table.h"

namespace stopover {

namespace {

// Grid `fine_axis`: the coarse cuts of every axis, those of its own divided further.
Cuts grid_cuts(const Box& box, std::size_t fine_axis, double coarse, double fine) {
  Cuts cuts;
  for (std::size_t axis = 0; axis < box.axes(); ++axis) {
    std::vector<std::uint32_t> edges =
        formulas::equal_cuts(box[axis].lo, box[axis].hi, formulas::intervals(coarse, box[axis].width()));
    if (axis == fine_axis) {
      std::vector<std::uint32_t> all;
      std::uint32_t lo = box[axis].lo;
      edges.push_back(box[axis].hi);
      for (std::uint32_t hi : edges) {
        const auto inner = formulas::equal_cuts(lo, hi, formulas::intervals(fine, hi - lo));
        all.insert(all.end(), inner.begin(), inner.end());
        if (hi < box[axis].hi) all.push_back(hi);
        lo = hi;
      }
      edges = std::move(all);
    }
    cuts.push_back(std::move(edges));
  }
  return cuts;
}

double boxes_of(const Cuts& cuts) {
  double product = 1;
  for (const auto& axis : cuts) product *= static_cast<double>(axis.size() + 1);
  return product;
}

Box part_of(const Box& whole, const Cuts& cuts, std::size_t number) {
  Box part = whole;
  for (std::size_t axis = cuts.size(); axis-- > 0;) {
    const std::size_t i = number % (cuts[axis].size() + 1);
    number /= cuts[axis].size() + 1;
    if (i > 0) part[axis].lo = cuts[axis][i - 1];
    if (i < cuts[axis].size()) part[axis].hi = cuts[axis][i];
  }
  return part;
}

}  // namespace

void plan_varywidth(Kernel& kernel, const Params& params, LabResult& result) {
  const Ticks all = kernel.left();
  const std::size_t d = kernel.domain().d();
  // Grids stand one level below the whole, which the first one's root has a count of.
  Family root = kernel.view("joint", all_axes(kernel.domain()), all);
  const Ticks for_total = std::max<Ticks>(1, all / 100);
  const std::int64_t total = kernel.count(root, for_total)[0];
  const double n = std::max(1.0, static_cast<double>(total));
  Region whole = std::move(kernel.open(kernel.again(std::move(kernel.open(std::move(root))[0])))[0]);
  const Box box = whole.box();
  const Ticks each = whole.left() / d;
  const double g = formulas::ug(n, effective(kernel, each), static_cast<int>(d));
  double coarse = static_cast<double>(params.integer("coarse"));
  if (coarse == 0) coarse = std::max(1.0, std::round(std::pow(g, static_cast<double>(d) / static_cast<double>(d + 1))));
  double fine = static_cast<double>(params.integer("fine"));
  if (fine == 0) fine = coarse;
  const auto most = static_cast<double>(params.integer("max_partitions")) / static_cast<double>(d);
  const auto too_many = [&] {
    for (std::size_t axis = 0; axis < d; ++axis) {
      if (boxes_of(grid_cuts(box, axis, coarse, fine)) > most) return true;
    }
    return false;
  };
  while (coarse > 1 && too_many()) coarse = std::floor(coarse * 0.95), fine = std::max(1.0, std::floor(fine * 0.95));
  for (std::size_t axis = 0; axis < d; ++axis) {
    const Ticks on_root = axis == 0 ? for_total : 0;
    Table& table = result.grids.emplace_back(joint_table(kernel, TableKind::partition, on_root + each));
    table.append(box, -1, axis == 0 ? total : 0, on_root, 0);
    if (each == 0) continue;
    const Cuts cuts = grid_cuts(box, axis, coarse, fine);
    const std::vector<std::int64_t> counts = kernel.count_parts(whole, cuts, each);
    table.reserve(1 + counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) table.append(part_of(box, cuts, i), 0, counts[i], each, 0);
  }
}

}  // namespace stopover
