// Zones from a table: CSV, text or Parquet.
#pragma once

#include "base/result.h"
#include "zones/zone_file.h"
#include "zones/zone_list.h"

namespace stopover {

// With a column of geometries, with columns of latitude and longitude, of H3 cells, or of names alone; looked for in
// this order. Fails as zone_file.h says.
Result<ZoneList> zones_of_table(const ZoneFile& file, bool parquet);

}  // namespace stopover
