// Runs any row of the table of mechanisms: those that publish as everywhere, and the peers that are only compared with,
// whose plans are here and not in the program that publishes.
//
//   if (Status ok = check_in_lab(*m, *params, domain); !ok) ...
//   LabResult made = run_in_lab(*m, *params, kernel, Unit::trip);
#pragma once

#include "mechanism/mechanism.h"
#include "peers/lab_result.h"

namespace stopover {

// Whether the mechanism can run on this domain.
Status check_in_lab(const Mechanism& mechanism, const Params& params, const Domain& domain);

// As run_mechanism, for every row. REQUIRES: check_in_lab passed; the kernel is fresh.
LabResult run_in_lab(const Mechanism& mechanism, const Params& params, Kernel& kernel, Unit unit);

}  // namespace stopover
