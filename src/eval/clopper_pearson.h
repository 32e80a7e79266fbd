// Clopper-Pearson: exact bounds of an unknown probability from hits in independent trials.
#pragma once

#include <cstdint>

namespace stopover {

// The largest p for which `hits` or more of `trials` still have probability at most alpha; 0 for no hit. In repeated
// experiments the true probability is below it at most a share alpha of the time.
double clopper_pearson_lower(std::uint64_t hits, std::uint64_t trials, double alpha);
// The same from above: 1 when every trial hit.
double clopper_pearson_upper(std::uint64_t hits, std::uint64_t trials, double alpha);

}  // namespace stopover
