// What every face prints of a number.
#pragma once

namespace stopover {

// The double that 12 significant digits show; no -0.
double twelve_digits(double value);

}  // namespace stopover
