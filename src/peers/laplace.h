// What a user has with ten lines of code: a noisy count of every cell with all of epsilon (`laplace`), and the same
// with zeros in place of what is below factor * ln(cells)/eps (`laplace-threshold`). OpenDP's and Tumult's tables by
// known keys are the former. Plans and charges are those of `identity`; here nothing is made consistent.
//
// Published: Dwork, McSherry, Nissim, Smith 2006. The largest of M draws of noise of scale 1/eps is about ln(M)/eps, so
// that 3/4 of it is passed by M^(1/4)/2 empty cells; it was the best factor in our tables (docs/internals/zones.md).
#pragma once

#include "mechanism/mechanism.h"
#include "peers/lab_result.h"

namespace stopover {

Status check_laplace(const Params& params, const Domain& domain);
void plan_laplace(Kernel& kernel, const Params& params, LabResult& result);

Status check_laplace_threshold(const Params& params, const Domain& domain);
void plan_laplace_threshold(Kernel& kernel, const Params& params, LabResult& result);

}  // namespace stopover
