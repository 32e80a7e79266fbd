#include "question/tally.h"

#include <array>
#include <map>
#include <string>
#include <utility>

#include "query/leaf_shares.h"

namespace stopover {
namespace {

constexpr double kMostWork = 3e8;

using Shares = std::vector<std::pair<std::uint32_t, double>>;  // unit, share

// Per stop: which of its places a leaf has, and what the units take of each place.
struct Places {
  std::map<std::array<std::uint32_t, 4>, std::uint32_t> numbers;
  std::vector<Shares> parts;

  std::uint32_t of(const BoxIndex& index, std::uint32_t node, const StopParts& units, std::size_t term) {
    const Plane& plane = units.all[0].alone->plane;
    const Interval x = index.side(node, plane.x);
    const Interval y = plane.y == kMaxAxes ? Interval{0, 1} : index.side(node, plane.y);
    const std::array<std::uint32_t, 4> sides{x.lo, x.hi, y.lo, y.hi};
    const auto [at, fresh] = numbers.try_emplace(sides, static_cast<std::uint32_t>(parts.size()));
    if (fresh) {
      Shares& list = parts.emplace_back();
      for (std::uint32_t u = 0; u < units.all.size(); ++u) {
        const PartPiece* piece = units.all[u].pieces[term].get();
        const double share = piece == nullptr ? 0 : plane_share(index, node, piece->plane);
        if (share > 0) list.emplace_back(u, share);
      }
    }
    return at->second;
  }
};

}  // namespace

Result<std::vector<double>> tally(const QueryEngine& engine, const Selection& rest, std::span<const StopParts> stops,
                                  Estimates estimates, const Patience& patience) {
  const BoxIndex& index = engine.index();
  std::size_t combinations = 1;
  for (const StopParts& units : stops) {
    if (units.all.empty()) return std::vector<double>();
    if (combinations > kMostCombinations / units.all.size()) {
      return Error{Failure::usage,
                   std::to_string(units.all.size()) + " zones or tiles at each of " + std::to_string(stops.size()) +
                       " stops are too many combinations\n  At most 4000000 are added up: name fewer stops with "
                       "`over`, or ask for `zones` of fewer, larger areas or for fewer `tiles`."};
    }
    combinations *= units.all.size();
  }
  std::vector<double> totals(combinations, 0.0);
  double work = 0;
  for (std::size_t term = 0; term < rest.terms.size(); ++term) {
    std::vector<Places> places(stops.size());
    std::map<std::vector<std::uint32_t>, double> masses;  // by place at each stop
    std::vector<std::uint32_t> key(stops.size());
    for (const LeafShare& leaf : leaf_shares(index, rest.terms[term].query)) {
      const Sums& sums = index.sums()[leaf.leaf];
      const double mass =
          rest.terms[term].sign * leaf.share * (estimates == Estimates::plain ? sums.count : sums.estimate);
      if (mass == 0) continue;
      if (patience.lost()) return Patience::error();
      for (std::size_t s = 0; s < stops.size(); ++s) key[s] = places[s].of(index, leaf.node, stops[s], term);
      masses[key] += mass;
    }
    for (const auto& [at, mass] : masses) {
      double each = 1;
      for (std::size_t s = 0; s < stops.size(); ++s) each *= static_cast<double>(places[s].parts[at[s]].size());
      work += each;
    }
    if (work > kMostWork) {
      return Error{Failure::usage,
                   "too many combinations to add up\n  Name fewer stops with `over`, or ask for `zones` of "
                   "fewer, larger areas or for fewer `tiles`."};
    }
    for (const auto& [at, mass] : masses) {
      if (patience.lost()) return Patience::error();
      const Shares& last = places.back().parts[at.back()];
      std::vector<std::size_t> pick(stops.size() - 1, 0);
      for (;;) {
        double share = mass;
        std::size_t row = 0;
        bool any = !last.empty();
        for (std::size_t s = 0; s + 1 < stops.size(); ++s) {
          const Shares& list = places[s].parts[at[s]];
          if (list.empty()) {
            any = false;
            break;
          }
          share *= list[pick[s]].second;
          row = row * stops[s].all.size() + list[pick[s]].first;
        }
        if (!any) break;
        double* const to = totals.data() + row * stops.back().all.size();
        for (const auto& [unit, part] : last) to[unit] += share * part;
        std::size_t s = pick.size();
        while (s > 0 && ++pick[s - 1] == places[s - 1].parts[at[s - 1]].size()) pick[--s] = 0;
        if (s == 0) break;
      }
    }
  }
  return totals;
}

}  // namespace stopover
