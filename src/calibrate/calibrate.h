// calibrate: learns from a finished release how far its answers may be off.
//
// The release is all that it sees: this room can name neither the matrix nor the kernel. So the table it makes is
// post-processing, costs no privacy, and anyone who has the release can make it again.
//
//   Result<Calibration> table = calibrate(release, {.seed = 7});
//
// How: trips that may lie behind the release are drawn several times over (posterior_draws.h); each time questions of
// all sizes are asked of both, the drawn trips and the release, as boxes placed at random and on drawn trips. The
// errors are then fitted: first their variance by the features of an answer (query/calibration.h; that of the noise is
// known and not fitted), then, in rows of signal (estimate over standard deviation), the quantiles of what is left,
// over questions whose drawn answer is above 0. Where a row hardly knows more than a few draws, its quantiles are
// mostly the normal ones. docs/internals/intervals.md has the reasons, how often intervals hold, measured, and where
// that falls short.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "release/release.h"

namespace stopover {

struct CalibrateOptions {
  std::uint64_t seed = 0;  // names the numbers used: the same seed gives the same table, whatever the threads
  std::uint32_t draws = 2;
  std::uint32_t questions = 800;  // per draw
};

// Releases of more trips are not calibrated: drawing them would take too long. But one with a single map is, up to so
// many cells: trips of a cell are drawn together then.
inline constexpr double kMostCalibratedTrips = 5e6, kMostCalibratedCells = 1 << 24;

// Fails (usage) where nothing can be learned: answers do not use maps, several roots, too many trips, or so few that
// questions hardly meet any. REQUIRES: check_release passes; draws above 0, questions above 0.
Result<Calibration> calibrate(const Release& release, const CalibrateOptions& options);

}  // namespace stopover
