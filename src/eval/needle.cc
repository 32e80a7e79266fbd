#include "eval/needle.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "eval/limits.h"
#include "synthetic/number_sequence.h"

namespace stopover {
namespace {

constexpr std::uint64_t kPlaceBranch = 0x6e65656c, kSpreadBranch = 0x626c6f62;
constexpr std::uint32_t kBlobSide = 5;
constexpr int kStepsPerDoubling = 4;

// Sizes are tried at 2^(step/4) limits alone.
int step_of(double limits) { return static_cast<int>(std::lround(kStepsPerDoubling * std::log2(limits))); }
double limits_of(double step) { return std::exp2(step / kStepsPerDoubling); }

std::uint64_t trips_of(double limits, double limit) { return static_cast<std::uint64_t>(std::ceil(limits * limit)); }

// How many of the needles are found. `background`: the truth without them; `with`, `without`: what releases say.
std::size_t count_found(std::span<const double> with, std::span<const double> without,
                        std::span<const double> background, std::uint64_t trips) {
  const double half = static_cast<double>(trips) / 2;
  std::size_t found = 0;
  for (std::size_t i = 0; i < with.size(); ++i) {
    found += with[i] - background[i] >= half && without[i] - background[i] < half;
  }
  return found;
}

std::vector<double> counts_of(std::span<const Box> boxes, const RangeCounter& truth) {
  std::vector<double> counts;
  for (const Box& box : boxes) counts.push_back(static_cast<double>(truth.count(box)));
  return counts;
}

}  // namespace

Result<NeedleKind> parse_needle(std::string_view text) {
  NeedleKind kind{std::string(text), 1, 1, 0};
  if (const std::size_t mark = text.find('@'); mark != std::string_view::npos) {
    const std::string_view at = text.substr(mark + 1);
    const auto [end, error] = std::from_chars(at.data(), at.data() + at.size(), kind.at, std::chars_format::fixed);
    if (error != std::errc() || end != at.data() + at.size() || !(kind.at >= kLeastLimits && kind.at <= kMostLimits)) {
      return Error{Failure::usage, fmt::format("\"{}\" has no number of limits after the @\n  As in needle@4: from {} "
                                               "to {}.",
                                               kind.name, kLeastLimits, kMostLimits)};
    }
    text = text.substr(0, mark);
  }
  if (text == "needle") return kind;
  if (text == "blob") {
    kind.side = kBlobSide;
    return kind;
  }
  if (text.starts_with("needle")) {
    text.remove_prefix(6);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), kind.needles);
    if (error == std::errc() && end == text.data() + text.size() && kind.needles >= 1 && kind.needles <= kMostNeedles) {
      return kind;
    }
  }
  return Error{Failure::usage,
               "there are no needles \"" + kind.name + "\"\n  Use needle, needle20 or blob; needle@4 has 4 limits."};
}

Status check_needles(const NeedleKind& kind, const Domain& domain) {
  double covered = kind.needles;
  for (const Axis& axis : domain.axes()) {
    covered *= std::min(1.0, (2.0 * kNeedleReach + 1) / static_cast<double>(axis.cells));
  }
  if (covered <= kNeedleMostCovered) return {};
  return Error{Failure::usage,
               fmt::format("{} needs a larger domain: its boxes, {} cells a side, cover {:.0f} % of this one\n"
                           "  At most {:.0f} %, or trips that are merely spread out would pass for needles. Leave it "
                           "out of `workloads`.",
                           kind.name, 2 * kNeedleReach + 1, 100 * std::min(1.0, covered), 100 * kNeedleMostCovered)};
}

NeedlePlaces draw_needles(const NeedleKind& kind, const Domain& domain, std::uint64_t seed) {
  NeedlePlaces places;
  NumberSequence numbers(seed, kPlaceBranch);
  const Box whole = domain.whole();
  for (std::uint32_t needle = 0; needle < kind.needles; ++needle) {
    std::vector<std::uint32_t>& corner = places.corners.emplace_back();
    Box box = whole;
    for (std::size_t axis = 0; axis < whole.axes(); ++axis) {
      const std::uint32_t cells = whole[axis].hi, side = std::min(kind.side, cells);
      corner.push_back(static_cast<std::uint32_t>(numbers.below(cells - side + 1)));
      const std::uint32_t middle = corner.back() + side / 2;
      box[axis] = {middle > kNeedleReach ? middle - kNeedleReach : 0, std::min(cells, middle + kNeedleReach + 1)};
    }
    places.boxes.push_back(box);
  }
  return places;
}

Matrix with_needles(const NeedleKind& kind, const NeedlePlaces& places, const Matrix& matrix, std::uint64_t trips,
                    std::uint64_t seed) {
  MatrixBuilder builder(matrix.domain());
  const CellKeys& layout = matrix.keys_of_axes();
  const Box whole = matrix.domain().whole();
  std::vector<std::uint32_t> cell(layout.axes());
  for (std::size_t i = 0; i < matrix.keys().size(); ++i) {
    for (std::size_t axis = 0; axis < cell.size(); ++axis) cell[axis] = layout.cell(matrix.keys()[i], axis);
    builder.add(cell, matrix.counts()[i]);
  }
  for (std::size_t needle = 0; needle < places.corners.size(); ++needle) {
    if (kind.side == 1) {
      builder.add(places.corners[needle], trips);
      continue;
    }
    // One sequence per needle: fewer trips are the first ones of more trips.
    NumberSequence numbers(seed, kSpreadBranch + needle);
    for (std::uint64_t trip = 0; trip < trips; ++trip) {
      for (std::size_t axis = 0; axis < cell.size(); ++axis) {
        const std::uint32_t side = std::min(kind.side, whole[axis].hi);
        cell[axis] = places.corners[needle][axis] + static_cast<std::uint32_t>(numbers.below(side));
      }
      builder.add(cell, 1);
    }
  }
  return std::move(builder).build();
}

NeedleSize needle_size(const NeedleKind& kind, const Matrix& matrix, const RangeCounter& truth, double epsilon,
                       double k, std::uint64_t seed, const AskRelease& ask) {
  NeedleSize size;
  size.limit = needle_limit(matrix.domain(), epsilon, k);
  const NeedlePlaces places = draw_needles(kind, matrix.domain(), seed);
  const std::vector<double> without = ask(matrix, places.boxes);
  const std::vector<double> background = counts_of(places.boxes, truth);

  const auto share_found = [&](int step) {
    const std::uint64_t trips = trips_of(limits_of(step), size.limit);
    const std::vector<double> with = ask(with_needles(kind, places, matrix, trips, seed), places.boxes);
    return static_cast<double>(count_found(with, without, background, trips)) / static_cast<double>(with.size());
  };

  // What lies between `under`, where fewer than half are found, and `over`, where half or more are. The ends beyond the
  // range are taken for granted.
  const int many = step_of(kManyLimits), most = step_of(kMostLimits);
  size.found_many = share_found(many);
  int under = step_of(kLeastLimits) - 1, over = many;
  if (size.found_many < 0.5) {
    under = many;
    over = most;
    if (share_found(most) < 0.5) {
      size.limits = kNeverFound;
      return size;
    }
  }
  while (over - under > 1) {
    const int middle = under + (over - under) / 2;
    (share_found(middle) >= 0.5 ? over : under) = middle;
  }
  size.limits = limits_of(over - 0.5);
  return size;
}

NeedlesFound needles_found(const NeedleKind& kind, const Matrix& matrix, const RangeCounter& truth, double epsilon,
                           double k, std::span<const std::uint64_t> seeds, const AskRelease& ask) {
  NeedlesFound result;
  result.limit = needle_limit(matrix.domain(), epsilon, k);
  const std::uint64_t trips = trips_of(kind.at, result.limit);
  for (const std::uint64_t seed : seeds) {
    const NeedlePlaces places = draw_needles(kind, matrix.domain(), seed);
    const std::vector<double> without = ask(matrix, places.boxes);
    const std::vector<double> with = ask(with_needles(kind, places, matrix, trips, seed), places.boxes);
    result.asked += places.boxes.size();
    result.found += count_found(with, without, counts_of(places.boxes, truth), trips);
  }
  return result;
}

}  // namespace stopover
