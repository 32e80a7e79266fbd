#include "ingest/zone_lookup.h"

#include <utility>

#include "base/bad_input.h"
#include "geo/zone_set_json.h"

namespace stopover {

Result<ZoneLookup> ZoneLookup::of(std::string_view zones) {
  const Result<ZoneSet> set = zone_set_of_text(zones);
  if (!set) return set.error();
  Result<ZoneLocator> locator = ZoneLocator::make(*set);
  if (!locator) return locator.error();
  return ZoneLookup(std::move(*locator));
}

Result<std::vector<std::int64_t>> ZoneLookup::numbers(std::span<const double> lng, std::span<const double> lat) const {
  if (lng.size() != lat.size()) return bad_input("there are more longitudes than latitudes, or fewer");
  std::vector<std::int64_t> made(lng.size());
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = locator_.locate(lng[i], lat[i]);
  return made;
}

}  // namespace stopover
