#include "question/stop_parts.h"

#include <algorithm>
#include <cstdio>

#include "question/stop_site.h"
#include "question/twelve_digits.h"
#include "question/zone_shares.h"

namespace stopover {
namespace {

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

// How much of the smaller of two zones surely lies in the other too, cell by cell.
double overlap(const Coverage& a, double area_a, const Coverage& b, double area_b) {
  const Interval x = intersect(a.x, b.x), y = intersect(a.y, b.y);
  double twice = 0;
  for (std::uint32_t i = x.lo; i < x.hi; ++i) {
    for (std::uint32_t j = y.lo; j < y.hi; ++j) twice += std::max(0.0, a.weight(i, j) + b.weight(i, j) - 1);
  }
  const double smaller = std::min(area_a, area_b);
  return smaller > 0 ? twice / smaller : 0;
}

Status check_overlaps(const std::vector<StopPart>& units, const std::vector<Coverage>& drawn, bool allowed,
                      std::vector<std::string>& notes, const Patience& patience) {
  constexpr double kSlivers = 0.01;
  std::vector<double> areas;
  for (const Coverage& c : drawn) areas.push_back(c.area());
  double worst = 0;
  std::size_t one = 0, two = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (patience.lost()) return Patience::error();
    for (std::size_t j = i + 1; j < drawn.size(); ++j) {
      const double share = overlap(drawn[i], areas[i], drawn[j], areas[j]);
      if (share <= worst) continue;
      worst = share;
      one = i;
      two = j;
    }
  }
  if (worst <= 1e-6) return {};
  const std::string what = "zones \"" + units[one].name + "\" and \"" + units[two].name + "\" overlap by " +
                           percent(worst) + " of the smaller one";
  if (worst > kSlivers && !allowed) {
    return Error{Failure::bad_input,
                 what +
                     "\n  A table would count trips there twice. Give zones that do not overlap, or say that it is "
                     "meant: `overlaps`."};
  }
  notes.push_back(what + ": trips there are counted in both");
  return {};
}

StopPart part_of(std::string name, RegionTree region, PartPiece alone) {
  return {std::move(name), std::move(region), std::make_shared<const PartPiece>(std::move(alone)), {}};
}

Result<StopParts> zone_units(const QueryEngine& engine, const Request& request, std::size_t stop,
                             std::vector<std::string>& notes) {
  const Domain& domain = engine.domain();
  const auto [x, y] = *engine.map_axes(stop);
  const PlaneSpan within{{request.box.lo[x], request.box.hi[x]}, {request.box.lo[y], request.box.hi[y]}};
  StopParts units{stop, {}};
  std::vector<Coverage> drawn;
  std::size_t outside = 0;
  std::uint64_t touched = 0;
  for (const Zone& zone : request.zones->all()) {
    if (request.patience.lost()) return Patience::error();
    const std::vector<Ring> rings = engine.to_cells(stop, zone.shape.rings());
    const std::uint64_t cells = Coverage::cells_of(rings, within);
    if (cells > Coverage::kMaxCells) {
      return Error{Failure::usage,
                   "zone \"" + zone.name + "\" spans more than 67108864 cells\n  Tables need smaller zones."};
    }
    touched += cells;
    if (touched > request.patience.zone_cells) {
      return Error{Failure::usage, "the zones together span more than " + std::to_string(request.patience.zone_cells) +
                                       " cells\n  Ask with fewer or smaller ones."};
    }
    Coverage coverage = Coverage::of_rings(rings, within);
    if (coverage.area() <= 0) {
      ++outside;
      continue;
    }
    units.all.push_back(part_of(zone.name, RegionTree::zone(zone.name),
                                {make_plane(engine.index(), x, y, coverage), true, BoxQuery::whole(domain)}));
    drawn.push_back(std::move(coverage));
  }
  if (outside > 0) {
    notes.push_back(std::to_string(outside) + " of " + std::to_string(request.zones->all().size()) +
                    " zones lie outside the release's box and are left out");
  }
  if (Status s = check_overlaps(units.all, drawn, request.overlaps, notes, request.patience); !s) return s.error();
  return units;
}

// The asked zones over the release's own: each takes shares of those it meets.
Result<StopParts> zones_of_zones(const QueryEngine& engine, const Request& request, std::size_t stop,
                                 std::vector<std::string>& notes) {
  const std::size_t axis = engine.zone_axis(stop);
  if (Status s = engine.check_plane(stop, axis, kMaxAxes); !s) return s.error();
  StopParts units{stop, {}};
  std::vector<Coverage> drawn;
  std::size_t outside = 0, cutting = 0;
  for (const Zone& zone : request.zones->all()) {
    if (request.patience.lost()) return Patience::error();
    ZoneShares shares = shares_of(*engine.domain().zones(), zone.shape);
    if (shares.touched == 0) {
      ++outside;
      continue;
    }
    cutting += shares.cut > 0 ? 1 : 0;
    units.all.push_back(
        part_of(zone.name, RegionTree::zone(zone.name),
                {make_plane(engine.index(), axis, kMaxAxes, shares.line), true, BoxQuery::whole(engine.domain())}));
    drawn.push_back(std::move(shares.line));
  }
  const std::string of_all = " of " + std::to_string(request.zones->all().size()) + " zones ";
  if (outside > 0) notes.push_back(std::to_string(outside) + of_all + "meet none of the release's and are left out");
  if (cutting > 0)
    notes.push_back(std::to_string(cutting) + of_all + "cut some of the release's: shares of their area");
  if (Status s = check_overlaps(units.all, drawn, request.overlaps, notes, request.patience); !s) return s.error();
  return units;
}

StopParts label_units(const QueryEngine& engine, std::size_t stop, std::size_t axis) {
  StopParts units{stop, {}};
  const std::vector<std::string>& labels = engine.domain().axis(axis).labels;
  for (std::uint32_t i = 0; i < labels.size(); ++i) {
    BoxQuery within = BoxQuery::whole(engine.domain());
    within.lo[axis] = i;
    within.hi[axis] = i + 1.0;
    const Coverage one = Coverage::of_span({{static_cast<double>(i), i + 1.0}, {0, 1}});
    units.all.push_back(part_of(labels[i], RegionTree::category({labels[i]}),
                                {make_plane(engine.index(), axis, kMaxAxes, one), false, within}));
  }
  return units;
}

// A column of a chessboard: A to Z, then AA.
std::string letters(std::size_t column) {
  std::string text(1, static_cast<char>('A' + column % 26));
  return column < 26 ? text : letters(column / 26 - 1) + text;
}

StopParts tile_units(const QueryEngine& engine, std::size_t stop, std::size_t side) {
  const Domain& domain = engine.domain();
  const auto [x, y] = part_axes(engine, stop);
  const bool map = static_cast<bool>(engine.map_axes(stop));
  const auto edge = [&](std::size_t axis, std::size_t parts, std::size_t i) {
    return axis == kMaxAxes ? static_cast<double>(i)
                            : static_cast<double>(static_cast<std::uint64_t>(domain.axis(axis).cells) * i / parts);
  };
  const std::size_t across = std::min<std::size_t>(side, domain.axis(x).cells);
  const std::size_t up = y == kMaxAxes ? 1 : std::min<std::size_t>(side, domain.axis(y).cells);
  StopParts units{stop, {}};
  for (std::size_t i = 0; i < across; ++i) {
    for (std::size_t j = 0; j < up; ++j) {
      const PlaneSpan span{{edge(x, across, i), edge(x, across, i + 1)}, {edge(y, up, j), edge(y, up, j + 1)}};
      BoxQuery within = BoxQuery::whole(domain);
      within.lo[x] = span.x.lo;
      within.hi[x] = span.x.hi;
      if (y != kMaxAxes) {
        within.lo[y] = span.y.lo;
        within.hi[y] = span.y.hi;
      }
      RegionTree region;
      std::string name = std::to_string(i) + (y == kMaxAxes ? "" : "/" + std::to_string(j));
      if (map) {
        const bool lon_first = domain.axis(x).kind == AxisKind::longitude;
        const auto degrees = [&](std::size_t axis, double cell) {
          return twelve_digits(domain.axis(axis).edge(static_cast<std::uint32_t>(cell)));
        };
        const std::size_t lon = lon_first ? x : y, lat = lon_first ? y : x;
        const Span &east = lon_first ? span.x : span.y, &north = lon_first ? span.y : span.x;
        region = RegionTree::bbox(degrees(lon, east.lo), degrees(lat, north.lo), degrees(lon, east.hi),
                                  degrees(lat, north.hi));
        name = letters(lon_first ? i : j) + std::to_string((lon_first ? j : i) + 1);
      } else {
        RegionRows sides = {{span.x.lo, span.x.hi}};
        if (y != kMaxAxes) sides.push_back({span.y.lo, span.y.hi});
        region = RegionTree::box(std::move(sides));
      }
      units.all.push_back(part_of(std::move(name), std::move(region),
                                  {make_plane(engine.index(), x, y, Coverage::of_span(span)), false, within}));
    }
  }
  return units;
}

// What of a part lies in the regions that a term has at the stop, as asking for both would have it.
Result<std::shared_ptr<const PartPiece>> piece_within(const QueryEngine& engine, const Request& request,
                                                      const RequestTerm& term, std::size_t stop, const StopPart& part) {
  std::vector<std::string> unused;
  StopSite site(engine, stop, *request.zones, unused, request.patience);
  for (const RegionTree& fact : term.facts.at(stop)) {
    if (Status s = site.place(fact); !s) return s.error();
  }
  if (Status s = site.place(part.region); !s) return s.error();
  Result<StopRegion> placed = site.finish();
  if (!placed) return placed.error();
  // Hours and purposes stay with the term.
  const auto [x, y] = part_axes(engine, stop);
  std::erase_if(placed->lines, [&](const auto& line) { return line.first != x && line.first != y; });
  std::erase_if(placed->spans, [&](const auto& span) { return span.first != x && span.first != y; });
  BoxQuery box = BoxQuery::whole(engine.domain());
  for (const std::size_t axis : {x, y}) {
    if (axis == kMaxAxes) continue;
    box.lo[axis] = request.box.lo[axis];
    box.hi[axis] = request.box.hi[axis];
  }
  Result<Asked> asked = engine.ask(box, {&*placed, 1});
  if (!asked) return asked.error();
  if (asked->query.empty()) return std::shared_ptr<const PartPiece>();
  PartPiece piece{{}, !asked->query.planes.empty(), BoxQuery::whole(engine.domain())};
  if (piece.drawn) {
    piece.plane = asked->query.planes[0];
  } else {
    const BoxQuery& sides = asked->query.box;
    const Span up = y == kMaxAxes ? Span{0, 1} : Span{sides.lo[y], sides.hi[y]};
    piece.plane = make_plane(engine.index(), x, y, Coverage::of_span({{sides.lo[x], sides.hi[x]}, up}));
    piece.within = sides;
  }
  return std::make_shared<const PartPiece>(std::move(piece));
}

Status set_pieces(const QueryEngine& engine, const Request& request, StopParts& units) {
  for (const RequestTerm& term : request.asked.terms) {
    const auto here = std::find_if(term.regions.begin(), term.regions.end(),
                                   [&](const StopRegion& region) { return region.stop == units.stop; });
    const bool cut = here != term.regions.end() && on_plane(engine, *here);
    for (StopPart& part : units.all) {
      if (request.patience.lost()) return Patience::error();
      if (!cut) {
        part.pieces.push_back(part.alone);
        continue;
      }
      Result<std::shared_ptr<const PartPiece>> piece = piece_within(engine, request, term, units.stop, part);
      if (!piece) return piece.error();
      part.pieces.push_back(std::move(*piece));
    }
  }
  return {};
}

Result<StopParts> parts_of(const QueryEngine& engine, const Request& request, std::size_t stop, std::size_t usual,
                           std::vector<std::string>& notes) {
  if (!request.zones->empty()) {
    if (engine.map_axes(stop)) return zone_units(engine, request, stop, notes);
    if (engine.zone_axis(stop) != kMaxAxes) return zones_of_zones(engine, request, stop, notes);
  }
  const auto [x, y] = part_axes(engine, stop);
  const bool labelled = y == kMaxAxes && engine.domain().axis(x).labelled();
  if (labelled && engine.check_plane(stop, x, kMaxAxes)) {
    if (request.tiles > 0) {
      notes.push_back("stop " + engine.domain().stops()[stop].name +
                      " has zones or labels, and no tiles: every one is listed");
    }
    return label_units(engine, stop, x);
  }
  if (Status s = engine.check_plane(stop, x, y); !s) return s.error();
  const std::size_t side = request.tiles > 0 ? request.tiles : usual;
  if (engine.map_axes(stop)) {
    notes.push_back("tiles have the names of a chessboard of " + std::to_string(side) + " by " + std::to_string(side) +
                    " over the map, A1 in the south-west; zones would have their own");
  }
  return tile_units(engine, stop, side);
}

}  // namespace

void PartPiece::add_to(RegionQuery& query) const {
  if (drawn) {
    query.add(plane);
  } else {
    query.box = intersect(query.box, within);
  }
}

Selection narrowed(const Selection& rest, std::span<const StopPart* const> parts) {
  Selection made;
  for (std::size_t t = 0; t < rest.terms.size(); ++t) {
    const bool empty =
        std::any_of(parts.begin(), parts.end(), [&](const StopPart* part) { return part->pieces[t] == nullptr; });
    if (empty) continue;
    SelectionTerm& term = made.terms.emplace_back(rest.terms[t]);
    for (const StopPart* part : parts) part->pieces[t]->add_to(term.query);
  }
  return made;
}

Result<StopParts> units_of(const QueryEngine& engine, const Request& request, std::size_t stop, std::size_t usual,
                           std::vector<std::string>& notes) {
  Result<StopParts> units = parts_of(engine, request, stop, usual, notes);
  if (!units) return units;
  if (Status s = set_pieces(engine, request, *units); !s) return s.error();
  return units;
}

}  // namespace stopover
