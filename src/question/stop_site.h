// StopSite: one stop of a release while it is found out what a question asks there. RegionTree kinds add to it;
// everything that was added must hold. Internal to this room.
//
//   StopSite site(engine, stop, zones, notes, patience);
//   if (Status s = site.place(region); !s) return s.error();
//   Result<StopRegion> asked = site.finish();
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/query_engine.h"
#include "question/patience.h"
#include "question/region.h"
#include "question/zones.h"

namespace stopover {

class StopSite {
 public:
  // What it is given must outlive it. `notes` gets what a reader should know besides what QueryEngine::ask says.
  StopSite(const QueryEngine& engine, std::size_t stop, const Zones& zones, std::vector<std::string>& notes,
           const Patience& patience);

  // Fails (usage) where the stop has nothing of that kind, a name is unknown, or areas are joined with what is none;
  // (interrupted) when patience is lost.
  Status place(const RegionTree& region);
  // Fails (usage) for an area that is outside the release's box and would be inside with its coordinates swapped.
  Result<StopRegion> finish();

  const QueryEngine& engine() const { return engine_; }
  const Domain& domain() const { return engine_.domain(); }
  const Zones& zones() const { return zones_; }
  const std::vector<std::size_t>& axes() const { return domain().stops()[region_.stop].axes; }
  std::size_t stop() const { return region_.stop; }
  const std::string& name() const { return domain().stops()[region_.stop].name; }
  // " (stop origin)", after the value in an error.
  std::string at_stop() const { return " (stop " + name() + ")"; }
  // Whether areas can be asked of the stop: it has a map, or zones that lie somewhere. Fails (usage) saying so.
  Status has_map() const;

  // Narrow what is asked.
  // The area of a kind that has one. Fails (usage) at a stop without a map, and as the kind does.
  Status add_area(const RegionKind& kind, const RegionValue& value);
  void add(Shape shape);
  void add(std::size_t axis, Span span);
  void add_line(std::size_t axis, Coverage line);
  void add_cells(std::vector<std::pair<std::uint32_t, std::uint32_t>> cells);
  // Zones of a zone axis by their ids, or groups of zones by their names. Fails (usage) with the nearest ones.
  Status add_zones(std::size_t axis, const std::vector<std::string>& names);
  // Cells of one axis by their labels. Fails (usage) with the nearest ones.
  Status add_labels(std::size_t axis, const std::vector<std::string>& labels);
  // Two areas as one. Fails (usage) where that cannot be done exactly.
  Result<Shape> joined(const Shape& a, const Shape& b) const { return combined(RegionTree::Node::any_of, a, b); }
  // Whether the shape so far has no more corners than patience takes; fails (usage) naming `what`.
  Status check_corners(const std::string& what) const;
  // What is said of an area with its coordinates swapped (usage).
  Error swapped() const;
  void note(std::string text) { notes_.push_back(std::move(text)); }

 private:
  Result<Interval> cells_of_zone(std::size_t axis, const std::string& zone) const;
  Result<Shape> area(const RegionTree& region) const;
  Result<Shape> combined(RegionTree::Node node, const Shape& a, const Shape& b) const;
  Status check_swapped() const;
  void take_zones(std::size_t axis);

  const QueryEngine& engine_;
  const Zones& zones_;
  std::vector<std::string>& notes_;
  const Patience& patience_;
  StopRegion region_;
  std::optional<Shape> shape_;
};

// Fails (usage) with the nearest names.
Result<std::size_t> stop_of(const Domain& domain, std::string_view name);

}  // namespace stopover
