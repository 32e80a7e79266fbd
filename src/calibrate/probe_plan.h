// ProbePlan: where a finished release is probed, and what the release expects there. Public: from the release alone.
//
//   Result<ProbePlan> plan = ProbePlan::make(release, seed);
//   ... the kernel counts ranks on plan->lattices(), sorted by plan->bands_of(...) ...
//   Probes probes = plan->probes(counts, ticks);      // and fitted: probe_fit.h
//
// Lattices. 24 cut all stops; with two stops or more 12 others leave some stops free. Sides run from small to large
// shares of the axes, every second lattice with sides of different lengths. Each is shifted so that one box is centred
// on a trip that was drawn from the release: questions are asked where people are, and boxes at random places have
// their trips at other places than questions do. Axes without coordinates (zones, categories) are cut alike, by cells.
//
// Of the boxes a public sample is taken, at most about kMostBoxes per lattice: a box is in it or not by its number.
//
// Trips drawn from the release say which boxes it expects trips in. Of those with a signal of 1 or more the lower side
// is looked at: how many of the ranks that it expects are there. Whether a box is one of them does not depend on data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "calibrate/probe_certificate.h"
#include "domain/box_sample.h"
#include "release/release.h"

namespace stopover {

class ProbePlan {
 public:
  static constexpr double kMostBoxes = 5'000;  // per lattice, expected
  static constexpr double kMostDrawn = 5e6;

  // Of more than kMostDrawn trips only so many are imagined, so that the work follows the release's size. Fails (usage)
  // as PosteriorDraws and BoxIndex do. REQUIRES: check_release passes; the release outlives the plan.
  static Result<ProbePlan> make(const Release& release, std::uint64_t seed);
  ProbePlan(ProbePlan&&) noexcept;
  ~ProbePlan();

  // Per lattice and axis: ascending edges strictly inside the axis.
  std::span<const std::vector<std::vector<std::uint32_t>>> lattices() const;
  // Boxes are numbered with the last axis running fastest.
  const BoxSample& sample(std::size_t lattice) const;
  struct Band {
    std::uint64_t last;
    std::uint32_t entry;
  };
  // Probes::kBands per box, lowest ranks first; uses all threads. A function of its arguments.
  void bands_of(std::size_t lattice, std::span<const std::uint64_t> boxes, std::span<Band> out) const;
  // The boxes that drawn trips hit and the sample has: what a certificate is about.
  struct ExpectedBox {
    std::size_t lattice;
    std::uint64_t box;
    CertifiedBox of;
  };
  std::vector<ExpectedBox> expected() const;
  // What came out, with the sums that everybody can make, and what it proves; tails are empty yet. `rate`: of the
  // noise on each count.
  Probes probes(std::vector<std::int64_t> counts, Ticks ticks, double rate) const;

 private:
  struct State;
  explicit ProbePlan(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace stopover
