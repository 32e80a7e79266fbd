// The public areas of a publication (`borders`): which of them every cell of the stops' map lies in.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "domain/domain.h"
#include "mechanism/borders.h"

namespace stopover {

struct PublishBorders {
  std::shared_ptr<const Borders> borders;
  std::string mark;  // for the release: how many areas, and the hash of their file
};

// A file of areas as `zones` takes it (GeoJSON, GeoParquet); overlaps are allowed: the first area has the place. Fails
// (usage, bad_input) where the file has no areas, none of them lies on the map, or stops have no map or
// different ones.
Result<PublishBorders> read_borders(const std::string& path, const Domain& domain);

}  // namespace stopover
