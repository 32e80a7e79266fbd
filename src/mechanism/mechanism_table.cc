#include <array>

#include "mechanism/adaptive_grid.h"
#include "mechanism/anchor.h"
#include "mechanism/daf.h"
#include "mechanism/flat.h"
#include "mechanism/hdpview.h"
#include "mechanism/mechanism.h"
#include "mechanism/multigrid.h"
#include "mechanism/privtree.h"
#include "mechanism/sparse.h"
#include "mechanism/spatial_tree.h"
#include "mechanism/zones.h"

namespace stopover {
namespace {

constexpr int kAnyD = static_cast<int>(kMaxAxes);

constexpr std::string_view kPartition = "partition", kCells = "cells", kCover = "cover", kContrasts = "contrasts",
                           kPlain = "plain";

// Of rows whose plans are in src/peers.
constexpr ParamSpec kVarywidthParams[3] = {
    {"coarse", ParamKind::integer, "0", 0, 1e9, "intervals of the coarse grid an axis; 0: by the noisy total"},
    {"fine", ParamKind::integer, "0", 0, 1e9, "parts of each of them in the grid of its axis; 0: as many as coarse"},
    {"max_partitions", ParamKind::integer, "4194304", 1, 134217728,
     "coarsen the grids until they have at most this many boxes"},
};
constexpr ParamSpec kPrivletParams[1] = {
    {"max_partitions", ParamKind::integer, "4194304", 1, 134217728, "refuse domains of more coefficients than this"},
};
constexpr ParamSpec kLaplaceParams[2] = {
    {"max_partitions", ParamKind::integer, "4194304", 1, 134217728, "refuse domains of more cells than this"},
    {"factor", ParamKind::number, "0.75", 0, 100, "zero below this times ln(cells)/epsilon"},
};

const std::array kTable = {
    Mechanism{"identity", "every cell counted with all of epsilon", "Dwork, McSherry, Nissim, Smith 2006",
              kIdentityParams, 1, kAnyD, kPartition, true, check_identity, plan_identity},
    Mechanism{"sparse", "every cell counted, only those above a threshold listed; for huge domains",
              "Cormode, Procopiuc, Srivastava, Tran 2012", kSparseParams, 1, kAnyD, kCells, true, check_sparse,
              plan_sparse},
    Mechanism{"uniform",
              "one count for the whole domain",
              "the literature's \"singular\"; Hay et al. 2016",
              {},
              1,
              kAnyD,
              kPartition,
              true,
              nullptr,
              plan_uniform},
    Mechanism{"eug", "equal grid, granularity by the extended uniform-grid formula", "Shaham, Ghinita, Shahabi 2022",
              kEugParams, 1, kAnyD, kPartition, true, nullptr, plan_eug},
    Mechanism{"eug-corrected", "eug with the border boxes of a d-box counted right",
              "this project; docs/internals/paper_notes.md", kEugCorrectedParams, 1, kAnyD, kPartition, true, nullptr,
              plan_eug_corrected},
    Mechanism{"ebp", "equal grid, granularity by entropy", "Shaham, Ghinita, Shahabi 2022", kGridParams, 1, kAnyD,
              kPartition, true, nullptr, plan_ebp},
    Mechanism{"mkm", "equal grid, granularity without epsilon", "Lei 2011, as restated by Su et al. 2016", kGridParams,
              1, kAnyD, kPartition, true, nullptr, plan_mkm},
    Mechanism{"daf-entropy", "tree dividing one axis per level, as finely as each noisy count pays for",
              "Shaham, Ghinita, Shahabi 2022", kDafEntropyParams, 1, kAnyD, kPartition, true, check_daf,
              plan_daf_entropy},
    Mechanism{"daf-homogeneity", "daf-entropy with privately chosen cuts", "Shaham, Ghinita, Shahabi 2022",
              kDafHomogeneityParams, 1, kAnyD, kPartition, true, check_daf, plan_daf_homogeneity},
    Mechanism{"ug", "equal grid of sqrt(N eps/10) intervals an axis", "Qardaji, Yang, Li 2013; beyond 2D our extension",
              kUgParams, 1, kAnyD, kPartition, true, nullptr, plan_ug},
    Mechanism{"ag", "two-level adaptive grid", "Qardaji, Yang, Li 2013; beyond 2D our extension", kAgParams, 1, kAnyD,
              kPartition, false, nullptr, plan_ag},
    Mechanism{"quadtree", "tree halving all axes, its height from the noisy total", "Cormode et al. 2012",
              kQuadtreeParams, 1, kAnyD, kPartition, true, nullptr, plan_quadtree},
    Mechanism{"kd-tree", "tree cutting axis after axis at private medians", "Cormode et al. 2012", kKdParams, 1, kAnyD,
              kPartition, true, nullptr, plan_kd_tree},
    Mechanism{"kd-hybrid", "kd-tree above, quadtree below", "Cormode et al. 2012", kKdParams, 1, kAnyD, kPartition,
              true, nullptr, plan_kd_hybrid},
    Mechanism{"htf", "tree cutting axis after axis where both sides are homogeneous",
              "Shaham, Ghinita, Ahuja, Krumm, Shahabi 2021", kHtfParams, 1, kAnyD, kPartition, true, nullptr, plan_htf},
    Mechanism{"privtree", "tree of unlimited depth, all axes halved at once", "Zhang, Xiao, Xie 2016", kPrivtreeParams,
              1, kAnyD, kPartition, true, nullptr, plan_privtree},
    Mechanism{"privtree-rr", "tree of unlimited depth, one axis halved after the other", "Zhang, Xiao, Xie 2016",
              kPrivtreeParams, 1, kAnyD, kPartition, true, nullptr, plan_privtree_rr},
    Mechanism{"varywidth", "overlapping grids, each fine along one axis; only stopover-lab evaluate can ask it",
              "Cormode, Garofalakis, Shekelyan 2021", kVarywidthParams, 1, kAnyD, kCover, false, nullptr, nullptr},
    Mechanism{"privlet",
              "the wavelet coefficients of all cells, for small domains; only stopover-lab evaluate can ask it",
              "Xiao, Wang, Gehrke 2010", kPrivletParams, 1, kAnyD, kContrasts, false, nullptr, nullptr},
    Mechanism{"laplace",
              "every cell counted with all of epsilon, nothing made consistent; only stopover-lab evaluate can ask it",
              "Dwork, McSherry, Nissim, Smith 2006; OpenDP's tables by known keys", std::span(kLaplaceParams, 1), 1,
              kAnyD, kPlain, true, nullptr, nullptr},
    Mechanism{
        "laplace-threshold", "laplace with zeros below 0.75 ln(cells)/epsilon; only stopover-lab evaluate can ask it",
        "a few lines of code; docs/internals/laboratory.md", kLaplaceParams, 1, kAnyD, kPlain, true, nullptr, nullptr},
    Mechanism{"hdpview", "tree of single cuts chosen by aggregation error, divided while that is large",
              "Kato et al. 2022", kHdpviewParams, 1, kAnyD, kPartition, false, nullptr, plan_hdpview},
    Mechanism{"multigrid", "adaptive grid refined level by level, for one stop",
              "this project; docs/internals/anchor.md", kMultigridParams, 1, 2, kPartition, true, check_multigrid,
              plan_multigrid},
    Mechanism{"anchor", "the stops' own maps first, then a joint tree over their product",
              "this project; docs/internals/anchor.md", kAnchorParams, 1, kAnyD, kPartition, false, check_anchor,
              plan_anchor, true, true, true, true},
    Mechanism{"zones", "tables between public zones: their totals and blocks first, then pairs as far as trips go",
              "this project; docs/internals/zones.md", kZonesParams, 1, kAnyD, kPartition, false, check_zones,
              plan_zones},
};

}  // namespace

std::span<const Mechanism> mechanisms() { return kTable; }

}  // namespace stopover
