#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/grouped.h"
#include "base/markup.h"
#include "page/flow_map.h"

namespace stopover {
namespace {

constexpr double kMap = 620;  // side of the large map
constexpr double kLeft = 48;  // its place
constexpr double kTop = 84;
constexpr double kSmall = 160;  // side of a stop's own map
constexpr double kColumn = kLeft + kMap + 44;
constexpr double kWidth = 1040;
constexpr double kHeight = 772;

constexpr std::string_view kStyle = R"(
  svg { --paper: #fbfaf7; --land: #f1efe8; --line: #dcd8cc; --ink: #22282e; --soft: #6b7280;
        --d1: #dfe8e6; --d2: #bcd5d1; --d3: #8ebcb8; --d4: #55999a; --d5: #22706f;
        --leg1: #d9892b; --leg2: #a8325e; --leg3: #5b3f8c; --leg4: #2f5d8c; --leg5: #2f7a4d; --halo: #fbfaf7; }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #14181c; --land: #1b2126; --line: #2c343b; --ink: #e6e8ea; --soft: #97a1ab;
          --d1: #1f2d30; --d2: #23424a; --d3: #2a5d66; --d4: #33838a; --d5: #54b5b4;
          --leg1: #f2b45a; --leg2: #f0719b; --leg3: #b49ae8; --leg4: #7db4ea; --leg5: #79cf9b; --halo: #14181c; }
  }
  .paper { fill: var(--paper); } .land { fill: var(--land); }
  .grid { stroke: var(--line); stroke-width: 1; fill: none; }
  .d1 { fill: var(--d1); } .d2 { fill: var(--d2); } .d3 { fill: var(--d3); }
  .d4 { fill: var(--d4); } .d5 { fill: var(--d5); }
  text { fill: var(--ink); font: 13px system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
  .title { font-size: 22px; font-weight: 650; } .soft { fill: var(--soft); } .small { font-size: 11.5px; }
  .num { font-variant-numeric: tabular-nums; } .end { text-anchor: end; } .mid { text-anchor: middle; }
  .leg { fill: none; stroke-linecap: round; opacity: .88; }
  .halo { fill: none; stroke: var(--halo); stroke-linecap: round; opacity: .75; }
  .l1 { stroke: var(--leg1); } .l2 { stroke: var(--leg2); } .l3 { stroke: var(--leg3); } .l4 { stroke: var(--leg4); }
  .l5 { stroke: var(--leg5); }
  .h1 { fill: var(--leg1); } .h2 { fill: var(--leg2); } .h3 { fill: var(--leg3); } .h4 { fill: var(--leg4); }
  .h5 { fill: var(--leg5); }
  .warning { fill: var(--leg2); font-weight: 650; }
  .dot { stroke: var(--halo); stroke-width: 1.5; } .from { fill: var(--paper); stroke: var(--leg1); stroke-width: 2.5; }
)";

struct Place {
  double x, y;
};

std::string text_at(double x, double y, std::string_view classes, std::string_view words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, classes, escape_markup(words));
}

// Five shades by the fourth root of the density: a city has few full cells and many nearly empty ones.
std::string density_cells(const std::vector<double>& density, std::size_t raster, double x, double y, double side) {
  const double most = *std::max_element(density.begin(), density.end());
  const double cell = side / static_cast<double>(raster);
  std::vector<std::string> shades(6);
  for (std::size_t row = 0; row < raster && most > 0; ++row) {
    const auto shade_of = [&](std::size_t column) {
      return static_cast<int>(
          std::floor(5.6 * std::sqrt(std::sqrt(std::max(0.0, density[row * raster + column]) / most))));
    };
    for (std::size_t column = 0; column < raster;) {
      const int shade = std::min(5, shade_of(column));
      std::size_t end = column + 1;
      while (end < raster && std::min(5, shade_of(end)) == shade) ++end;
      if (shade > 0) {
        shades[static_cast<std::size_t>(shade)] +=
            fmt::format("M{:.2f} {:.2f}h{:.2f}v{:.2f}h-{:.2f}z", x + static_cast<double>(column) * cell,
                        y + side - static_cast<double>(row + 1) * cell, static_cast<double>(end - column) * cell, cell,
                        static_cast<double>(end - column) * cell);
      }
      column = end;
    }
  }
  std::string text;
  for (std::size_t shade = 1; shade < shades.size(); ++shade) {
    if (!shades[shade].empty()) text += fmt::format("<path class=\"d{}\" d=\"{}\"/>\n", shade, shades[shade]);
  }
  return text;
}

class FlowPainter {
 public:
  FlowPainter(const FlowMap& map, const Release& release) : map_(map), release_(release) {}

  std::string paint() {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" role=\"img\" aria-label=\"Flows through stops\">\n<style>{2}</style>\n"
        "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
        kWidth, kHeight, kStyle);
    title();
    no_privacy();
    large_map();
    // Small flows are drawn last, over the broad ones.
    for (const Flow& flow : map_.flows) draw(flow);
    small_maps();
    legend();
    return out_ + "</svg>\n";
  }

 private:
  void title() {
    std::string way;
    for (const std::string& stop : map_.stops) way += (way.empty() ? "" : " \u2192 ") + stop;
    out_ += text_at(kLeft, 42, "title", "Where trips go, by way of where");
    out_ += text_at(kLeft, 64, "soft",
                    fmt::format("The {} largest flows {} between quarters that do not touch. "
                                "Every number is from the release.",
                                map_.flows.size(), way));
  }

  void no_privacy() {
    if (!release_.is_private())
      out_ += text_at(kLeft, 18, "warning", "No privacy: " + release_.randomness.warning() + ".");
  }

  void large_map() {
    std::vector<double> all(map_.density[0].size());
    for (const std::vector<double>& density : map_.density) {
      for (std::size_t i = 0; i < all.size(); ++i) all[i] += density[i];
    }
    out_ += fmt::format("<rect class=\"land\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\"/>\n", kLeft, kTop,
                        kMap, kMap);
    out_ += density_cells(all, map_.raster, kLeft, kTop, kMap);
    const double step = kMap / static_cast<double>(map_.zones);
    std::string lines;
    for (std::size_t i = 0; i <= map_.zones; ++i) {
      const double at = static_cast<double>(i) * step;
      lines +=
          fmt::format("M{:.1f} {:.1f}v{:.1f}M{:.1f} {:.1f}h{:.1f}", kLeft + at, kTop, kMap, kLeft, kTop + at, kMap);
    }
    out_ += fmt::format("<path class=\"grid\" d=\"{}\"/>\n", lines);
    for (std::size_t i = 0; i < map_.zones; ++i) {
      const double at = (static_cast<double>(i) + .5) * step;
      out_ += text_at(kLeft + at, kTop + kMap + 18, "soft small mid", std::string(1, static_cast<char>('A' + i)));
      out_ += text_at(kLeft - 14, kTop + kMap - at + 4, "soft small mid", std::to_string(i + 1));
    }
  }

  // A little beside the quarter's middle, so that flows that share a quarter can be told apart.
  Place place(std::size_t zone, std::size_t nth, std::size_t stop) const {
    const double step = kMap / static_cast<double>(map_.zones);
    const double angle = 2.4 * static_cast<double>(nth) + 1.1 * static_cast<double>(stop);
    const double away = step * (.1 + .16 * static_cast<double>(nth % 3) / 2);
    return {kLeft + (static_cast<double>(zone % map_.zones) + .5) * step + away * std::cos(angle),
            kTop + kMap - (static_cast<double>(zone / map_.zones) + .5) * step + away * std::sin(angle)};
  }

  double width(double estimate) const {
    const double most = std::max(1.0, map_.flows.front().answer.estimate);
    return 1.4 + 5.6 * std::sqrt(std::max(0.0, estimate) / most);
  }

  void draw(const Flow& flow) {
    const auto nth = static_cast<std::size_t>(&flow - map_.flows.data());
    const double w = width(flow.answer.estimate);
    std::vector<Place> at;
    for (std::size_t s = 0; s < flow.zones.size(); ++s) at.push_back(place(flow.zones[s], nth, s));
    std::string legs;
    for (std::size_t s = 0; s + 1 < at.size(); ++s) legs += leg(at[s], at[s + 1], w, s + 1, s + 2 == at.size());
    std::string label;
    for (const std::size_t zone : flow.zones) label += (label.empty() ? "" : " \u2192 ") + zone_name(zone, map_.zones);
    out_ += fmt::format("<g><title>{}: {:.0f} trips</title>\n{}", label, flow.answer.estimate, legs);
    out_ += fmt::format("<circle class=\"from\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>\n", at[0].x, at[0].y,
                        2.2 + w / 3);
    for (std::size_t s = 1; s + 1 < at.size(); ++s) {
      out_ += fmt::format("<circle class=\"dot h{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>\n", color(s + 1),
                          at[s].x, at[s].y, 2.6 + w / 2.4);
    }
    out_ += "</g>\n";
  }

  static std::size_t color(std::size_t leg) { return std::min<std::size_t>(leg, 5); }

  static std::string leg(Place from, Place to, double w, std::size_t number, bool last) {
    const double dx = to.x - from.x, dy = to.y - from.y;
    const double length = std::max(1.0, std::hypot(dx, dy));
    const double bend = std::min(46.0, .2 * length);
    const Place control{(from.x + to.x) / 2 - bend * dy / length, (from.y + to.y) / 2 + bend * dx / length};
    const double head = last ? 5 + 1.5 * w : 0;
    const double tx = to.x - control.x, ty = to.y - control.y;
    const double tangent = std::max(1.0, std::hypot(tx, ty));
    const Place end{to.x - head * tx / tangent, to.y - head * ty / tangent};
    const std::string path =
        fmt::format("M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}", from.x, from.y, control.x, control.y, end.x, end.y);
    std::string text = fmt::format(
        "<path class=\"halo\" stroke-width=\"{:.1f}\" d=\"{}\"/>\n<path class=\"leg l{}\" "
        "stroke-width=\"{:.1f}\" d=\"{}\"/>\n",
        w + 3, path, color(number), w, path);
    if (!last) return text;
    const double half = .5 * head;
    const double ux = tx / tangent, uy = ty / tangent;
    return text + fmt::format("<path class=\"dot h{}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}z\"/>\n",
                              color(number), to.x, to.y, end.x - half * uy - 2 * ux, end.y + half * ux - 2 * uy,
                              end.x + half * uy - 2 * ux, end.y - half * ux - 2 * uy);
  }

  void small_maps() {
    for (std::size_t s = 0; s < std::min<std::size_t>(map_.stops.size(), 3); ++s) {
      const double y = kTop + static_cast<double>(s) * (kSmall + 50);
      out_ += fmt::format("<rect class=\"land\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"2\"/>\n", kColumn,
                          y, kSmall, kSmall);
      out_ += density_cells(map_.density[s], map_.raster, kColumn, y, kSmall);
      out_ += text_at(kColumn, y + kSmall + 18, "", map_.stops[s]);
      out_ += text_at(kColumn, y + kSmall + 33, "soft small", "all trips at this stop");
    }
  }

  void legend() {
    const double x = kColumn + kSmall + 28;
    double y = kTop + 10;
    const auto line = [&](std::string_view classes, std::string_view words) {
      out_ += text_at(x, y, classes, words);
      y += 17;
    };
    line("", "epsilon " + format_epsilon(release_.epsilon));
    line("soft small", release_.unit == Unit::trip ? "for one trip" : "for one person");
    line("soft small", release_.mechanism);
    y += 12;
    line("", "a flow");
    out_ += fmt::format("<circle class=\"from\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", x + 5, y - 4);
    out_ += text_at(x + 20, y, "soft small", map_.stops[0]);
    y += 17;
    for (std::size_t s = 1; s < map_.stops.size(); ++s) {
      out_ +=
          fmt::format("<path class=\"leg l{0}\" stroke-width=\"4\" d=\"M{1:.1f} {2:.1f}h14\"/>\n", color(s), x, y - 4);
      out_ += text_at(x + 20, y, "soft small", "to " + map_.stops[s]);
      y += 17;
    }
    y += 12;
    line("", "trips");
    for (const double share : {1.0, .5, .2}) {
      const double trips = share * std::max(0.0, map_.flows.front().answer.estimate);
      out_ += fmt::format("<path class=\"leg l2\" stroke-width=\"{:.1f}\" d=\"M{:.1f} {:.1f}h14\"/>\n", width(trips), x,
                          y - 4);
      out_ += text_at(x + 20, y, "soft small num", grouped(static_cast<std::uint64_t>(std::llround(trips))));
      y += 17;
    }
    y += 12;
    line("", "visits");
    for (std::size_t shade = 1; shade <= 5; ++shade) {
      out_ += fmt::format("<rect class=\"d{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"11\"/>\n", shade,
                          x + 15 * static_cast<double>(shade - 1), y - 9);
    }
    y += 17;
    line("soft small", "few to many");
    const double bottom = kTop + kMap + 44;
    out_ += text_at(
        kLeft, bottom, "soft small",
        release_.answer_model == AnswerModel::maps
            ? "Counts carry exact discrete Laplace noise. Inside a published box, trips are taken to lie as the "
              "stops' own published maps say."
            : "Counts carry exact discrete Laplace noise. Inside a published box, trips are taken as spread evenly.");
  }

  const FlowMap& map_;
  const Release& release_;
  std::string out_;
};

}  // namespace

std::string flow_svg(const FlowMap& map, const Release& release) { return FlowPainter(map, release).paint(); }

}  // namespace stopover
