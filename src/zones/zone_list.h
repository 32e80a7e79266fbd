// ZoneList: zones as they stand in a file, before they are looked at together.
#pragma once

#include <string>
#include <vector>

#include "domain/zone_set.h"
#include "geo/shape.h"

namespace stopover {

struct ZoneList {
  struct Entry {
    std::string id;
    std::vector<std::string> groups;
    PlanePoint place;  // of points
    Shape shape;       // of polygons, checked
  };
  std::vector<Entry> entries;
  ZoneForm form = ZoneForm::names;
  const char* entry_name = "row";  // what an entry is called in messages: "feature 3"
};

// "zones.csv: zone "12" (row 3)", for messages. `number` counts from 0.
inline std::string called(const std::string& path, const std::string& id, const char* entry, std::size_t number) {
  return path + ": zone \"" + id + "\" (" + entry + " " + std::to_string(number + 1) + ")";
}

}  // namespace stopover
