// Sparse (Cormode, Procopiuc, Srivastava, Tran 2012, "Differentially Private Summaries for Sparse Data"): identity with
// a filter. Every cell is counted with all of epsilon, and only those whose noisy count is at least a threshold in size
// are listed, negative ones too: so sums over many cells stay unbiased but for what was lost below the threshold. Empty
// cells are drawn without being visited (Kernel::count_sparsely), so any domain below 2^62 cells will do.
//
// Published: the threshold that lists as many cells as the data has. That number is private, so here `zeros` says how
// many empty cells may be listed on average.
#pragma once

#include "mechanism/mechanism.h"

namespace stopover {

extern const ParamSpec kSparseParams[2];

Status check_sparse(const Params& params, const Domain& domain);
void plan_sparse(Kernel& kernel, const Params& params, Release& release);

// The least threshold t at which at most `listed` of `cells` empty cells are listed on average, and less than half of
// them: 2 a^t/(1 + a) <= min(0.49, listed/cells), a = exp(-e). At least 1.
double sparse_threshold(double e, double cells, double listed);

}  // namespace stopover
