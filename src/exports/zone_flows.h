// ZoneFlows: a release asked about zones: how many at each zone of each stop, and how many from zone to zone.
//
//   Result<Zones> zones = Zones::of_geojson(text, "zones.geojson");
//   Result<ZoneFlows> flows = ZoneFlows::make(release, *zones, false);
//   Answer a = flows->between(0, 3, 1, 7);       // from zone 3 at stop 0 to zone 7 at stop 1, other stops anywhere
//
// The numbers are those of `stopover query --stop origin=zone:A --stop destination=zone:B`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "exports/pair_estimates.h"
#include "query/answerer.h"
#include "query/query_engine.h"
#include "question/zones.h"
#include "release/release.h"
#include "synthetic/generate.h"
#include "synthetic/number_sequence.h"

namespace stopover {

class ZoneFlows {
 public:
  // The most answers of one table: 20,000 zones. Draws are counted whole, and have a limit of their own.
  static constexpr std::uint64_t kMostPairs = 400'000'000, kMostDrawnPairs = 36'000'000;

  // Of a release of zones these take the share of each of its zones that lies in them.
  // Fails (bad_input) where two zones overlap by more than a hundredth of the smaller, unless `overlaps`; where a stop
  // is on no map; and where the engine does.
  static Result<ZoneFlows> make(const Release& release, const Zones& zones, bool overlaps);
  // The release's own zones, which nothing cuts. Stops without them (an hour, a purpose) are left out.
  // REQUIRES: the domain has zones.
  static Result<ZoneFlows> of_own(const Release& release);

  std::size_t zones() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  std::size_t stops() const { return engine_->domain().stops().size(); }
  // What a reader should know: zones that reach beyond the box, or lie outside it.
  const std::vector<std::string>& notes() const { return notes_; }

  // The release, ready for questions.
  const QueryEngine& engine() const { return *engine_; }

  // From now on only trips in this region count; what is asked at the stop's own map must leave `stops` alone.
  // Fails (usage) where the region has a place at one of them that zones lie over. REQUIRES: it has the release's axes.
  Status narrow(const RegionQuery& filter, const std::vector<std::size_t>& stops);

  // Whether the zones are at that stop.
  bool at_stop(std::size_t stop) const { return !places_[stop].empty(); }

  // Each keeps its memory: one ZoneFlows a thread. REQUIRES: at_stop of each stop.
  Answer at(std::size_t stop, std::size_t zone);
  Answer between(std::size_t from, std::size_t zone_from, std::size_t to, std::size_t zone_to);
  // All pairs from zones first to last - 1: of one zone after the other. By several threads. A pair whose estimate is
  // below `least` has its estimate alone, to nine digits. Else the same answers as of `between`.
  std::vector<Answer> rows(std::size_t from, std::size_t first, std::size_t last, std::size_t to,
                           double least = 0) const;
  // All trips that count.
  Answer whole();
  // Fails (usage) when there are more than kMostPairs, or kMostDrawnPairs.
  Status check_pairs(bool drawn) const;

  // Trips counted from zone to zone, [from * zones() + to]; a trip in a cell that several zones share is in one of
  // them, drawn by area, or in none.
  std::vector<double> count(const SyntheticTrips& trips, std::size_t from, std::size_t to,
                            NumberSequence& numbers) const;

 private:
  struct Place {
    RegionQuery query;
    bool empty = false;
  };
  ZoneFlows() = default;
  // The query within the filter.
  RegionQuery narrowed(RegionQuery query) const;
  // What `between` asks; nothing where one of the zones is outside.
  std::optional<RegionQuery> pair(std::size_t from, std::size_t zone_from, std::size_t to, std::size_t zone_to) const;
  Answer ask(const RegionQuery& query);
  // The zone of a point in that cell of the stop's map; zones() for none.
  std::size_t draw_zone(std::size_t stop, std::uint32_t x, std::uint32_t y, NumberSequence& numbers) const;

  std::unique_ptr<QueryEngine> engine_;
  std::vector<std::size_t> own_axes_;   // of each stop, where the zones are the release's own
  std::unique_ptr<PairEstimates> own_;  // nullptr: they must be asked for one by one
  std::vector<std::string> names_;
  std::vector<std::string> notes_;
  std::vector<std::vector<Place>> places_;  // [stop][zone]
  std::optional<RegionQuery> filter_;
  std::unique_ptr<Answerer> answerer_;
};

}  // namespace stopover
