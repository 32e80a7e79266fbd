#include "eval/regrid.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "base/usage_error.h"

namespace stopover {
namespace {

bool is_place(const Axis& axis) { return axis.on_map() || axis.kind == AxisKind::number; }

}  // namespace

std::vector<StopPlane> stop_planes(const Domain& domain) {
  std::vector<StopPlane> planes;
  const auto is_number = [](const Axis& axis) { return axis.kind == AxisKind::number; };
  const bool bare = domain.stops().size() == domain.d() && domain.d() % 2 == 0 &&
                    std::all_of(domain.axes().begin(), domain.axes().end(), is_number);
  if (bare) {
    for (std::size_t axis = 0; axis < domain.d(); axis += 2) planes.push_back({axis, axis + 1});
    return planes;
  }
  for (const Stop& stop : domain.stops()) {
    std::vector<std::size_t> axes;
    for (const std::size_t axis : stop.axes) {
      if (is_place(domain.axis(axis))) axes.push_back(axis);
    }
    if (axes.size() >= 2) planes.push_back({axes[0], axes[1]});
  }
  return planes;
}

Result<Regrid> Regrid::make(const Matrix& fine, std::optional<std::pair<std::uint32_t, std::uint32_t>> grid) {
  const Domain& domain = fine.domain();
  if (!grid) return Regrid(fine, domain);
  std::vector<Axis> axes = domain.axes();
  for (const StopPlane& plane : stop_planes(domain)) {
    for (const auto& [axis, cells] : {std::pair(plane.x, grid->first), std::pair(plane.y, grid->second)}) {
      if (cells > axes[axis].cells) {
        return usage_error("a grid of " + std::to_string(grid->first) + "x" + std::to_string(grid->second) +
                           " is finer than the trips' own cells, of which axis " + axes[axis].name + " has " +
                           std::to_string(axes[axis].cells) +
                           "\n  Make the cells again with a finer `grid`, as in 1048576x1048576.");
      }
      axes[axis].cells = cells;
    }
  }
  Result<Domain> coarse = Domain::make(std::move(axes), domain.stops(), domain.shared_zones());
  if (!coarse) return coarse.error();
  return Regrid(fine, *std::move(coarse));
}

Matrix Regrid::matrix() const {
  MatrixBuilder builder(domain_);
  std::array<std::uint32_t, kMaxAxes> at{};
  for (std::size_t row = 0; row < fine_->keys().size(); ++row) {
    for (std::size_t axis = 0; axis < domain_.d(); ++axis) {
      at[axis] = cell(axis, fine_->keys_of_axes().cell(fine_->keys()[row], axis));
    }
    STOPOVER_CHECK(builder.add({at.data(), domain_.d()}, fine_->counts()[row]), "a coarse cell lies on its axis");
  }
  return std::move(builder).build();
}

Interval Regrid::around(std::size_t axis, double lo, double hi) const {
  const auto most = static_cast<double>(fine_width(axis));
  const double scale = most / static_cast<double>(width(axis));
  const double first = std::clamp(std::floor(lo * scale - 0.5), 0.0, most);
  const double last = std::clamp(std::ceil(hi * scale + 0.5), 0.0, most);
  return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)};
}

}  // namespace stopover
