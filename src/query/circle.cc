#include "query/circle.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/portable_math.h"
#include "base/usage_error.h"

namespace stopover {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kDegree = kPi / 180;
constexpr std::size_t kFewest = 16, kMost = 2048;
constexpr double kTolerance = 1e-3;  // of a cell

std::string shown(double value) {
  std::string text = std::to_string(value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

Status check_circle(const Circle& c) {
  const std::string what = "circle " + shown(c.lat) + "," + shown(c.lon) + "," + shown(c.km);
  if (!(c.lat >= -90 && c.lat <= 90) || !(c.lon >= -180 && c.lon <= 180)) {
    const bool swapped = c.lon >= -90 && c.lon <= 90 && c.lat >= -180 && c.lat <= 180;
    return usage_error(
        what + " has its centre off the globe\n  A circle is LAT,LNG,KM." +
        (swapped ? " Latitude comes first: did you mean " + shown(c.lon) + "," + shown(c.lat) + "," + shown(c.km) + "?"
                 : " Latitudes go from -90 to 90, longitudes from -180 to 180."));
  }
  if (!(c.km > 0)) return usage_error(what + " has no area\n  The radius is in kilometres and must be above 0.");
  if (c.km > kPi * kEarthRadiusKm) {
    return usage_error(what + " is larger than the Earth\n  The radius is in kilometres, at most 20015.");
  }
  return {};
}

// The haversine formula: unlike the law of cosines it keeps its digits for places that are near each other.
double distance_km(double lat1, double lon1, double lat2, double lon2) {
  const double s = portable_sin((lat2 - lat1) * kDegree / 2), t = portable_sin((lon2 - lon1) * kDegree / 2);
  const double h = s * s + portable_cos(lat1 * kDegree) * portable_cos(lat2 * kDegree) * t * t;
  // Rounding may bring h a little above 1 for places on opposite sides.
  return 2 * kEarthRadiusKm * portable_asin(h < 1 ? std::sqrt(h) : 1);
}

double circle_error(std::size_t half_points) {
  // A chord is furthest from its arc in the middle: 1 - cos(step/2), about step^2/8 of the radius.
  const double step = kPi / static_cast<double>(half_points - 1);
  return step * step / 8;
}

std::size_t circle_points(const Circle& circle, double degrees_per_cell) {
  const double radius = circle.km / kEarthRadiusKm / kDegree;
  // A degree of longitude is shorter by cos(latitude), so a circle covers more of them. Near the poles this is cut off.
  double stretch = portable_cos((circle.lat < 0 ? -circle.lat : circle.lat) * kDegree);
  stretch = std::max(stretch, 1e-2);
  // The error in cells is cells step^2/8 with step = pi/(points - 1): solved for points at kTolerance.
  const double cells = radius / stretch / degrees_per_cell;
  const double points = std::ceil(kPi * std::sqrt(cells / (8 * kTolerance))) + 1;
  return points <= kFewest ? kFewest : points >= kMost ? kMost : static_cast<std::size_t>(points);
}

std::vector<Ring> circle_rings(const Circle& circle, std::size_t half_points) {
  const double step = kPi / static_cast<double>(half_points - 1);
  // A polygon of so many corners at this distance has the circle's area.
  // With corners at R, a polygon of 2 pi/step corners has the area (pi/step) R^2 sin(step); it is pi r^2 for R = r
  // sqrt(step/sin(step)). As on a plane, which is near enough.
  const double widen = std::sqrt(step / portable_sin(step));
  // The radius as an angle at the Earth's centre; at most half the way around.
  const double angle = std::min(circle.km / kEarthRadiusKm * (half_points > 2 ? widen : 1.0), kPi);
  const double lat = circle.lat * kDegree;
  const double sin_lat = portable_sin(lat), cos_lat = portable_cos(lat);
  const double sin_d = portable_sin(angle), cos_d = portable_cos(angle);
  // sin and cos of the bearing go on by the angle addition formulas.
  const double turn_sin = portable_sin(step), turn_cos = portable_cos(step);

  // The eastern edge from north to south; the western one is its mirror image.
  Ring east(half_points);
  double sine = 0, cosine = 1;
  for (std::size_t i = 0; i < half_points; ++i) {
    // Computed anew every 64 steps, so that rounding does not add up; at both ends exactly on the meridian.
    if (i % 64 == 0 || i + 1 == half_points) {
      const double bearing = i + 1 == half_points ? kPi : step * static_cast<double>(i);
      sine = i == 0 || i + 1 == half_points ? 0 : portable_sin(bearing);
      cosine = portable_cos(bearing);
    }
    // The place at the angular distance d from the centre in the direction `bearing`: sin(lat') = sin(lat) cos(d) +
    // cos(lat) sin(d) cos(bearing), and the difference in longitude by atan2, right in all quadrants.
    const double z = std::clamp(sin_lat * cos_d + cos_lat * sin_d * cosine, -1.0, 1.0);
    const double away = portable_atan2(sine * sin_d * cos_lat, cos_d - sin_lat * z);
    east[i] = {away / kDegree, portable_asin(z) / kDegree};
    const double next = sine * turn_cos + cosine * turn_sin;
    cosine = cosine * turn_cos - sine * turn_sin;
    sine = next;
  }

  std::vector<Ring> rings(1);
  Ring& ring = rings[0];
  ring.reserve(2 * half_points);
  // West from north to south, then east from south to north: counterclockwise. Points on the meridian itself belong to
  // both and are taken once.
  for (std::size_t i = 0; i < half_points; ++i) ring.push_back({circle.lon - east[i].x, east[i].y});
  for (std::size_t i = half_points; i-- > 0;) {
    if (east[i].x > 0) ring.push_back({circle.lon + east[i].x, east[i].y});
  }
  // A circle around a pole holds all longitudes beyond the place where its edge comes down on the other side.
  const auto cap = [&](double from, double to) {
    rings.push_back(
        {{circle.lon - 180, from}, {circle.lon + 180, from}, {circle.lon + 180, to}, {circle.lon - 180, to}});
  };
  if (lat + angle > kPi / 2) cap(east.front().y, 90);
  if (lat - angle < -kPi / 2) cap(-90, east.back().y);
  return rings;
}

}  // namespace stopover
