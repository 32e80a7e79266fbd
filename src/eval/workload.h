// Workload: a batch of box queries with their true answers. The boxes may be saved and shared; the truth is SECRET.
//
//   Result<WorkloadKind> kind = parse_workload("dcov5");
//   Workload w = draw_workload(*kind, matrix, truth, 1000, seed);
//
// Kinds:
//   random                every side an interval with both ends uniform over the axis
//   cov1 cov5 cov10       every side 1, 5 or 10 % of its axis (at least one cell), placed uniformly
//   dcov1 dcov5 dcov10    the same sides, centred on a trip drawn at random (moved inwards at the border)
//   busy                  tuples of districts, one per stop, that hold 50 trips and more: every axis is divided into 25
//                         equal parts. All there are, or as many as wanted, drawn at random. busy10: 10 parts
//   places                10 cells on either side of a cell drawn uniformly, whatever the box holds: mostly nothing
//   needle needle20 blob  no boxes: trips are added to the matrix (eval/needle.h); needle@4: of one size
// Other percentages work too (cov2.5). As in the paper, a box without a trip is drawn again, because its relative error
// has no meaning; how often that happened is told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/box.h"
#include "eval/needle.h"
#include "eval/range_counter.h"
#include "matrix/matrix.h"

namespace stopover {

struct WorkloadKind {
  std::string name;
  double share = 0;                  // of each side; 0: random sides
  bool on_data = false;              // centred on trips
  std::uint32_t districts = 0;       // parts of every axis; 0: no districts
  std::optional<NeedleKind> needle;  // instead of boxes
  bool anywhere = false;             // boxes as needles have, empty ones too
};

inline constexpr std::uint32_t kUsualDistricts = 25, kMostDistricts = 1000;
// A tuple of districts with so many trips is busy.
inline constexpr std::uint64_t kBusyTrips = 50;

// Fails (usage) naming the text. Shares are above 0 and at most 100 %.
Result<WorkloadKind> parse_workload(std::string_view text);

struct Workload {
  std::string name;
  std::vector<Box> boxes;
  std::vector<std::uint64_t> truth;  // SECRET; one per box, all above 0 but for `places`
  std::uint64_t drawn = 0;           // boxes looked at, those without a trip included

  // Share of the boxes drawn that held no trip.
  double redrawn_share() const {
    return drawn == 0 ? 0 : 1 - static_cast<double>(boxes.size()) / static_cast<double>(drawn);
  }
};

// Looks at most at this many boxes for each one wanted: small boxes placed uniformly over a large domain hardly ever
// hold a trip, and such a workload then has fewer boxes than wanted, perhaps none.
inline constexpr std::uint64_t kMaxDrawsPerQuery = 10'000;

// The same for the same arguments, on every machine. `truth` is of `matrix`. REQUIRES: the kind is not of needles.
Workload draw_workload(const WorkloadKind& kind, const Matrix& matrix, const RangeCounter& truth, std::size_t queries,
                       std::uint64_t seed);

// The boxes as the command line's batch table: header a0_lo,a0_hi,..., half-open cells. No truth in it.
std::string to_batch_csv(const Domain& domain, std::span<const Box> boxes);

// Reads such a table back (any axes, a missing one is taken whole), counts, and leaves out boxes without a trip.
// Fails (bad_input) as query/batch.h does, and on edges that are not whole cells.
Result<Workload> load_workload(const std::string& path, std::string name, const Domain& domain,
                               const RangeCounter& truth);

}  // namespace stopover
