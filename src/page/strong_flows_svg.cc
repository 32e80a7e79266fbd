#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/markup.h"
#include "page/basemap.h"
#include "page/strong_flows.h"
#include "page/template.h"

namespace stopover {
namespace {

constexpr double kWidth = 520, kHeight = 400;

using Numbers = std::vector<std::size_t>;  // of flows

struct Extent {
  double west = 180, south = 90, east = -180, north = -90;

  void add(const PlanePoint& at) {
    west = std::min(west, at.x), east = std::max(east, at.x);
    south = std::min(south, at.y), north = std::max(north, at.y);
  }
  double side() const { return std::max(east - west, north - south); }
  double gap(const Extent& other) const {
    return std::max({west - other.east, other.west - east, south - other.north, other.south - north, 0.0});
  }
};

Extent extent_of(const StrongFlows& flows, const Numbers& some) {
  Extent extent;
  for (const std::size_t i : some) {
    for (const PlanePoint& at : flows.flows[i].at) extent.add(at);
  }
  return extent;
}

// Flows that lie far from each other are drawn on maps of their own, or all would be dots: at most three.
std::vector<Numbers> far_apart(const StrongFlows& flows) {
  Numbers all;
  for (std::size_t i = 0; i < flows.flows.size(); ++i) all.push_back(i);
  const double whole = extent_of(flows, all).side();
  std::vector<Numbers> parts;
  for (const std::size_t i : all) {
    Numbers own = {i};
    for (std::size_t k = parts.size(); k-- > 0;) {
      if (extent_of(flows, parts[k]).gap(extent_of(flows, own)) > 0.25 * whole) continue;
      own.insert(own.begin(), parts[k].begin(), parts[k].end());
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(k));
    }
    std::sort(own.begin(), own.end());
    parts.push_back(own);
  }
  const bool small = std::all_of(parts.begin(), parts.end(),
                                 [&](const Numbers& part) { return extent_of(flows, part).side() < 0.4 * whole; });
  if (!flows.zones || !small || parts.size() > 3) return {all};
  std::sort(parts.begin(), parts.end());
  return parts;
}

class MapPainter {
 public:
  MapPainter(const StrongFlows& flows, const Release& release, Numbers some, double height)
      : flows_(flows), release_(release), some_(std::move(some)), height_(height) {
    look();
  }

  std::string paint(double y) {
    out_ = fmt::format(
        "<svg y=\"{2:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\"><rect "
        "width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#e6eef1\"/>",
        kWidth, height_, y);
    ground();
    places();
    for (auto i = some_.rbegin(); i != some_.rend(); ++i) way(flows_.flows[*i]);
    for (const std::size_t i : some_) number(i);
    scale();
    where();
    return out_ + "</svg>\n";
  }

 private:
  // Around the flows, with room, as wide as the picture is.
  void look() {
    const auto [west, south, east, north] = extent_of(flows_, some_);
    middle_ = {(west + east) / 2, (south + north) / 2};
    squeeze_ = std::max(0.05, std::cos(middle_.y * M_PI / 180));
    const double room = flows_.zones ? 0.003 : flows_.side_km / 111.2;
    const double across = std::max((east - west) * squeeze_ * 1.25, 1e-4) + 2 * room;
    const double up = std::max((north - south) * 1.25, 1e-4) + 2 * room;
    scale_ = std::min(kWidth / across, height_ / up);
  }

  PlanePoint pixel(const PlanePoint& at) const {
    return {kWidth / 2 + (at.x - middle_.x) * squeeze_ * scale_, height_ / 2 - (at.y - middle_.y) * scale_};
  }

  bool seen(const PlanePoint& p) const { return p.x > 0 && p.y > 0 && p.x < kWidth && p.y < height_; }

  void ground() {
    const double across = kWidth / (squeeze_ * scale_), up = height_ / scale_;
    const Basemap map =
        cut_basemap(world_map(), {middle_.x - across, middle_.y - up, middle_.x + across, middle_.y + up});
    const auto lines = [&](const std::vector<BasemapLine>& all) {
      std::string d;
      for (const BasemapLine& line : all) {
        double x = 0, y = 0;
        for (std::size_t i = 0; i + 1 < line.size(); i += 2) {
          x += line[i], y += line[i + 1];
          const PlanePoint p = pixel({x / 1e4, y / 1e4});
          d += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", p.x, p.y);
        }
      }
      return d;
    };
    out_ += fmt::format("<path d=\"{}\" fill=\"#f6f4ee\" stroke=\"#9fb2ba\" fill-rule=\"evenodd\"/>", lines(map.land));
    out_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#d5d0c2\"/>", lines(map.borders));
    std::size_t shown = 0;
    for (const BasemapTown& town : map.towns) {
      const PlanePoint p = pixel({town.lon, town.lat});
      if (!seen(p) || p.y < 14 || shown == 7) continue;
      const bool left = p.x > kWidth - 80;
      if (std::any_of(taken_.begin(), taken_.end(),
                      [&](const PlanePoint& t) { return std::abs(t.x - p.x) < 90 && std::abs(t.y - p.y) < 18; }))
        continue;
      taken_.push_back(p);
      ++shown;
      towns_ += fmt::format(
          "<text text-anchor=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"13\" fill=\"#6a7078\" stroke=\"#f6f4ee\" "
          "stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
          left ? "end" : "start", p.x + (left ? -5 : 5), p.y - 5, escape_markup(town.name));
    }
    taken_.clear();
  }

  void places() {
    std::string d;
    if (flows_.zones) {
      const ZoneSet& zones = *release_.domain.zones();
      constexpr std::size_t kMostCorners = 60'000;
      std::size_t corners = 0;
      for (const ZoneRecord& zone : zones.all()) {
        if (const PlanePoint p = pixel(zone.place); !seen(p)) continue;
        for (const std::vector<Ring>& polygon : zone.polygons) {
          corners += polygon[0].size();
          if (corners > kMostCorners) break;
          for (std::size_t i = 0; i < polygon[0].size(); ++i) {
            const PlanePoint p = pixel(polygon[0][i]);
            d += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", p.x, p.y);
          }
          d += "z";
        }
        if (zone.polygons.empty()) {
          const PlanePoint p = pixel(zone.place);
          out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.2\" fill=\"#7fb0ae\"/>", p.x, p.y);
        }
      }
      if (!d.empty()) out_ += fmt::format("<path d=\"{}\" fill=\"#2d777610\" stroke=\"#a9c7c4\"/>", d);
    } else {
      const int parts = static_cast<int>(std::lround(std::sqrt(static_cast<double>(flows_.places))));
      const double dx = (flows_.box->east - flows_.box->west) / parts;
      const double dy = (flows_.box->north - flows_.box->south) / parts;
      for (int i = 0; i <= parts; ++i) {
        const PlanePoint a = pixel({flows_.box->west + i * dx, flows_.box->south + i * dy});
        const PlanePoint low = pixel({flows_.box->west, flows_.box->south});
        const PlanePoint high = pixel({flows_.box->east, flows_.box->north});
        d += fmt::format("M{:.1f} {:.1f}V{:.1f}M{:.1f} {:.1f}H{:.1f}", a.x, low.y, high.y, low.x, a.y, high.x);
      }
      out_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#c9c3b2\"/>", d);
      for (int row = 0; row < parts; ++row) {
        for (int column = 0; column < parts; ++column) {
          const PlanePoint p = pixel({flows_.box->west + column * dx, flows_.box->south + (row + 1) * dy});
          if (seen({p.x + 10, p.y + 12}))
            out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"12\" fill=\"#8a8678\">{}{}</text>",
                                p.x + 5, p.y + 15, static_cast<char>('A' + column), row + 1);
        }
      }
    }
    out_ += towns_;
  }

  // Bent to its right, so that there and back can be told apart.
  PlanePoint bend(const PlanePoint& a, const PlanePoint& b) const {
    return {(a.x + b.x) / 2 - 0.16 * (b.y - a.y), (a.y + b.y) / 2 + 0.16 * (b.x - a.x)};
  }

  void way(const StrongFlow& flow) {
    const double most = std::max(1.0, flows_.flows.front().estimate);
    const double width = 1.5 + 4.5 * std::max(0.0, flow.estimate) / most;
    for (std::size_t s = 0; s + 1 < flow.at.size(); ++s) {
      const PlanePoint a = pixel(flow.at[s]), b = pixel(flow.at[s + 1]), c = bend(a, b);
      out_ += fmt::format(
          "<path d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\" fill=\"none\" stroke=\"#a8325e\" "
          "stroke-opacity=\".72\" stroke-width=\"{:.1f}\" marker-end=\"url(#head)\"/>",
          a.x, a.y, c.x, c.y, b.x, b.y, width);
    }
    for (const PlanePoint& at : flow.at) {
      const PlanePoint p = pixel(at);
      out_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"#fff\" stroke=\"#2d7776\" "
          "stroke-width=\"1.6\"/>",
          p.x, p.y, flow.at.size() == 1 ? 6.0 : 3.4);
    }
  }

  // On the way, where no other number is.
  void number(std::size_t i) {
    const StrongFlow& flow = flows_.flows[i];
    PlanePoint best = pixel(flow.at[0]);
    if (flow.at.size() > 1) {
      const PlanePoint a = pixel(flow.at[0]), b = pixel(flow.at[1]), c = bend(a, b);
      double most = -1;
      // Beside the line where there is no room on it.
      const double length = std::max(1.0, std::hypot(b.x - a.x, b.y - a.y));
      for (const double aside : {0.0, 15.0, -15.0, 26.0, -26.0}) {
        for (const double t : {0.5, 0.35, 0.65, 0.2, 0.8}) {
          const double u = 1 - t;
          const PlanePoint p = {u * u * a.x + 2 * u * t * c.x + t * t * b.x - aside * (b.y - a.y) / length,
                                u * u * a.y + 2 * u * t * c.y + t * t * b.y + aside * (b.x - a.x) / length};
          double near = 1e9;
          for (const PlanePoint& other : taken_) near = std::min(near, std::hypot(other.x - p.x, other.y - p.y));
          if (near > most + 3 && most < 20) most = near, best = p;
        }
      }
    } else {
      best.x += 13;
    }
    taken_.push_back(best);
    out_ += fmt::format(
        "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"9\" fill=\"#8f2450\" stroke=\"#fff\"/><text "
        "x=\"{0:.1f}\" y=\"{2:.1f}\" font-size=\"11.5\" font-weight=\"700\" fill=\"#fff\" "
        "text-anchor=\"middle\">{3}</text>",
        best.x, best.y, best.y + 4, i + 1);
  }

  // What one looks at.
  void where() {
    if (const std::string town = near_town(middle_); flows_.zones && !town.empty())
      out_ += fmt::format(
          "<text x=\"12\" y=\"20\" font-size=\"13\" font-weight=\"600\" fill=\"#3c444b\" stroke=\"#f6f4ee\" "
          "stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
          escape_markup(town));
  }

  void scale() {
    const double km = 111.2 / scale_;  // of a pixel
    double length = 100;
    for (const double step : {100.0, 50.0, 20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1}) {
      if (step / km < 150) {
        length = step;
        break;
      }
    }
    out_ += fmt::format(
        "<path d=\"M12 {0:.0f}v5h{1:.1f}v-5\" fill=\"none\" stroke=\"#3c444b\" stroke-width=\"1.5\"/>"
        "<text x=\"{2:.1f}\" y=\"{3:.0f}\" font-size=\"12\" fill=\"#3c444b\">{4} km</text>",
        height_ - 16, length / km, 18 + length / km, height_ - 9, length);
  }

  const StrongFlows& flows_;
  const Release& release_;
  Numbers some_;
  double height_;
  PlanePoint middle_;
  double squeeze_ = 1, scale_ = 1;  // pixels for a degree of latitude
  std::vector<PlanePoint> taken_;
  std::string towns_, out_;
};

}  // namespace

std::string strong_flows_svg(const StrongFlows& flows, const Release& release) {
  if (flows.flows.empty() || flows.flows[0].at.empty()) return "";
  const std::vector<Numbers> parts = far_apart(flows);
  constexpr double kBetween = 8;
  const auto many = static_cast<double>(parts.size());
  const double height = (kHeight + 60 * (many - 1) - kBetween * (many - 1)) / many;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"Map of the "
      "strongest flows\"><defs><marker id=\"head\" viewBox=\"0 0 10 10\" refX=\"8\" refY=\"5\" "
      "markerUnits=\"userSpaceOnUse\" markerWidth=\"13\" markerHeight=\"13\" orient=\"auto\"><path d=\"M0 0L10 5L0 "
      "10z\" fill=\"#8f2450\"/></marker></defs>\n",
      kWidth, many * height + kBetween * (many - 1));
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += MapPainter(flows, release, parts[i], height).paint(static_cast<double>(i) * (height + kBetween));
  return text + "</svg>\n";
}

}  // namespace stopover
