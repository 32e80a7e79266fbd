// What a pair of columns says of where rows lie, before trips are made of them: how many rows have no usable position,
// whether latitude and longitude seem to be swapped, and a sample of places to draw. SECRET: for the curator's screen.
//
//   Result<std::vector<PlaceColumns>> places = place_columns(source, {{"lat", "lng"}}, box, false, options);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "domain/degree_box.h"
#include "ingest/ingest.h"
#include "ingest/source.h"

namespace stopover {

struct PlaceColumns {
  std::string lat, lng;  // their names, as they were declared
  std::uint64_t rows = 0;
  std::uint64_t missing = 0;         // one of the two is empty or no number
  std::uint64_t off_globe = 0;       // as declared: beyond 90 or 180 degrees
  std::uint64_t off_globe_else = 0;  // the same with both exchanged
  std::uint64_t in_box = 0, in_box_else = 0;
  std::vector<std::pair<double, double>> sample;  // longitude and latitude as declared

  // Whether most rows make sense with both columns exchanged, and not as declared: by the box where there is one, else
  // by what a latitude can be.
  bool swapped(bool has_box) const;
};

// At most so many places are in a sample, spread over all rows; the same ones every time.
inline constexpr std::uint64_t kPlacesDrawn = 1500;

// `pairs`: names of a latitude and a longitude each. Fails (bad_input) on a source that cannot be read or a column that
// is not there.
Result<std::vector<PlaceColumns>> place_columns(const SourceRequest& request,
                                                const std::vector<std::pair<std::string, std::string>>& pairs,
                                                const std::optional<DegreeBox>& box, bool decimal_comma,
                                                const IngestOptions& options);

}  // namespace stopover
