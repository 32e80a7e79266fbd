// PosteriorDraws: matrices that the trips behind a release may have been, each as likely as the release leaves it.
//
// Reads the release and nothing else. Each draw is one whole set of trips:
//   - how many in every leaf of table 0, and in every leaf of the stops' maps: CountTree, weighing counts against
//     noise;
//   - how they lie below the leaves of a map: halved again and again down to cells, clumping as the finest counts do;
//   - how they lie inside a leaf of table 0: the product of those maps, clumping together (whom the base sends apart
//     may travel together) as the finest families of table 0 do.
// Not a sample to publish: trips are exchangeable guesses, made to learn how far answers of the release may be off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "release/release.h"
#include "synthetic/number_sequence.h"

namespace stopover {

struct DrawnTrips {
  std::vector<std::vector<std::uint32_t>> cells;  // [axis][row]
  std::vector<std::uint32_t> times;               // [row]: so many trips. Empty: every row is one
  std::size_t size() const { return cells.empty() ? 0 : cells[0].size(); }
};

class PosteriorDraws {
 public:
  // Fails (usage) where the release does not say how trips lie in leaves by maps, or table 0 has several roots.
  // REQUIRES: check_release passes; the release outlives it.
  static Result<PosteriorDraws> make(const Release& release);
  PosteriorDraws(PosteriorDraws&&) noexcept;
  ~PosteriorDraws();

  // Whether one draw has at most so many rows, however many trips there are: of a release with one map as many as it
  // has cells, where trips of a cell are `together` in a row.
  bool fits(double rows, bool together) const;
  // `power`: how strongly near places of neighbouring stops go together inside leaves, as a power of the way between
  // them. `most`: of more trips than that, about so many, each as likely to be among them as any other. `together`:
  // trips of a cell are one row. REQUIRES of that: the release has one map.
  DrawnTrips draw(NumberSequence& numbers, double power, double most = 1e18, bool together = false) const;
  // The largest power to reckon with: what the counts speak for between leaves, and as much more as cities were seen to
  // have inside of them. 0 where stops do not share a map.
  double most_power() const;

 private:
  struct State;
  explicit PosteriorDraws(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace stopover
