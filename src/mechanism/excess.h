// Excess: when more trips than the base explains are followed into smaller boxes, and at what price.
//
// The joint tree of `anchor` is cut where the product of the maps has trips. A flow that the product does not foresee
// lies somewhere in one large leaf; but there the leaf's count stands out, and dividing it again tells where. These are
// the rules as numbers, of released values alone; docs/internals/anchor.md says where they come from.
//
// Throughout: x the excess in trips, e and r effective epsilons (a count bought at e is off by about 1/e), r what is
// left on the path, and a = x r, the excess in units of the finest noise that can still be bought.
#pragma once

#include <cstddef>
#include <span>

namespace stopover::excess {

// Leaves of the joint tree are many, and dividing one in vain costs answers; parts of a followed box are few, and that
// there is an excess among them is known.
struct Rules {
  double beyond;           // by so much more than its siblings' noise an excess stands out, in units of the noise
  double steep;            // what B parts ask for: steep ln B + 2 of the largest coarse count, in units of its noise
  double unplaced;         // of a^2 (1 - sum of squared shares): below, the maps already say where the excess lies
  double least;            // of a: with less, no part could be told from its siblings
  std::size_t most_parts;  // of a box
};
inline constexpr Rules kOfLeaves{8, 2.3, 100, 8, 6};
inline constexpr Rules kOfParts{0, 1.5, 50, 8, 6};
// With three maps and more the base is wrong more often, and the way down to a flow is longer.
inline constexpr Rules kOfLeavesOfManyMaps{2.2, 2.3, 100, 13, 6};
inline constexpr Rules kOfPartsOfManyMaps{-0.7, 3.5, 50, 13, 12};
inline const Rules& rules_of(std::size_t maps, bool parts) {
  if (maps <= 2) return parts ? kOfParts : kOfLeaves;
  return parts ? kOfPartsOfManyMaps : kOfLeavesOfManyMaps;
}

// Of what is left: a leaf's coarse count. A node that had too few trips to be divided is a leaf alone: all that is
// found there is excess, it is judged as one of kLoneSiblings, and of its budget less is needed to see it.
struct LeafShares {
  double leaf, alone;
};
inline LeafShares leaf_shares(std::size_t maps) { return maps <= 2 ? LeafShares{0.3, 0.25} : LeafShares{0.15, 0.15}; }
inline constexpr double kLoneSiblings = 30;
inline constexpr int kMostRounds = 14;

// Whether x trips too many, counted at e, are more than the noise of any of so many siblings would show.
bool stands_out(double x, double e, double siblings, const Rules& rules);

// Into how many parts a box is divided; below 2: not at all.
double parts_wanted(double a, const Rules& rules);

// Whether the maps already say where the excess lies, so that dividing tells little more. `shares`: of the parts under
// the base, which sum to 1.
bool is_placed(double a, std::span<const double> shares, const Rules& rules);

// The part of what is left that the coarse count of so many parts takes.
double coarse_share(double a, std::size_t parts);

}  // namespace stopover::excess
