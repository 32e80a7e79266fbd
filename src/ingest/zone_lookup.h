// ZoneLookup: which zones places lie in, where the rows are, on another machine perhaps. The zones came as a text.
//
//   Result<ZoneLookup> zones = ZoneLookup::of(text);      // of zone_set_text (geo/zone_set_json.h)
//   zones->numbers(longitudes, latitudes);                // -1: in none
//
// The same numbers as DuckDB's `zone_at`: both ask a ZoneLocator.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "geo/zone_locator.h"

namespace stopover {

class ZoneLookup {
 public:
  // Fails (bad_input, usage) on what is no text of zones, and on zones that are no areas.
  static Result<ZoneLookup> of(std::string_view zones);

  // Fails (bad_input) on spans of different lengths.
  Result<std::vector<std::int64_t>> numbers(std::span<const double> lng, std::span<const double> lat) const;

 private:
  explicit ZoneLookup(ZoneLocator locator) : locator_(std::move(locator)) {}
  ZoneLocator locator_;
};

}  // namespace stopover
