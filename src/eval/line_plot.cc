#include "eval/line_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/markup.h"

namespace stopover {
namespace {

constexpr double kWidth = 680, kHeight = 400, kLeft = 76, kRight = 150, kPlotTop = 56, kBottom = 50;
constexpr int kColours = 8;
constexpr double kLabelGap = 13;

constexpr std::array<std::string_view, 18> kSlots = {
    "daf-entropy", "ebp",       "daf-homogeneity", "eug",      "identity", "mkm",
    "uniform",     "anchor",    "privtree-rr",     "ug",       "privtree", "ag",
    "multigrid",   "kd-hybrid", "hdpview",         "quadtree", "laplace",  "sparse"};
constexpr int kOtherSlot = 15;

// One axis: from values to pixels (or columns), with its ticks.
class Axis1D {
 public:
  Axis1D(Scale scale, double least, double most, double from, double to) : scale_(scale), from_(from), to_(to) {
    if (!(least <= most)) least = most = 1;
    if (scale == Scale::log) {
      least_ = std::log10(least);
      most_ = std::log10(most);
      const double margin = std::max(0.05, 0.04 * (most_ - least_));
      least_ -= margin;
      most_ += margin;
    } else {
      const double margin = most > least ? 0.04 * (most - least) : 1;
      least_ = least >= 0 && least - margin < 0 ? 0 : least - margin;
      most_ = most + margin;
    }
  }

  bool takes(double value) const { return std::isfinite(value) && (scale_ == Scale::linear || value > 0); }
  double at(double value) const {
    const double v = scale_ == Scale::log ? std::log10(value) : value;
    return from_ + (to_ - from_) * (v - least_) / (most_ - least_);
  }

  std::vector<double> ticks() const {
    if (scale_ == Scale::linear) return even_ticks(least_, most_);
    std::vector<double> ticks;
    const bool dense = most_ - least_ < 2.2;
    const int every = std::max(1, static_cast<int>((most_ - least_) / 7));
    for (int e = static_cast<int>(std::floor(least_)); e <= most_; ++e) {
      for (double m : {1.0, 2.0, 5.0}) {
        if ((m > 1 && !dense) || (m == 1 && e % every != 0)) continue;
        const double t = std::log10(m) + e;
        if (t >= least_ && t <= most_) ticks.push_back(m * std::pow(10, e));
      }
    }
    if (ticks.size() < 3) return even_ticks(std::pow(10, least_), std::pow(10, most_));
    return ticks;
  }

 private:
  static std::vector<double> even_ticks(double least, double most) {
    std::vector<double> ticks;
    const double raw = (most - least) / 5;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    const double step = power * (raw / power > 5 ? 10 : raw / power > 2 ? 5 : raw / power > 1 ? 2 : 1);
    for (double t = std::ceil(least / step) * step; t <= most; t += step)
      ticks.push_back(std::abs(t) < step / 1e6 ? 0 : t);
    return ticks;
  }

  Scale scale_;
  double least_ = 0, most_ = 1, from_, to_;
};

std::string tick_text(double value) {
  if (value != 0 && (std::abs(value) >= 1e9 || std::abs(value) < 1e-3)) return fmt::format("{:.0e}", value);
  if (value < 10'000) return fmt::format("{:.6g}", value);
  std::string text = fmt::format("{:.0f}", value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  void add(double value, Scale scale) {
    if (!std::isfinite(value) || (scale == Scale::log && value <= 0)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

struct PlotFrame {
  Axis1D x, y;
};

PlotFrame frame_of(const LinePlot& plot, double left, double right, double bottom, double top) {
  Range x, y;
  for (const Curve& curve : plot.series) {
    for (double v : curve.x) x.add(v, plot.x_scale);
    for (const auto* values : {&curve.y, &curve.low, &curve.high}) {
      for (double v : *values) y.add(v, plot.y_scale);
    }
  }
  return {Axis1D(plot.x_scale, x.least, x.most, left, right), Axis1D(plot.y_scale, y.least, y.most, bottom, top)};
}

std::string mark_of(int slot, double x, double y) {
  switch (slot % 4) {
    case 0:
      return fmt::format("M{:.1f} {:.1f}m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0-6.8 0z", x, y);
    case 1:
      return fmt::format("M{:.1f} {:.1f}m-3-3h6v6h-6z", x, y);
    case 2:
      return fmt::format("M{:.1f} {:.1f}m0-4l3.9 6.8h-7.8z", x, y);
    default:
      return fmt::format("M{:.1f} {:.1f}m0-4.2l4.2 4.2l-4.2 4.2l-4.2-4.2z", x, y);
  }
}

struct EndLabel {
  std::string text;
  std::string colour;  // class of its fill
  double wanted, y;
};

// Pushes labels apart, keeping their order, and back up into the frame.
void spread(std::vector<EndLabel>& labels) {
  std::sort(labels.begin(), labels.end(), [](const EndLabel& a, const EndLabel& b) { return a.wanted < b.wanted; });
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i].y = std::max(labels[i].wanted, i == 0 ? kPlotTop : labels[i - 1].y + kLabelGap);
  }
  double limit = kHeight - kBottom + 4;
  for (std::size_t i = labels.size(); i-- > 0; limit = labels[i].y - kLabelGap)
    labels[i].y = std::min(labels[i].y, limit);
}

std::string curve_svg(const Curve& curve, const PlotFrame& frame, EndLabel& label) {
  std::string line, marks, upper, lower;
  const bool banded = curve.low.size() == curve.x.size() && curve.high.size() == curve.x.size();
  double last_x = 0, last_y = 0;
  for (std::size_t i = 0; i < curve.x.size() && i < curve.y.size(); ++i) {
    if (!frame.x.takes(curve.x[i]) || !frame.y.takes(curve.y[i])) continue;
    last_x = frame.x.at(curve.x[i]);
    last_y = frame.y.at(curve.y[i]);
    line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", last_x, last_y);
    marks += mark_of(curve.slot, last_x, last_y);
    if (!banded || !frame.y.takes(curve.low[i]) || !frame.y.takes(curve.high[i])) continue;
    upper += fmt::format("{}{:.1f} {:.1f}", upper.empty() ? "M" : "L", last_x, frame.y.at(curve.high[i]));
    lower = fmt::format("L{:.1f} {:.1f}", last_x, frame.y.at(curve.low[i])) + lower;
  }
  if (line.empty()) return {};
  if (curve.is_bound) {
    label = {curve.name, "so-ink", last_y, last_y};
    return fmt::format("<path class=\"so-line so-bound\" d=\"{}\"/>\n", line);
  }
  const int colour = curve.slot % kColours;
  label = {curve.name, fmt::format("so-f{}", colour), last_y, last_y};
  std::string svg;
  if (!upper.empty()) svg += fmt::format("<path class=\"so-band so-f{}\" d=\"{}{}z\"/>\n", colour, upper, lower);
  svg += fmt::format("<path class=\"so-line so-c{}\"{} d=\"{}\"/>\n", colour,
                     curve.slot >= kColours ? " stroke-dasharray=\"5 3\"" : "", line);
  svg += fmt::format("<path class=\"so-mark so-f{}\" d=\"{}\"><title>{}</title></path>\n", colour, marks,
                     escape_markup(curve.name));
  return svg;
}

}  // namespace

int slot_of(std::string_view mechanism) {
  const std::string_view name = mechanism.substr(0, mechanism.find(':'));
  const auto found = std::find(kSlots.begin(), kSlots.end(), name);
  return found != kSlots.end() ? static_cast<int>(found - kSlots.begin()) : kOtherSlot;
}

std::string_view plot_style() {
  return "<style>.so-plot{--ink:#1c2530;--soft:#5c6875;--grid:#e4e8ed;--paper:#fff;--c0:#0072b2;--c1:#d55e00;--c2:#"
         "009e73;"
         "--c3:#b5509b;--c4:#8a6d00;--c5:#4a4fc4;--c6:#7a7f87;--c7:#c0152f;background:var(--paper);"
         "font:12px system-ui,-apple-system,'Segoe UI',sans-serif}"
         "@media "
         "(prefers-color-scheme:dark){.so-plot{--ink:#e8ecf1;--soft:#9aa6b2;--grid:#2c343d;--paper:#14181d;--c0:#"
         "56b4e9;"
         "--c1:#ff8a4c;--c2:#3ecf9f;--c3:#e28fcb;--c4:#e0c04a;--c5:#9ea2ff;--c6:#a9b0b9;--c7:#ff6b7d}}"
         ".so-plot text{fill:var(--soft)}.so-plot .so-title{fill:var(--ink);font-size:15px;font-weight:600}"
         ".so-grid{stroke:var(--grid);fill:none}.so-lead{stroke:var(--soft);fill:none;opacity:.5}.so-line{fill:none;"
         "stroke-width:1.8}.so-band{opacity:.13}.so-bound{stroke:var(--ink);stroke-dasharray:2 4}"
         ".so-plot .so-ink{fill:var(--ink)}"
         ".so-c0{stroke:var(--c0)}.so-c1{stroke:var(--c1)}.so-c2{stroke:var(--c2)}.so-c3{stroke:var(--c3)}"
         ".so-c4{stroke:var(--c4)}.so-c5{stroke:var(--c5)}.so-c6{stroke:var(--c6)}.so-c7{stroke:var(--c7)}"
         ".so-plot .so-f0{fill:var(--c0)}.so-plot .so-f1{fill:var(--c1)}.so-plot .so-f2{fill:var(--c2)}"
         ".so-plot .so-f3{fill:var(--c3)}.so-plot .so-f4{fill:var(--c4)}.so-plot .so-f5{fill:var(--c5)}"
         ".so-plot .so-f6{fill:var(--c6)}.so-plot .so-f7{fill:var(--c7)}</style>";
}

std::string to_svg(const LinePlot& plot) {
  const double right = kWidth - kRight, bottom = kHeight - kBottom;
  const PlotFrame frame = frame_of(plot, kLeft, right, bottom, kPlotTop);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"so-plot\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" "
      "role=\"img\" aria-label=\"{2}\">\n{3}\n<text class=\"so-title\" x=\"{4:.0f}\" y=\"22\">{2}</text>\n"
      "<text x=\"{4:.0f}\" y=\"40\">{5}</text>\n",
      kWidth, kHeight, escape_markup(plot.title), plot_style(), kLeft, escape_markup(plot.subtitle));
  std::string grid;
  for (double t : frame.y.ticks()) {
    grid += fmt::format("M{:.1f} {:.1f}H{:.1f}", kLeft, frame.y.at(t), right);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, frame.y.at(t) + 4,
                       tick_text(t));
  }
  for (double t : frame.x.ticks()) {
    grid += fmt::format("M{:.1f} {:.1f}v5", frame.x.at(t), bottom);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", frame.x.at(t), bottom + 18,
                       tick_text(t));
  }
  svg += fmt::format("<path class=\"so-grid\" d=\"{}M{:.1f} {:.1f}H{:.1f}\"/>\n", grid, kLeft, bottom, right);
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", (kLeft + right) / 2,
                     kHeight - 12, escape_markup(plot.x_label));
  svg += fmt::format("<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     (kPlotTop + bottom) / 2, escape_markup(plot.y_label));
  std::vector<EndLabel> labels;
  for (const Curve& curve : plot.series) {
    EndLabel label;
    const std::string text = curve_svg(curve, frame, label);
    if (text.empty()) continue;
    svg += text;
    labels.push_back(label);
  }
  spread(labels);
  for (const EndLabel& label : labels) {
    svg += fmt::format(
        "<path class=\"so-lead\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/><text class=\"{}\" x=\"{:.1f}\" "
        "y=\"{:.1f}\">{}</text>\n",
        right + 4, label.wanted, right + 14, label.y, label.colour, right + 17, label.y + 4, escape_markup(label.text));
  }
  return svg + "</svg>\n";
}

std::string to_vega_lite(const LinePlot& plot) {
  using Json = nlohmann::ordered_json;
  Json values = Json::array();
  for (const Curve& curve : plot.series) {
    for (std::size_t i = 0; i < curve.x.size() && i < curve.y.size(); ++i) {
      if (!std::isfinite(curve.y[i])) continue;
      Json point = {{"series", curve.name}, {"x", curve.x[i]}, {"y", curve.y[i]}};
      if (curve.low.size() == curve.x.size()) point.update(Json{{"low", curve.low[i]}, {"high", curve.high[i]}});
      values.push_back(point);
    }
  }
  const auto scale = [](Scale s) { return Json{{"type", s == Scale::log ? "log" : "linear"}}; };
  const Json x = {{"field", "x"}, {"type", "quantitative"}, {"title", plot.x_label}, {"scale", scale(plot.x_scale)}};
  const Json y = {{"field", "y"}, {"type", "quantitative"}, {"title", plot.y_label}, {"scale", scale(plot.y_scale)}};
  const Json colour = {{"field", "series"}, {"type", "nominal"}, {"title", nullptr}};
  const Json low = {
      {"field", "low"}, {"type", "quantitative"}, {"title", plot.y_label}, {"scale", scale(plot.y_scale)}};
  return Json{{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
              {"title", {{"text", plot.title}, {"subtitle", plot.subtitle}}},
              {"width", 480},
              {"height", 300},
              {"data", {{"values", values}}},
              {"layer",
               Json::array({{{"transform", Json::array({{{"filter", "isValid(datum.low)"}}})},
                             {"mark", {{"type", "area"}, {"opacity", 0.13}}},
                             {"encoding", {{"x", x}, {"y", low}, {"y2", {{"field", "high"}}}, {"color", colour}}}},
                            {{"mark", {{"type", "line"}, {"point", true}}},
                             {"encoding", {{"x", x}, {"y", y}, {"color", colour}}}}})}}
             .dump(1) +
         "\n";
}

std::string to_text(const LinePlot& plot) {
  constexpr int kColumns = 64, kRows = 18, kPlotMargin = 12;
  const PlotFrame frame = frame_of(plot, 0, kColumns - 1, kRows - 1, 0);
  std::vector<std::string> grid(kRows, std::string(kColumns, ' '));
  std::vector<std::string> left(kRows, std::string(kPlotMargin, ' '));
  for (double t : frame.y.ticks())
    left[static_cast<std::size_t>(std::lround(frame.y.at(t)))] = fmt::format("{:>{}} |", tick_text(t), kPlotMargin - 2);
  std::string legend;
  for (std::size_t s = 0; s < plot.series.size(); ++s) {
    const Curve& curve = plot.series[s];
    const char letter = static_cast<char>('A' + s % 26);
    legend += fmt::format("  {} {}\n", letter, curve.name);
    for (std::size_t i = 0; i < curve.x.size() && i < curve.y.size(); ++i) {
      if (!frame.x.takes(curve.x[i]) || !frame.y.takes(curve.y[i])) continue;
      char& cell = grid[static_cast<std::size_t>(std::lround(frame.y.at(curve.y[i])))]
                       [static_cast<std::size_t>(std::lround(frame.x.at(curve.x[i])))];
      cell = cell == ' ' ? letter : '*';
    }
  }
  std::string text = plot.title + "\n" + plot.subtitle + "\n" + plot.y_label + "\n";
  for (std::size_t row = 0; row < grid.size(); ++row) {
    if (left[row].find('|') == std::string::npos) left[row][kPlotMargin - 1] = '|';
    grid[row].erase(grid[row].find_last_not_of(' ') + 1);
    text += left[row] + grid[row] + "\n";
  }
  std::string ticks(kColumns + kPlotMargin, ' ');
  for (double t : frame.x.ticks()) {
    const std::string label = tick_text(t);
    const auto at = static_cast<std::size_t>(std::lround(frame.x.at(t))) + kPlotMargin;
    if (at + label.size() <= ticks.size() && (at == 0 || ticks[at - 1] == ' ')) ticks.replace(at, label.size(), label);
  }
  ticks.erase(ticks.find_last_not_of(' ') + 1);
  return text + std::string(kPlotMargin - 1, ' ') + '+' + std::string(kColumns, '-') + "\n" + ticks + "\n" +
         std::string(kPlotMargin, ' ') + plot.x_label + "   (* several)\n" + legend;
}

}  // namespace stopover
