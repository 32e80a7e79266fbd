// RegionKind: one kind of region, as a row of a table (region_kinds.cc), which is all that knows it: what it is called,
// how it is typed, how it is written in JSON, what it means, and how it becomes cells of a stop.
//
// Both written forms follow from the row. A kind of the form `numbers`, {"circle", ..., {"lat", "lng", "km"}}, is typed
// circle:LAT,LNG,KM and written {"circle": [LAT, LNG, KM]}.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "question/region.h"
#include "question/stop_site.h"

namespace stopover {

// In the order of RegionValue.
enum class RegionForm {
  numbers,  // so many as there are names: typed by place, or by name as in lat=..,lng=..
  rows,     // a list of short lists of numbers
  texts,    // a list; in JSON one text may stand for itself
  shape,    // an area: GeoJSON, or one ring of points typed LNG LAT,LNG LAT,...
};

struct RegionKind {
  std::string_view name;
  std::string_view typed;    // what follows "name:" when typed, LAT,LNG,KM
  std::string_view json;     // the same in JSON, [LAT, LNG, KM]
  std::string_view example;  // of what follows "name:"
  std::string_view help;     // what lies in it, half a line
  RegionForm form = RegionForm::numbers;
  // Between numbers, rows or texts; '\0': a text that is not divided. `inner`: between the numbers of a row.
  char separator = ',';
  char inner = '\0';
  std::array<std::string_view, 4> names = {};  // of numbers; "" after the last
  std::size_t least = 1, most = 1;             // numbers of a row
  std::string_view row = "";                   // what a row is called: "a cell"
  bool in_cells = false;                       // numbers of cells: on another grid they are other places
  bool lists = false;                          // several values are all of them together, and lists can be joined

  std::size_t numbers() const;

  // One of the two or both. REQUIRES of their callers: the value fits.
  //
  // Adds it to what is asked of a stop. nullptr: its area is added.
  Status (*place)(const RegionValue& value, StopSite& site) = nullptr;
  // Its area, checked (shape.h), at a stop with a map: areas can be joined and taken away. nullptr: it has none.
  Result<Shape> (*area)(const RegionValue& value, const StopSite& site) = nullptr;
};

// Whether the value is of the kind's form: so many numbers, rows that are not too short or long, at least one text.
bool fits(const RegionKind& kind, const RegionValue& value);

std::span<const RegionKind> region_kinds();
// nullptr: there is none of that name.
const RegionKind* find_region_kind(std::string_view name);
std::span<const std::string> region_kind_names();

// "circle:LAT,LNG,KM, bbox:W,S,E,N, ... and anywhere": for help and errors.
std::string region_forms();

}  // namespace stopover
