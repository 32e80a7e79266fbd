// CoverAnswerer: answers boxes from several grids over one domain, each a partition of its own (mechanism `varywidth`).
//
//   Result<CoverAnswerer> ask = CoverAnswerer::make(made, {.level = 0.95});
//   Answer a = (*ask)(BoxQuery::of(box));
//
// There is one grid an axis, finest along it; what the other grids cut there is the coarse lattice. A box is divided
// into its core, the coarse boxes wholly inside, and for axis after axis the two slabs beside the core. A slab is asked
// of the grid that is fine along its axis, the core of all grids, and their mean taken. Where no coarse interval lies
// inside along an axis, all that is left is asked of that axis's grid. Parts are disjoint and no box of a grid is in
// two of them, so their noises add.
#pragma once

#include <vector>

#include "peers/lab_result.h"
#include "query/answerer.h"

namespace stopover {

class CoverAnswerer {
 public:
  // Fails (bad_input) unless the result is a stack of one grid an axis.
  static Result<CoverAnswerer> make(const LabResult& made, const AnswerOptions& options);

  std::size_t partitions() const;
  // Sets estimate, unprojected, noise_variance, noise interval and partitions_cut. REQUIRES: as many axes as the
  // domain.
  Answer operator()(const BoxQuery& query) const;

 private:
  CoverAnswerer() = default;
  void add(const BoxQuery& part, std::size_t grid, double weight, Answer& answer, std::vector<NoiseTerm>& terms,
           NoiseRest& rest) const;

  AnswerOptions options_;
  std::vector<BoxIndex> grids_;
  std::vector<std::vector<double>> lattice_;  // coarse edges, by axis, both ends included
};

}  // namespace stopover
