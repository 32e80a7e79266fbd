#include "peers/laplace.h"

#include <cmath>
#include <limits>

#include "mechanism/flat.h"

namespace stopover {

Status check_laplace(const Params& params, const Domain& domain) { return check_every_cell("laplace", params, domain); }

void plan_laplace(Kernel& kernel, const Params& params, LabResult& result) {
  Release counted;
  plan_identity(kernel, params, counted);
  result.grids = std::move(counted.tables);
  result.kept_from = -std::numeric_limits<double>::infinity();
}

Status check_laplace_threshold(const Params& params, const Domain& domain) {
  return check_every_cell("laplace-threshold", params, domain);
}

void plan_laplace_threshold(Kernel& kernel, const Params& params, LabResult& result) {
  const double epsilon = effective(kernel, kernel.left());
  const auto cells = static_cast<double>(kernel.domain().volume());
  plan_laplace(kernel, params, result);
  result.kept_from = params.number("factor") * std::log(cells) / epsilon;
}

}  // namespace stopover
