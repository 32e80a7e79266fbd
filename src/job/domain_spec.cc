#include "job/domain_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>
#include <vector>

#include "base/split.h"
#include "base/usage_error.h"
#include "ingest/trip_request.h"

namespace stopover {
namespace {

constexpr const char* kMustDeclare =
    "the domain must be declared, not taken from the data.\n"
    "  A shape fitted to the trips tells where the outermost trip was.\n"
    "  Use `shape` with the cells of every axis, as in `shape 32x32x32x32`";

Result<std::vector<Stop>> groups_of(const std::vector<std::string>& names, const std::vector<std::uint64_t>& shape) {
  std::vector<Stop> stops;
  if (names.empty()) return stops;
  if (shape.size() % names.size() != 0) {
    return usage_error(fmt::format("{} axes cannot be shared out to {} stops (`stops {}`)", shape.size(), names.size(),
                                   fmt::join(names, ",")));
  }
  const std::size_t each = shape.size() / names.size();
  for (std::size_t i = 0; i < names.size(); ++i) {
    Stop& stop = stops.emplace_back(Stop{names[i], {}});
    for (std::size_t a = 0; a < each; ++a) stop.axes.push_back(i * each + a);
  }
  return stops;
}

}  // namespace

Result<Domain> declared_domain(const DomainSpec& spec) {
  if (spec.shape.empty()) return Error{Failure::privacy, kMustDeclare};
  const Result<std::vector<Stop>> stops = groups_of(spec.stops, spec.shape);
  if (!stops) return stops.error();
  const Result<Domain> plain = Domain::of_shape(spec.shape);
  if (!plain || (stops->empty() && !spec.box)) return plain;
  std::vector<Axis> axes = plain->axes();
  std::vector<Stop> groups = *stops;
  if (spec.box) {
    if (axes.size() % 2 != 0 || (!groups.empty() && groups[0].axes.size() != 2)) {
      return usage_error(
          fmt::format("`bbox` needs two axes per stop, longitude and latitude; `shape {}` {}", plain->shape_text(),
                      groups.empty() ? "has an odd number"
                                     : fmt::format("and `stops {}` do not have them", fmt::join(spec.stops, ","))));
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const bool east = i % 2 == 0;
      axes[i].kind = east ? AxisKind::longitude : AxisKind::latitude;
      axes[i].lower = east ? spec.box->west : spec.box->south;
      axes[i].upper = east ? spec.box->east : spec.box->north;
      if (stops->empty() && east) groups.push_back({fmt::format("stop{}", i / 2 + 1), {i, i + 1}});
    }
  }
  return Domain::make(std::move(axes), std::move(groups));
}

void read_box(FieldReader& fields, std::optional<DegreeBox>& box) {
  std::vector<double> edges;
  if (fields.is_text("bbox")) {
    fields.parsed("bbox", box, parse_bounding_box);
  } else if (fields.has("bbox") && (fields.decimals("bbox", edges), !fields.failed())) {
    if (edges.size() == 4) {
      box = DegreeBox{edges[0], edges[1], edges[2], edges[3]};
      if (Status s = check_box(*box); !s) fields.fail(s.error());
    } else {
      fields.fail(
          usage_error(fmt::format("`bbox` must be west, south, east, north in degrees, not {} numbers", edges.size())));
    }
  }
}

void read_domain(FieldReader& fields, DomainSpec& spec) {
  const auto parse_shape = [](const std::string& text) -> Result<std::vector<std::uint64_t>> {
    if (text == "auto") return Error{Failure::privacy, kMustDeclare};
    return Domain::parse_shape(text);
  };
  std::vector<double> cells;
  if (fields.is_text("shape")) {
    fields.parsed("shape", spec.shape, parse_shape);
  } else if (fields.has("shape") && (fields.decimals("shape", cells), !fields.failed())) {
    std::vector<std::string> sides;
    for (const double side : cells) sides.push_back(fmt::format("{}", side));
    const Result<std::vector<std::uint64_t>> shape = Domain::parse_shape(fmt::format("{}", fmt::join(sides, "x")));
    shape ? void(spec.shape = *shape) : fields.fail(shape.error());
  }
  fields.names("stops", spec.stops);
  read_box(fields, spec.box);
}

Result<Domain> declared_domain(const FieldValues& values) {
  FieldReader fields(values);
  DomainSpec spec;
  read_domain(fields, spec);
  if (Status s = fields.done(); !s) return s.error();
  return declared_domain(spec);
}

}  // namespace stopover
