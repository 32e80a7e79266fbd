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

class MapPainter {
 public:
  MapPainter(const StrongFlows& flows, const Release& release) : flows_(flows), release_(release) { look(); }

  std::string paint() {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" "
        "aria-label=\"Map of the strongest flows\"><defs><clipPath id=\"edge\"><rect width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" rx=\"6\"/></clipPath><marker id=\"head\" viewBox=\"0 0 10 10\" refX=\"8\" refY=\"5\" "
        "markerUnits=\"userSpaceOnUse\" markerWidth=\"13\" markerHeight=\"13\" orient=\"auto\"><path d=\"M0 0L10 5L0 "
        "10z\" fill=\"#8f2450\"/></marker></defs><g clip-path=\"url(#edge)\"><rect width=\"100%\" height=\"100%\" "
        "fill=\"#e6eef1\"/>",
        kWidth, kHeight);
    ground();
    places();
    for (std::size_t i = flows_.flows.size(); i-- > 0;) way(flows_.flows[i]);
    for (std::size_t i = 0; i < flows_.flows.size(); ++i) number(i);
    scale();
    return out_ + "</g></svg>\n";
  }

 private:
  // Around the flows, with room, as wide as the picture is.
  void look() {
    double west = 180, east = -180, south = 90, north = -90;
    for (const StrongFlow& flow : flows_.flows) {
      for (const PlanePoint& at : flow.at) {
        west = std::min(west, at.x), east = std::max(east, at.x);
        south = std::min(south, at.y), north = std::max(north, at.y);
      }
    }
    middle_ = {(west + east) / 2, (south + north) / 2};
    squeeze_ = std::max(0.05, std::cos(middle_.y * M_PI / 180));
    const double room = flows_.zones ? 0.006 : flows_.side_km / 111.2;
    const double across = std::max((east - west) * squeeze_ * 1.25, 1e-4) + 2 * room;
    const double up = std::max((north - south) * 1.25, 1e-4) + 2 * room;
    scale_ = std::min(kWidth / across, kHeight / up);
  }

  PlanePoint pixel(const PlanePoint& at) const {
    return {kWidth / 2 + (at.x - middle_.x) * squeeze_ * scale_, kHeight / 2 - (at.y - middle_.y) * scale_};
  }

  bool seen(const PlanePoint& p) const { return p.x > 0 && p.y > 0 && p.x < kWidth && p.y < kHeight; }

  void ground() {
    const double across = kWidth / (squeeze_ * scale_), up = kHeight / scale_;
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
      if (!seen(p) || p.x > kWidth - 70 || p.y < 14 || shown == 7) continue;
      if (std::any_of(taken_.begin(), taken_.end(),
                      [&](const PlanePoint& t) { return std::abs(t.x - p.x) < 90 && std::abs(t.y - p.y) < 18; }))
        continue;
      taken_.push_back(p);
      ++shown;
      towns_ += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"13\" fill=\"#6a7078\" stroke=\"#f6f4ee\" "
          "stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
          p.x + 5, p.y - 5, escape_markup(town.name));
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
      for (const double t : {0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78}) {
        const double u = 1 - t;
        const PlanePoint p = {u * u * a.x + 2 * u * t * c.x + t * t * b.x, u * u * a.y + 2 * u * t * c.y + t * t * b.y};
        double near = 1e9;
        for (const PlanePoint& t2 : taken_) near = std::min(near, std::hypot(t2.x - p.x, t2.y - p.y));
        if (near > most + 3) most = near, best = p;
        if (near > 22) break;
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
        kHeight - 16, length / km, 18 + length / km, kHeight - 9, length);
  }

  const StrongFlows& flows_;
  const Release& release_;
  PlanePoint middle_;
  double squeeze_ = 1, scale_ = 1;  // pixels for a degree of latitude
  std::vector<PlanePoint> taken_;
  std::string towns_, out_;
};

}  // namespace

std::string strong_flows_svg(const StrongFlows& flows, const Release& release) {
  if (flows.flows.empty() || flows.flows[0].at.empty()) return "";
  return MapPainter(flows, release).paint();
}

}  // namespace stopover
