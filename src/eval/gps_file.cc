#include "eval/gps_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "ingest/csv_lines.h"

namespace stopover {
namespace {

constexpr double kKmPerDegree = 111.32;
constexpr double kPi = 3.14159265358979323846;

struct Position {
  double lat = 0, lon = 0;
};

// Calls `row(trip_id, position)` for every good row.
template <typename Row>
Status read_rows(const std::string& path, bool trips, Row row) {
  Result<CsvLines> lines = CsvLines::open(path);
  if (!lines) return lines.error();
  std::vector<std::string> fields;
  std::size_t lat = 0, lon = 0, trip = 0, columns = 0;
  for (;;) {
    Result<bool> more = lines->next();
    if (!more) return more.error();
    if (!*more) break;
    const bool good = !lines->cut() && split_csv(lines->line(), fields);
    if (columns == 0) {
      const auto find = [&](const char* name) {
        return static_cast<std::size_t>(std::find(fields.begin(), fields.end(), name) - fields.begin());
      };
      lat = find("lat");
      lon = find("lon");
      trip = find("trip_id");
      columns = fields.size();
      for (const auto& [column, name] :
           {std::pair(lat, "lat"), std::pair(lon, "lon"), std::pair(trips ? trip : lat, "trip_id")}) {
        if (column >= columns) return Error{Failure::bad_input, fmt::format("{} has no column {}", path, name)};
      }
      continue;
    }
    if (!good || fields.size() != columns) continue;
    Position p;
    const auto number = [](const std::string& text, double& value) {
      return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc() && std::isfinite(value);
    };
    if (number(fields[lat], p.lat) && number(fields[lon], p.lon)) row(trips ? fields[trip] : fields[lat], p);
  }
  if (columns == 0) return Error{Failure::bad_input, path + " has no header"};
  return {};
}

Domain map_domain(const MapSquare& map, std::size_t stops) {
  std::vector<Axis> axes;
  std::vector<Stop> names;
  for (std::size_t s = 0; s < stops; ++s) {
    for (std::size_t axis : {2 * s, 2 * s + 1}) {
      axes.push_back(
          {std::string("a") += std::to_string(axis), map.grid, AxisKind::number, 0, static_cast<double>(map.grid), {}});
    }
    names.push_back({std::string("stop") += std::to_string(s + 1), {2 * s, 2 * s + 1}});
  }
  return *Domain::make(std::move(axes), std::move(names));
}

}  // namespace

std::optional<std::pair<std::uint32_t, std::uint32_t>> MapSquare::cell(double at_lat, double at_lon) const {
  const double north = (at_lat - lat) * kKmPerDegree / side_km + 0.5;
  const double east = (at_lon - lon) * kKmPerDegree * std::cos(lat * kPi / 180) / side_km + 0.5;
  if (!(north >= 0 && north < 1 && east >= 0 && east < 1)) return std::nullopt;
  return std::pair(static_cast<std::uint32_t>(east * grid), static_cast<std::uint32_t>(north * grid));
}

Result<Matrix> read_positions(const std::string& path, const MapSquare& map) {
  MatrixBuilder builder(map_domain(map, 1));
  const Status ok = read_rows(path, false, [&](const std::string&, Position p) {
    if (const auto cell = map.cell(p.lat, p.lon)) builder.add(std::array{cell->first, cell->second}, 1);
  });
  if (!ok) return ok.error();
  return std::move(builder).build();
}

Result<Matrix> read_trip_stops(const std::string& path, const MapSquare& map, std::size_t stops) {
  STOPOVER_CHECK(stops >= 2 && stops <= kMaxAxes / 2, "a trip has 2 to 6 stops");
  MatrixBuilder builder(map_domain(map, stops));
  std::string current;
  std::vector<Position> trip;
  const auto finish = [&] {
    std::vector<std::uint32_t> cells;
    for (std::size_t s = 0; s < stops && trip.size() >= stops; ++s) {
      const Position p = trip[(s * (trip.size() - 1) + (stops - 1) / 2) / (stops - 1)];
      const auto cell = map.cell(p.lat, p.lon);
      if (!cell) break;
      cells.push_back(cell->first);
      cells.push_back(cell->second);
    }
    if (cells.size() == 2 * stops) builder.add(cells, 1);
    trip.clear();
  };
  const Status ok = read_rows(path, true, [&](const std::string& id, Position p) {
    if (id != current) finish();
    current = id;
    trip.push_back(p);
  });
  if (!ok) return ok.error();
  finish();
  return std::move(builder).build();
}

}  // namespace stopover
