// Needle: how many trips must a flow have that nobody foresaw, before a release shows it? SECRET wherever data is real.
//
//   Result<NeedleKind> kind = parse_needle("needle20");
//   const NeedleSize size = needle_size(*kind, matrix, truth, 0.5, 1, seed, ask);
//   size.limits;                                      // 16: sixteen times what theory allows
//
// Kinds:
//   needle     T more trips, all in one cell (of all axes together) drawn uniformly
//   needleN    N such needles at once, T trips each: needle20
//   blob       T more trips, spread evenly over 5 cells of every axis: 5 x 5 cells per stop
// A needle is asked for by the box of 10 cells on either side of its middle. It is found where the answer exceeds what
// the box holds without the needle by T/2 or more, and the release made of the data without the needle, with the same
// key, does not say so too: noise alone finds nothing.
// The size is where half of the needles are found: T is tried at 16 limits (eval/limits.h), then bisected in steps of a
// quarter of a power of two between 1/2 and 64 limits, always with the same places and the same key. One size of one
// needle is a draw; the median over repetitions (other places, other keys) is the size that is found half of the time.
// Whether half are found of a given size is asked more surely at that size alone: needle@4, needle20@4, blob@4 have T
// of 4 limits, and the share found is told (needles_found).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/box.h"
#include "eval/range_counter.h"
#include "matrix/matrix.h"

namespace stopover {

struct NeedleKind {
  std::string name;
  std::uint32_t needles = 1;
  std::uint32_t side = 1;  // cells of every axis that the trips of a needle lie in; all of a shorter one
  double at = 0;           // T in limits; 0: sought
};

inline constexpr std::uint32_t kNeedleReach = 10;  // cells of the box on either side
inline constexpr std::uint32_t kMostNeedles = 1000;
inline constexpr double kLeastLimits = 0.5, kManyLimits = 16, kMostLimits = 64;
// What stands for a needle that is not found at kMostLimits either.
inline constexpr double kNeverFound = 2 * kMostLimits;

// Fails (usage) naming the text.
Result<NeedleKind> parse_needle(std::string_view text);

// Boxes of all needles of a repetition may cover so much of the domain: where they cover more, trips that are merely
// spread out would pass for needles.
inline constexpr double kNeedleMostCovered = 0.1;

// Fails (usage) where they do.
Status check_needles(const NeedleKind& kind, const Domain& domain);

// Where needles of one repetition lie.
struct NeedlePlaces {
  std::vector<std::vector<std::uint32_t>> corners;  // [needle][axis]: lowest cell
  std::vector<Box> boxes;                           // [needle]: to be asked for
};

// The same for the same arguments, on every machine. REQUIRES: check_needles passed.
NeedlePlaces draw_needles(const NeedleKind& kind, const Domain& domain, std::uint64_t seed);

// `matrix` with `trips` more in every needle.
Matrix with_needles(const NeedleKind& kind, const NeedlePlaces& places, const Matrix& matrix, std::uint64_t trips,
                    std::uint64_t seed);

struct NeedleSize {
  double limit = 0;       // trips
  double limits = 0;      // size of a needle found half of the time; kNeverFound where there is none up to kMostLimits
  double found_many = 0;  // share of the needles found at kManyLimits
  double trips() const { return limits * limit; }
};

// Answers for boxes from a release of this matrix. Called with matrices that differ by needles alone; to be made with
// the same key every time.
using AskRelease = std::function<std::vector<double>(const Matrix&, std::span<const Box>)>;

// `truth` is of `matrix`; `k`: most trips of one unit. REQUIRES: check_needles passed, epsilon > 0.
NeedleSize needle_size(const NeedleKind& kind, const Matrix& matrix, const RangeCounter& truth, double epsilon,
                       double k, std::uint64_t seed, const AskRelease& ask);

struct NeedlesFound {
  double limit = 0;  // trips
  std::size_t asked = 0, found = 0;
};

// Needles of kind.at limits, a release of its own for each of `seeds` (kind.needles places each). REQUIRES: as
// needle_size; kind.at > 0.
NeedlesFound needles_found(const NeedleKind& kind, const Matrix& matrix, const RangeCounter& truth, double epsilon,
                           double k, std::span<const std::uint64_t> seeds, const AskRelease& ask);

}  // namespace stopover
