// RowsSpec: which rows to read, and what trips to make of them; shared by cells, inspect and publish.
//
//   RowsSpec rows;
//   rows.source.input = "trips.parquet";
//   rows.trips.box = ...                     see TripRequest
//   Result<Ingest> in = open_rows(rows, observer);
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "domain/degree_box.h"
#include "ingest/ingest.h"
#include "job/field_values.h"
#include "job/observer.h"
#include "job/unit_spec.h"

namespace stopover {

// A public file of zones that stops lie in, see ZoneFile.
struct ZonesSpec {
  std::string file, id;
  std::vector<std::string> levels;
  bool overlaps = false;
};

struct RowsSpec {
  SourceRequest source;
  ColumnNames columns;
  TripRequest trips;  // but for its columns, box, grid and bound, which follow from the rest
  UnitSpec unit;
  // Declared, never taken from the data: the box itself, or a public GeoJSON file of zones whose box it is.
  std::optional<DegreeBox> box;
  std::string box_from;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> grid;  // columns and rows of every stop's map
  ZonesSpec zones;                                              // instead of box and grid
  std::optional<std::int64_t> since, until;                     // the first and the last day, from 1970-01-01
  std::string memory_limit;                                     // see IngestOptions
};

// The fields of rows, but for a table in memory. Fails (privacy) where the box or the grid is to be inferred.
void read_rows(FieldReader& fields, RowsSpec& spec);
// Of them encoding and delimiter: a bare matrix has those too.
void read_text_form(FieldReader& fields, TextForm& form);
// Of them grid: "1000x1000", or two numbers.
void read_grid(FieldReader& fields, std::optional<std::pair<std::uint32_t, std::uint32_t>>& grid);
// The names of fields that rows alone have, and a matrix of cells does not.
const std::vector<std::string>& fields_of_rows_alone();

// Fails (privacy) where the box or grid is missing, and where the unit was not said although a column is named, or
// looks (user_column.h), as if it said who somebody is; of JSON lines, whose columns are not known, whenever it was not
// said. `only_looking`: nothing will be published, so no unit is needed. `temp_folder`: see IngestOptions.
Result<Ingest> open_rows(const RowsSpec& spec, const Observer& observer, bool only_looking = false,
                         const std::string& temp_folder = "");

// duckdb or spark: who makes cells of rows. Fails (usage).
Result<SqlDialect::Engine> parse_engine(const std::string& name);

// "32x32x32x32"; of several parts "32x32x32x32 and 32x32x32x32x32x32".
std::string shapes_text(const std::vector<TripPart>& parts);

}  // namespace stopover
