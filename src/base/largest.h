// Which of many values are the largest.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stopover {

// The numbers of the `most` largest values, largest first; the earlier one where they are equal. What is not above 0 is
// left out.
std::vector<std::size_t> largest(std::span<const double> values, std::size_t most);

}  // namespace stopover
