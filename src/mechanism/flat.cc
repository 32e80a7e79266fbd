#include "mechanism/flat.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "mechanism/formulas.h"
#include "mechanism/tree_table.h"

namespace stopover {

const ParamSpec kIdentityParams[1] = {
    {"max_partitions", ParamKind::integer, "4194304", 1, 134217728, "refuse domains of more cells than this"},
};
const ParamSpec kGridParams[2] = {
    {"max_partitions", ParamKind::integer, "4194304", 1, 134217728,
     "coarsen the grid until it has at most this many boxes"},
    {"min_side", ParamKind::integer, "1", 1, 2147483648.0, "no box is narrower than this many cells"},
};
const ParamSpec kEugParams[4] = {
    {"max_partitions", ParamKind::integer, "4194304", 1, 134217728,
     "coarsen the grid until it has at most this many boxes"},
    {"min_side", ParamKind::integer, "1", 1, 2147483648.0, "no box is narrower than this many cells"},
    {"c0", ParamKind::number, "7.0710678", 0.001, 1000, "the constant of UG and EUG; 10/sqrt(2) as published"},
    {"query_share", ParamKind::number, "0", 0, 1, "share of the domain that queries will cover; 0: not known"},
};
const ParamSpec kEugCorrectedParams[3] = {kEugParams[0], kEugParams[1], kEugParams[2]};

namespace {

// Cuts every axis of `box` into about m intervals, coarser where the sides or the most partitions demand it.
Cuts grid_cuts(const Box& box, double m, const Params& params) {
  const auto min_side = params.integer("min_side");
  const auto limit = static_cast<double>(params.integer("max_partitions"));
  std::vector<std::uint32_t> counts(box.axes());
  for (;; m *= 0.98) {
    double product = 1;
    for (std::size_t i = 0; i < box.axes(); ++i) {
      const std::uint32_t width = box[i].width();
      counts[i] = formulas::intervals(m, static_cast<std::uint32_t>(std::max<std::uint64_t>(1, width / min_side)));
      product *= counts[i];
    }
    if (product <= limit || m < 1) break;
  }
  Cuts cuts;
  for (std::size_t i = 0; i < box.axes(); ++i) cuts.push_back(formulas::equal_cuts(box[i].lo, box[i].hi, counts[i]));
  return cuts;
}

// Counts a noisy total with eps/100, lets `cuts_of` derive the grid from it, counts every box with the rest.
void plan_grid(Kernel& kernel, Release& release, const std::function<Cuts(const Box&, double n, double e)>& cuts_of) {
  TreeTable tree(kernel, "joint", all_axes(kernel.domain()), kernel.left());
  Family root = tree.take_root();
  const double n =
      std::max<double>(1, static_cast<double>(tree.count(root, std::max<Ticks>(1, share(root.left(), 1, 100)))[0]));
  const Ticks rest = root.left();
  if (rest > 0) {
    const Cuts cuts = cuts_of(root.box(0), n, effective(kernel, rest));
    Family parts = kernel.split(std::move(kernel.open(std::move(root))[0]), cuts);
    tree.count(parts, rest, 0);
  }
  release.tables.push_back(std::move(tree).finish());
}

}  // namespace

Status check_every_cell(std::string_view name, const Params& params, const Domain& domain) {
  const std::uint64_t limit = params.integer("max_partitions");
  if (domain.volume() <= limit) return {};
  return Error{Failure::usage,
               std::string(name) + " counts every cell, and " + domain.shape_text() + " has " +
                   to_string(domain.volume()) + " cells; at most " + std::to_string(limit) + " are allowed" +
                   "\n  Use sparse or another mechanism, a coarser grid, or `params max_partitions=...`"};
}

Status check_identity(const Params& params, const Domain& domain) {
  return check_every_cell("identity", params, domain);
}

void plan_identity(Kernel& kernel, const Params&, Release& release) {
  TreeTable tree(kernel, "joint", all_axes(kernel.domain()), kernel.left());
  Family root = tree.take_root();
  tree.skip(root);
  const Box box = root.box(0);
  Cuts cuts(box.axes());
  for (std::size_t i = 0; i < box.axes(); ++i) cuts[i] = formulas::equal_cuts(box[i].lo, box[i].hi, box[i].width());
  Family cells = kernel.split(std::move(kernel.open(std::move(root))[0]), cuts);
  tree.count(cells, cells.left(), 0);
  release.tables.push_back(std::move(tree).finish());
}

void plan_uniform(Kernel& kernel, const Params&, Release& release) {
  TreeTable tree(kernel, "joint", all_axes(kernel.domain()), kernel.left());
  Family root = tree.take_root();
  tree.count(root, root.left());
  release.tables.push_back(std::move(tree).finish());
}

void plan_eug(Kernel& kernel, const Params& params, Release& release) {
  const int d = static_cast<int>(kernel.domain().d());
  const double c0 = params.number("c0");
  const double r = params.number("query_share");
  plan_grid(kernel, release, [&](const Box& box, double n, double e) {
    const double m = r > 0 ? formulas::eug_for_share(n, e, d, c0, r) : formulas::eug(n, e, d, c0);
    return grid_cuts(box, m, params);
  });
}

void plan_eug_corrected(Kernel& kernel, const Params& params, Release& release) {
  const int d = static_cast<int>(kernel.domain().d());
  const double c0 = params.number("c0");
  plan_grid(kernel, release, [&](const Box& box, double n, double e) {
    return grid_cuts(box, formulas::eug_corrected(n, e, d, c0), params);
  });
}

void plan_ebp(Kernel& kernel, const Params& params, Release& release) {
  const int d = static_cast<int>(kernel.domain().d());
  plan_grid(kernel, release,
            [&](const Box& box, double n, double e) { return grid_cuts(box, formulas::ebp(n, e, d), params); });
}

void plan_mkm(Kernel& kernel, const Params& params, Release& release) {
  const int d = static_cast<int>(kernel.domain().d());
  plan_grid(kernel, release, [&](const Box& box, double n, double) {
    const double m = formulas::mkm(n, d);
    const auto limit = static_cast<double>(params.integer("max_partitions"));
    const auto min_side = static_cast<double>(params.integer("min_side"));
    // MKM fixes the width of a box, floor(F/m), not their number.
    for (double coarser = 1;; coarser *= 1.02) {
      Cuts cuts(box.axes());
      double product = 1;
      for (std::size_t i = 0; i < box.axes(); ++i) {
        const double side = box[i].width();
        const auto width = static_cast<std::uint32_t>(
            std::clamp(std::floor(coarser * std::floor(std::max(1.0, side / m))), std::min(min_side, side), side));
        const std::uint64_t count = (box[i].width() + std::uint64_t{width} - 1) / width;
        product *= static_cast<double>(count);
        if (product > limit) break;
        for (std::uint64_t j = 1; j < count; ++j) cuts[i].push_back(box[i].lo + static_cast<std::uint32_t>(j * width));
      }
      if (product <= limit) return cuts;
    }
  });
}

}  // namespace stopover
