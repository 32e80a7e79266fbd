// PlausibleTrips: matrices that may have been behind a release, for models that are run over many of them. Their spread
// is the release's uncertainty: of the noise, and of where trips lie inside partitions. Reads the release and nothing
// else.
//
//   Result<PlausibleTrips> plausible = PlausibleTrips::make(release);
//   SyntheticTrips first = plausible->draw(seed, 1), second = plausible->draw(seed, 2);
//
// Where the release has maps of its stops, trips are drawn as likely intervals are learned from them
// (calibrate/posterior_draws.h). Elsewhere, and for the counts of partitions alone:
//
// Noise. From the roots down, the counts of a family are drawn and made to sum to the one drawn for their parent: each
// from a gamma law whose mean m is the published estimate and whose variance is s m^2/(m^2 + s), s that of the least
// squares value from the counts at and below (consistency.h). So it is s where the count stands clear of the noise, and
// at most m^2; an estimate of 0 stays 0.
//
// Placement. The N trips of a leaf are placed one after the other: the next one goes where an earlier one of the leaf
// went with probability j/(j + a), j being those placed, else anew by the release's own model (an urn of Polya's). A
// region with share p of the leaf then holds a share of variance theta p(1 - p), theta = 1/(a + 1) being read off the
// release: by how much the counts of its finest families depart from the model beyond noise and chance.
//
// What the latter leaves out: that the boundaries were drawn from noisy counts too, that trips of different leaves
// clump together, and what an estimate of 0 hides. docs/guide/exports.md has how often the spread covered the truth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "calibrate/posterior_draws.h"
#include "exports/trip_model.h"
#include "release/children.h"
#include "release/consistency.h"
#include "release/release.h"

namespace stopover {

class PlausibleTrips {
 public:
  // Fails as TripModel::make does. REQUIRES: the release outlives it.
  static Result<PlausibleTrips> make(const Release& release);

  const TripModel& model() const { return model_; }
  double theta() const { return theta_; }
  // Whether trips are posterior draws, from the stops' maps.
  bool from_maps() const { return posterior_.has_value(); }

  // One value per leaf, in the order of the model: not negative, not rounded.
  std::vector<double> draw_counts(std::uint64_t seed, std::uint64_t number) const;
  // A whole matrix as trips, in random order.
  SyntheticTrips draw(std::uint64_t seed, std::uint64_t number) const;

 private:
  PlausibleTrips(const Release& release, TripModel model);
  double find_theta() const;
  // The counts of draw_counts rounded up or down at random, and placed.
  std::vector<std::vector<std::uint32_t>> place(std::uint64_t seed, std::uint64_t number,
                                                NumberSequence& numbers) const;

  const Release* release_;
  TripModel model_;
  ChildIndex children_;
  std::vector<RowEstimate> least_squares_;
  double theta_ = 0;
  std::optional<PosteriorDraws> posterior_;
};

}  // namespace stopover
