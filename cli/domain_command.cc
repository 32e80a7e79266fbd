#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.h"
#include "ingest/zones_box.h"
#include "job/parse_number.h"
#include "text/figure_text.h"

namespace stopover {
namespace {

struct DomainOptions {
  std::string verb, zones, metres;
};

// What lies inside a cell no release can tell apart, so that an area's edge that cuts cells makes its intervals wider;
// small cells cost no accuracy (docs/internals/intervals.md), only memory for the maps.
constexpr double kFineMetres = 25, kMostCells = 2000;

Status run_domain(const DomainOptions& o, const Session& session) {
  if (o.verb != "suggest") {
    return Error{
        Failure::usage,
        fmt::format("stopover domain cannot \"{}\"\n  There is: stopover domain suggest zones.geojson", o.verb)};
  }
  std::optional<double> asked;
  if (!o.metres.empty()) {
    const Result<double> metres = parse_decimal("cell_metres", o.metres);
    if (!metres) return metres.error();
    if (*metres < 1 || *metres > 1e6)
      return Error{Failure::usage, fmt::format("--cell-metres must be from 1 to 1000000, not {}", o.metres)};
    asked = *metres;
  }
  const Result<DegreeBox> zones = read_zones_box(o.zones);
  if (!zones) return zones.error();
  const DegreeBox box = widened(*zones, 0.01);
  constexpr double metres_per_degree = 111'195;
  const double high = (box.north - box.south) * metres_per_degree;
  const double wide =
      (box.east - box.west) * metres_per_degree * std::cos((box.south + box.north) / 2 * 3.14159265358979323846 / 180);
  const double metres = asked ? *asked : std::max(kFineMetres, std::ceil(std::max(wide, high) / kMostCells));
  const auto cells = [&](double side) { return std::max(1.0, std::ceil(side / metres)); };
  const std::string bbox = fmt::format("{:.2f},{:.2f},{:.2f},{:.2f}", box.west, box.south, box.east, box.north);
  const std::string grid = fmt::format("{:.0f}x{:.0f}", cells(wide), cells(high));
  if (session.terminal.json()) {
    session.terminal.print(nlohmann::ordered_json{{"bbox", bbox},
                                                  {"grid", grid},
                                                  {"width_km", rounded(wide / 1000)},
                                                  {"height_km", rounded(high / 1000)},
                                                  {"area_spread", rounded(area_spread(box))}}
                               .dump(2));
  } else {
    session.terminal.print(fmt::format("--bbox {} --grid {}", bbox, grid));
    session.terminal.note(fmt::format(
        "{:.1f} km x {:.1f} km, cells of about {:.0f} m, from {} alone\n  Cells in the south and in the north "
        "differ by {:.1f} % in area.",
        wide / 1000, high / 1000, metres, o.zones, 100 * area_spread(box)));
  }
  return {};
}

}  // namespace

void add_domain(Cli& cli) {
  const auto o = std::make_shared<DomainOptions>();
  CLI::App& app =
      cli.command({"domain",
                   "suggest a bounding box and grid from a public file of zones",
                   {"stopover domain suggest zones.geojson", "stopover domain suggest zones.geojson --cell-metres 250"},
                   "The zones must be public (a city's districts, a country's outline). Never draw them around the "
                   "trips: a box fitted to "
                   "them tells where the outermost one was."},
                  [o](const Session& session) { return run_domain(*o, session); });
  option(app, "verb", o->verb, "VERB", "suggest")->required();
  option(app, "zones", o->zones, "FILE", "GeoJSON")->required();
  option(app, "--cell-metres", o->metres, "M", "side of a cell (25, or what makes 2000 cells of the longer side)");
}

}  // namespace stopover
