// PlantedFlows: trips with strong flows added that nobody foresaw, and the boxes that ask for them. Answers about such
// flows come from boxes that a mechanism chose to divide because of what it saw there: do their intervals still hold?
// SECRET wherever the data is real.
//
//   const PlantedFlows planted = plant_flows(matrix, 0.5, std::nullopt, 1);
//   planted.matrix;                                  // to be released
//   planted.boxes;                                   // 20 of them
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "domain/box.h"
#include "matrix/matrix.h"

namespace stopover {

inline constexpr std::size_t kPlantedFlows = 20;

struct PlantedFlows {
  Matrix matrix;
  std::vector<Box> boxes;  // 10 cells on either side of each flow's middle
};

// At random places, needles and blobs (eval/needle.h) by turns; of so many limits of a needle at this epsilon, or 4, 8
// and 16 by turns. The same for the same arguments, on every machine. REQUIRES: epsilon > 0.
PlantedFlows plant_flows(const Matrix& matrix, double epsilon, std::optional<double> limits, std::uint64_t seed);

}  // namespace stopover
