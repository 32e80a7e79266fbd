// Releases of a synthetic city, with a key that can be repeated.
#pragma once

#include <string>

#include "mechanism/mechanism.h"
#include "privacy/kernel.h"
#include "privacy/stream_dice.h"
#include "release/release.h"
#include "synthetic/generate.h"
#include "testing/test_key.h"

namespace stopover::sample {

// `stops` stops on a map of grid x grid cells over a degree, by the mechanism named.
inline Release city_release(std::size_t stops, std::uint64_t trips, std::uint32_t grid, std::string_view mechanism_name,
                            Ticks epsilon = kTicksPerEpsilon) {
  const SyntheticTrips made = *generate_city(stops, trips, grid, 5);
  std::vector<Axis> axes = made.domain.axes();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i].kind = i % 2 == 0 ? AxisKind::longitude : AxisKind::latitude;
    axes[i].lower = i % 2 == 0 ? -123 : 37;
    axes[i].upper = axes[i].lower + 1;
  }
  MatrixBuilder builder(*Domain::make(axes, made.domain.stops()));
  std::array<std::uint32_t, kMaxAxes> cell{};
  for (std::size_t row = 0; row < made.rows(); ++row) {
    for (std::size_t axis = 0; axis < axes.size(); ++axis) cell[axis] = made.cells[axis][row];
    builder.add(std::span(cell.data(), axes.size()), 1);
  }
  const Matrix matrix = std::move(builder).build();
  const Mechanism& mechanism = *find_mechanism(mechanism_name);
  StreamDice dice(test_key("export sample"));
  Kernel kernel(matrix, dice, epsilon, 1);
  Release release = run_mechanism(mechanism, *read_params(mechanism, {}), kernel, Unit::trip);
  release.randomness = Randomness::repeatable("export sample");
  release.number = 1;
  release.date = "2024-02-29";
  return release;
}

}  // namespace stopover::sample
