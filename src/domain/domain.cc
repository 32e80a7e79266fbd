#include "domain/domain.h"

#include <array>
#include <bit>
#include <charconv>
#include <set>
#include <span>

#include "base/usage_error.h"

namespace stopover {
namespace {

constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 31;
constexpr int kMaxBits = 168;  // six stops of 16384 x 16384

int bits_of(std::span<const Axis> axes) {
  int bits = 0;
  for (const Axis& axis : axes) bits += std::bit_width(axis.cells - 1);
  return bits;
}

Status check_stops(const std::vector<Stop>& stops, std::size_t d) {
  std::vector<bool> used(d, false);
  std::set<std::string> names;
  for (const Stop& stop : stops) {
    if (stop.name.empty() || !names.insert(stop.name).second) {
      return usage_error("stop names must be given and differ, not \"" + stop.name + "\"");
    }
    if (stop.axes.empty()) return usage_error("stop " + stop.name + " has no axis");
    for (std::size_t i = 0; i < stop.axes.size(); ++i) {
      const std::size_t axis = stop.axes[i];
      if (axis >= d || used[axis] || (i > 0 && stop.axes[i - 1] >= axis)) {
        return usage_error("stop " + stop.name + " must list existing axes in order, none of another stop");
      }
      used[axis] = true;
    }
  }
  for (std::size_t i = 0; i < d; ++i) {
    if (!used[i]) return usage_error("axis number " + std::to_string(i) + " belongs to no stop");
  }
  return {};
}

}  // namespace

Result<Domain> Domain::make(std::vector<Axis> axes, std::vector<Stop> stops, std::shared_ptr<const ZoneSet> zones) {
  if (axes.empty() || axes.size() > kMaxAxes) {
    return usage_error("a domain has 1 to 12 axes, not " + std::to_string(axes.size()));
  }
  std::set<std::string> names;
  for (const Axis& axis : axes) {
    if (Status ok = axis.check(); !ok) return ok.error();
    if (!names.insert(axis.name).second) return usage_error("two axes are named \"" + axis.name + "\"");
    if (zones && axis.kind == AxisKind::zone && axis.labels != zones->ids()) {
      return usage_error("axis " + axis.name + " has other cells than the zones");
    }
  }
  if (const int bits = bits_of(axes); bits > kMaxBits) {
    return usage_error("the shape is too large: a cell needs " + std::to_string(bits) +
                       " bits and may need at most 168" + "\n  Use fewer axes or fewer cells per axis.");
  }
  if (stops.empty()) {
    for (std::size_t i = 0; i < axes.size(); ++i) stops.push_back({axes[i].name, {i}});
  }
  if (Status ok = check_stops(stops, axes.size()); !ok) return ok.error();
  Domain domain;
  domain.axes_ = std::move(axes);
  domain.stops_ = std::move(stops);
  domain.zones_ = std::move(zones);
  return domain;
}

bool Domain::operator==(const Domain& other) const {
  const bool same_zones = zones_ == other.zones_ || (zones_ && other.zones_ && *zones_ == *other.zones_);
  return same_zones && axes_ == other.axes_ && stops_ == other.stops_;
}

Result<Domain> Domain::of_shape(const std::vector<std::uint64_t>& shape) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 || shape[i] > kMaxCells) {
      return usage_error("axis a" + std::to_string(i) + " must have 1 to 2147483648 cells, not " +
                         std::to_string(shape[i]));
    }
    const auto cells = static_cast<std::uint32_t>(shape[i]);
    axes.push_back({"a" + std::to_string(i), cells, AxisKind::number, 0, static_cast<double>(cells), {}});
  }
  return make(std::move(axes));
}

Result<std::vector<std::uint64_t>> Domain::parse_shape(std::string_view text) {
  const auto bad = [&] {
    return usage_error("a shape is cells per axis joined by x, such as 1000x1000, not \"" + std::string(text) + "\"");
  };
  std::vector<std::uint64_t> shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    std::uint64_t cells = 0;
    const auto [next, error] = std::from_chars(at, end, cells);
    if (error == std::errc::result_out_of_range) {
      return usage_error("the shape \"" + std::string(text) + "\" overflows: an axis has at most 2147483648 cells");
    }
    if (error != std::errc() || shape.size() > kMaxAxes) return bad();
    shape.push_back(cells);
    if (next == end) return shape;
    if (*next != 'x') return bad();
    at = next + 1;
  }
}

bool Domain::has_keys() const { return bits_of(axes_) <= kMaxKeyBits; }

Status Domain::check_keys() const {
  if (has_keys()) return {};
  return usage_error(
      "the shape " + shape_text() + " is too large for memory: a cell needs " + std::to_string(bits_of(axes_)) +
      " bits and may need at most 126 there\n  Publish it from Parquet with `counts_from stream`, or use "
      "fewer cells per axis.");
}

Box Domain::whole() const {
  std::array<Interval, kMaxAxes> sides;
  for (std::size_t i = 0; i < d(); ++i) sides[i] = {0, axes_[i].cells};
  return Box(std::span(sides.data(), d()));
}

std::string Domain::shape_text() const {
  std::string text;
  for (const Axis& axis : axes_) text += (text.empty() ? "" : "x") + std::to_string(axis.cells);
  return text;
}

int Domain::find_axis(std::string_view name) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int Domain::find_stop(std::string_view name) const {
  for (std::size_t i = 0; i < stops_.size(); ++i) {
    if (stops_[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace stopover
