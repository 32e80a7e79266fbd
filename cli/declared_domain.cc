#include "cli/declared_domain.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/split.h"
#include "base/usage_error.h"
#include "ingest/trip_request.h"

namespace stopover {
namespace {

Result<BoundingBox> parse_bbox(const std::string& text) {
  if (text == "auto") {
    return Error{Failure::privacy,
                 "the bounding box must be declared, not taken from the data.\n"
                 "  A box fitted to the trips tells where the outermost trip was.\n"
                 "  Use --bbox W,S,E,N"};
  }
  return parse_bounding_box(text);
}

Result<std::vector<Stop>> parse_stops(const std::string& text, const std::vector<std::uint64_t>& shape) {
  std::vector<Stop> stops;
  if (text.empty()) return stops;
  const std::vector<std::string> names = split(text, ',');
  if (shape.size() % names.size() != 0) {
    return usage_error(fmt::format("{} axes cannot be shared out to {} stops (--stops {})", shape.size(), names.size(), text));
  }
  const std::size_t each = shape.size() / names.size();
  for (std::size_t i = 0; i < names.size(); ++i) {
    Stop& stop = stops.emplace_back(Stop{names[i], {}});
    for (std::size_t a = 0; a < each; ++a) stop.axes.push_back(i * each + a);
  }
  return stops;
}

}  // namespace

Result<Domain> declared_domain(const DomainFlags& flags) {
  if (flags.shape.empty() || flags.shape == "auto") {
    return Error{Failure::privacy,
                 "the domain must be declared, not taken from the data.\n"
                 "  A shape fitted to the trips tells where the outermost trip was.\n"
                 "  Use --shape with the cells of every axis, as in --shape 32x32x32x32"};
  }
  std::optional<BoundingBox> bounds;
  if (!flags.bbox.empty()) {
    const Result<BoundingBox> box = parse_bbox(flags.bbox);
    if (!box) return box.error();
    bounds = *box;
  }
  const Result<std::vector<std::uint64_t>> shape = Domain::parse_shape(flags.shape);
  if (!shape) return shape.error();
  const Result<std::vector<Stop>> stops = parse_stops(flags.stops, *shape);
  if (!stops) return stops.error();
  const Result<Domain> plain = Domain::of_shape(*shape);
  if (!plain || (stops->empty() && !bounds)) return plain;
  std::vector<Axis> axes = plain->axes();
  std::vector<Stop> groups = *stops;
  if (bounds) {
    if (axes.size() % 2 != 0 || (!groups.empty() && groups[0].axes.size() != 2)) {
      return usage_error(fmt::format("--bbox needs two axes a stop, longitude and latitude; --shape {} {}", flags.shape,
                               groups.empty() ? "has an odd number" : "and --stops " + flags.stops + " do not have them"));
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const bool east = i % 2 == 0;
      axes[i].kind = east ? AxisKind::longitude : AxisKind::latitude;
      axes[i].lower = east ? bounds->west : bounds->south;
      axes[i].upper = east ? bounds->east : bounds->north;
      if (stops->empty() && east) groups.push_back({fmt::format("stop{}", i / 2 + 1), {i, i + 1}});
    }
  }
  return Domain::make(std::move(axes), std::move(groups));
}

}  // namespace stopover
