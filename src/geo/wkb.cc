#include "geo/wkb.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "geo/geojson.h"

namespace stopover {
namespace {

class WkbReader {
 public:
  WkbReader(std::string_view bytes, std::string_view what) : bytes_(bytes), what_(what) {}

  bool at_end() const { return at_ == bytes_.size(); }
  bool is_point() const { return point_; }
  const PlanePoint& point() const { return place_; }

  // One geometry into the shape. Points only by themselves.
  Status geometry(Shape& shape, int depth = 0) {
    std::uint8_t order = 0;
    std::uint32_t type = 0;
    if (at_ >= bytes_.size()) return cut();
    order = static_cast<std::uint8_t>(bytes_[at_++]);
    if (order > 1) return fail("has a geometry of an unknown byte order");
    little_ = order == 1;
    if (!whole(type)) return cut();
    // Heights and measures: thousands in ISO's numbers, high bits in PostGIS's, where another bit announces a system.
    int numbers = 2 + ((type & 0x80000000U) != 0) + ((type & 0x40000000U) != 0);
    if ((type & 0x20000000U) != 0) {
      std::uint32_t system = 0;
      if (!whole(system)) return cut();
      if (Status fine = check_crs_name("EPSG:" + std::to_string(system), what_); !fine) return fine;
    }
    type &= 0x0fffffffU;
    if (type >= 1000 && type < 4000) {
      numbers += type / 1000 == 3 ? 2 : 1;
      type %= 1000;
    }
    switch (type) {
      case 1:
        if (depth > 0) break;
        point_ = true;
        return position(numbers, place_);
      case 3:
        return polygon(numbers, shape);
      case 6:
      case 7:
        return parts(shape, depth);
      default:
        break;
    }
    constexpr std::array<const char*, 8> kNames = {
        "Geometry",   "Point",           "LineString",   "Polygon",
        "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection"};
    return fail("is of type " + (type < kNames.size() ? std::string(kNames[type]) : std::to_string(type)) +
                ", which has no area");
  }

  Error fail(const std::string& why) const {
    return {Failure::bad_input, what_ + " " + why + "\n  Give a Polygon or MultiPolygon in well-known binary."};
  }

 private:
  Error cut() const { return fail("has a geometry that ends too early"); }

  template <typename T>
  bool raw(T& value) {
    if (bytes_.size() - at_ < sizeof(T)) return false;
    value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      const auto byte = static_cast<T>(static_cast<std::uint8_t>(bytes_[at_ + (little_ ? i : sizeof(T) - 1 - i)]));
      value = static_cast<T>(value | static_cast<T>(byte << (8 * i)));
    }
    at_ += sizeof(T);
    return true;
  }
  bool whole(std::uint32_t& value) { return raw(value); }

  Status position(int numbers, PlanePoint& p) {
    std::array<double, 4> values{};
    for (int i = 0; i < numbers; ++i) {
      std::uint64_t bits = 0;
      if (!raw(bits)) return cut();
      values[static_cast<std::size_t>(i)] = std::bit_cast<double>(bits);
    }
    p = {values[0], values[1]};
    if (p.x >= -180 && p.x <= 180 && p.y >= -90 && p.y <= 90) return {};
    char text[80];
    std::snprintf(text, sizeof text, " has the position [%.9g, %.9g], ", p.x, p.y);
    return check_position(p.x, p.y, what_ + text);
  }

  Status polygon(int numbers, Shape& shape) {
    std::uint32_t rings = 0;
    if (!whole(rings)) return cut();
    std::vector<Ring> polygon;
    for (std::uint32_t r = 0; r < rings; ++r) {
      std::uint32_t count = 0;
      if (!whole(count)) return cut();
      if (count > (bytes_.size() - at_) / 16) return cut();
      Ring ring(count);
      for (PlanePoint& p : ring) {
        if (Status fine = position(numbers, p); !fine) return fine;
      }
      if (ring.size() < 4 || ring.front() != ring.back()) {
        return fail("has a ring that is not closed or has fewer than 4 positions");
      }
      polygon.push_back(std::move(ring));
    }
    if (!polygon.empty()) shape.polygons.push_back(std::move(polygon));
    return {};
  }

  Status parts(Shape& shape, int depth) {
    std::uint32_t count = 0;
    if (!whole(count)) return cut();
    if (depth > 2) return fail("has collections in collections");
    for (std::uint32_t i = 0; i < count; ++i) {
      if (Status fine = geometry(shape, depth + 1); !fine) return fine;
    }
    return {};
  }

  std::string_view bytes_;
  std::string what_;
  std::size_t at_ = 0;
  bool little_ = true, point_ = false;
  PlanePoint place_;
};

class WkbWriter {
 public:
  void head(std::uint32_t type) {
    bytes_ += '\1';  // little-endian
    whole(type);
  }
  void whole(std::uint32_t value) { raw(value); }
  void point(PlanePoint point) {
    raw(std::bit_cast<std::uint64_t>(point.x));
    raw(std::bit_cast<std::uint64_t>(point.y));
  }
  void polygon(const std::vector<Ring>& rings) {
    head(3);
    whole(static_cast<std::uint32_t>(rings.size()));
    for (const Ring& ring : rings) {
      const bool open = !ring.empty() && ring.front() != ring.back();
      whole(static_cast<std::uint32_t>(ring.size() + (open ? 1 : 0)));
      for (const PlanePoint& corner : ring) point(corner);
      if (open) point(ring.front());
    }
  }
  std::string bytes() && { return std::move(bytes_); }

 private:
  template <typename T>
  void raw(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  }
  std::string bytes_;
};

}  // namespace

Result<std::variant<PlanePoint, Shape>> geometry_of_wkb(std::string_view bytes, std::string_view what) {
  WkbReader reader(bytes, what);
  Shape shape;
  if (Status fine = reader.geometry(shape); !fine) return fine.error();
  if (!reader.at_end()) return reader.fail("has bytes after its geometry");
  if (reader.is_point()) return std::variant<PlanePoint, Shape>(reader.point());
  Result<Shape> valid = checked(shape, what);
  if (!valid) return valid.error();
  return std::variant<PlanePoint, Shape>(std::move(*valid));
}

std::string wkb_of_point(PlanePoint point) {
  WkbWriter out;
  out.head(1);
  out.point(point);
  return std::move(out).bytes();
}

std::string wkb_of_rectangle(PlanePoint southwest, PlanePoint northeast) {
  WkbWriter out;
  out.polygon({{southwest, {northeast.x, southwest.y}, northeast, {southwest.x, northeast.y}}});
  return std::move(out).bytes();
}

std::string wkb_of_areas(const std::vector<std::vector<Ring>>& polygons) {
  WkbWriter out;
  out.head(6);
  out.whole(static_cast<std::uint32_t>(polygons.size()));
  for (const std::vector<Ring>& rings : polygons) out.polygon(rings);
  return std::move(out).bytes();
}

}  // namespace stopover
