// ExportSpec: what to make of a release.
//
//   ExportSpec spec{.release = "sf.odr", .as = "omx", .output = "od.omx", .zones = "zones.geojson"};
//   Result<Exported> exported = run_export(spec, observer);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "job/field_values.h"
#include "query/answer.h"

namespace stopover {

struct ExportSpec {
  std::string release, as, output;
  bool overwrite = false;
  std::string layer;                   // geojson: partitions (default), stops, flows, zones
  std::optional<std::uint64_t> top;    // flows: the largest
  std::optional<std::uint64_t> tiles;  // geojson stops: rectangles along a side where a stop has no map of its own
  std::string zones, zone_name;        // a GeoJSON file or its text (or h3:8), and the property with the names
  std::vector<std::string> where;      // zones, omx: STOP=REGION; only trips that are there count
  bool overlaps = false, summary = false;
  std::optional<double> at_least;  // tables and flows of zones: leave out pairs of fewer trips, as estimated
  std::string from, to;            // two different stops; by default the first and the last
  std::optional<std::uint64_t> draws, n, seed;
  std::optional<Estimates> estimates;  // dense
  std::string expand;                  // a factor, or a CSV file with one per zone of origin
  std::string fix_totals;              // a CSV file of totals that the pairs shall meet
  std::string hours;                   // sumo, matsim: the part of the day that trips begin in; "": all of it
  std::string mode;                    // matsim: of all legs; "": car
  bool sparse = false;                 // omx: the pairs in compressed rows, too
  bool integers = false;               // whole numbers that add up, beside the estimates

  // The names of the fields that were set, besides release, as, output and overwrite.
  std::vector<std::string> given() const;
};

// From the fields of a face. Fails (usage).
Result<ExportSpec> read_export(const FieldValues& values);

}  // namespace stopover
