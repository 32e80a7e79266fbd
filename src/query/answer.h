// Answer: what a question to a release gives back.
//
// Two numbers answer "how many": `estimate` is the best one, `noise_lower`..`noise_upper` says what the noise alone
// leaves open. The interval is centred on the unprojected value (consistent: least squares; plain: the sum of the
// leaves' noisy counts), not on the non-negative estimate, and may lie partly below 0 or beside the estimate:
// projection is a choice, noise is a fact. It covers, with probability `level` or a little more, what the same
// partition would have answered without noise: the sum over leaves of covered share times true count. For an aligned
// box that is the truth itself; where leaves are cut, how trips lie inside them is another matter that this interval
// does not cover.
//
// `bounds_lower`..`bounds_upper` does, at any price: nobody of the cut leaves in the region, or all of them, and the
// noise besides (placement.h). `lower`..`upper` is the interval to act on: where the release is calibrated
// (calibration.h) or its mechanism tells how far leaves may be off (belief.h), the likely interval, meant to hold the
// truth with probability `level`; otherwise the bounds. It is never below 0, never beyond the bounds, and holds the
// estimate. `claimed` says whether it was measured to hold that often (coverage_claim.h).
//
// `median` is the best guess of this one number where estimates are made to add up (belief.h): a whole number.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "query/placement.h"

namespace stopover {

enum class Estimates {
  consistent,  // Table.estimate: least squares over all measurements, not negative, adding up
  plain,       // each leaf's own noisy count and nothing else: the paper's
};

std::string_view to_string(Estimates estimates);
Result<Estimates> parse_estimates(std::string_view text);

struct AnswerOptions {
  Estimates estimates = Estimates::consistent;
  double level = 0.95;    // REQUIRES: check_level passes
  bool intervals = true;  // false: estimate, partitions_cut and aligned only
  // How many answers' intervals shall all hold at once with probability `level` (Bonferroni). REQUIRES: at least 1.
  std::uint64_t together = 1;
  // For tables of many thousands: a noise interval that is never shorter than the exact one and at 95 % up to 9 %
  // longer (noise_reach in placement.h, and half a step), a hundred times sooner.
  bool quick = false;
  // Of two releases: how what is off in their counts beyond noise hangs together, as a correlation. It cancels in a
  // difference. REQUIRES: 0 to 1.
  double in_common = 0;

  // The level of each of them.
  double each_level() const { return 1 - (1 - level) / static_cast<double>(together < 1 ? 1 : together); }
};

// Beyond these, rounding would have the last word.
inline constexpr double kLeastLevel = 1e-6, kMostLevel = 1 - 1e-9;

// Fails (usage) unless kLeastLevel <= level <= kMostLevel.
Status check_level(double level);

struct Answer {
  double estimate = 0;
  double unprojected = 0;     // the interval's centre
  double noise_variance = 0;  // of the unprojected value
  double noise_lower = 0;
  double noise_upper = 0;
  double bounds_lower = 0;
  double bounds_upper = 0;
  double lower = 0;
  double upper = 0;
  double lone_upper = 0;  // of an interval that begins at 0, misses above alone and so ends sooner: see upper_alone
  std::optional<double> median{};  // of one `believed` count; not of sums and differences of answers
  bool calibrated = false;         // whether lower..upper is the likely interval
  bool believed = false;     // ... from what the mechanism tells of its leaves, which knows more than their noise does
  bool claimed = true;       // whether lower..upper is claimed to hold with probability `level`; bounds always are,
                             // but where single cells are listed (BoxIndex::lists_cells)
  bool ends_claimed = true;  // whether either end is claimed by itself, where lower..upper is
  std::string_view unclaimed{};  // why not, where it is the question's doing (coverage_claim.h): a clause
  Placement placement{};         // what bounds and interval were made from
  double level = 0;
  std::uint64_t partitions_cut = 0;  // leaves that are covered in part
  bool aligned = true;               // none is

  // An upper end that is missed half as often as the whole interval. `upper` is, but where an interval begins at 0.
  double upper_alone() const { return lone_upper > upper ? lone_upper : upper; }

  // Whether making the counts not negative and adding up moved the estimate away from the noise interval's centre.
  bool projected() const {
    const double gap = estimate < unprojected ? unprojected - estimate : estimate - unprojected;
    return gap > 1e-9 * (1 + (unprojected < 0 ? -unprojected : unprojected));
  }
};

// The numbers of an answer by the names that all faces give them, in the order of tables.
inline constexpr std::pair<const char*, double Answer::*> kAnswerNumbers[] = {{"estimate", &Answer::estimate},
                                                                              {"noise_lower", &Answer::noise_lower},
                                                                              {"noise_upper", &Answer::noise_upper},
                                                                              {"bounds_lower", &Answer::bounds_lower},
                                                                              {"bounds_upper", &Answer::bounds_upper},
                                                                              {"lower", &Answer::lower},
                                                                              {"upper", &Answer::upper}};

}  // namespace stopover
