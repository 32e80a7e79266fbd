#include "query/certified_interval.h"

#include <algorithm>
#include <cmath>

#include "query/probed_interval.h"

namespace stopover {
namespace {

constexpr double kLeastShare = 1e-4;  // of a map: what is claimed begins there too
constexpr double kLeastHeld = 0.5;    // less is not worth a word

}  // namespace

std::optional<CertifiedInterval> certified_interval(const Probes& probes, const Answer& answer,
                                                    const QuestionShape& shape, std::size_t stops, double level) {
  if (probes.missed_above.empty() || shape.cuts_cells || shape.least_share < kLeastShare || shape.free_stops >= stops)
    return {};
  const double scale = probe_scale(answer), centre = probe_centre(answer), signal = probe_signal(answer, scale);
  const std::size_t cell = Probes::cell(shape.free_stops > 0 && stops > 1 ? 1 : 0, Probes::class_of(signal));
  const double* above = probes.missed_above.data() + cell * Probes::kAbove.size();
  const double* below = probes.missed_below.data() + cell * Probes::kBelow.size();
  // Ends from 0 on never miss below. Of all pairs of edges that hold as often as is asked for, the shortest; where
  // there is none, the one that holds most often.
  std::optional<CertifiedInterval> best;
  const auto offer = [&](double lower, double missed_below, std::size_t edge) {
    const CertifiedInterval made{lower, std::max(0.0, centre + Probes::kAbove[edge] * scale),
                                 std::min(level, 1 - above[edge] - missed_below), 1 - Probes::kDoubt};
    if (made.share < kLeastHeld) return;
    if (!best || made.share > best->share ||
        (made.share == best->share && made.upper - made.lower < best->upper - best->lower))
      best = made;
  };
  for (std::size_t up = 1; up < Probes::kAbove.size(); ++up) {
    offer(0, 0, up);
    for (std::size_t down = 1; down < Probes::kBelow.size(); ++down) {
      const double lower = centre - Probes::kBelow[down] * scale;
      if (lower > 0) offer(lower, below[down], up);
    }
  }
  if (!best) return {};
  // The estimate is always inside, as in every interval.
  best->lower = std::min(best->lower, std::max(0.0, answer.estimate));
  best->upper = std::max(best->upper, answer.estimate);
  return best;
}

}  // namespace stopover
