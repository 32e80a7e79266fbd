// run_places: where rows lie, for the curator's eyes alone (ingest/place_columns.h). Spends and writes nothing.
//
//   Result<Places> places = run_places(rows, observer);     // a RowsSpec with `lat` and `lng`, or `points`
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ingest/place_columns.h"
#include "job/observer.h"
#include "job/rows_spec.h"

namespace stopover {

// SECRET: true counts and true places.
struct Places {
  bool has_box = false;
  std::vector<PlaceColumns> columns;
  std::string json() const;
};

// Without names: lat and lng; of trips o_lat,o_lng and d_lat,d_lng. Fails as place_columns does.
Result<Places> run_places(const RowsSpec& rows, const Observer& observer);

}  // namespace stopover
