#include "eval/planted_flows.h"

#include <array>
#include <cmath>
#include <utility>

#include "eval/limits.h"
#include "eval/needle.h"
#include "synthetic/number_sequence.h"

namespace stopover {
namespace {

constexpr std::array kSizes = {4.0, 8.0, 16.0};
constexpr std::uint64_t kBranch = 0x666c6f77;

}  // namespace

PlantedFlows plant_flows(const Matrix& matrix, double epsilon, std::optional<double> limits, std::uint64_t seed) {
  const double limit = needle_limit(matrix.domain(), epsilon);
  PlantedFlows planted{matrix, {}};
  NumberSequence numbers(seed, kBranch);
  for (std::size_t i = 0; i < kPlantedFlows; ++i) {
    // Kinds by turns of one, sizes by turns of two: every size is met in both kinds.
    const NeedleKind kind = *parse_needle(i % 2 == 0 ? "needle" : "blob");
    const double size = limits.value_or(kSizes[i / 2 % kSizes.size()]);
    const std::uint64_t place = numbers.next();
    const NeedlePlaces places = draw_needles(kind, matrix.domain(), place);
    planted.matrix =
        with_needles(kind, places, planted.matrix, static_cast<std::uint64_t>(std::ceil(size * limit)), place);
    planted.boxes.push_back(places.boxes[0]);
  }
  return planted;
}

}  // namespace stopover
