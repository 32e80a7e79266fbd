// LinePlot: curves with bands, as a small SVG, as a Vega-Lite spec, and as text of 80 columns.
//
//   LinePlot plot{"Gaussian, 4D", "random queries, 1,000,000 trips", "epsilon", "mean relative error, %", Scale::log,
//   Scale::log}; plot.series.push_back({"ebp", slot_of("ebp"), {0.1, 0.3}, {203, 90}, {180, 80}, {230, 100}});
//   to_svg(plot); to_vega_lite(plot); to_text(plot);
//
// The SVG has no script and no outside reference; its colours are CSS variables of the class `so-plot` with a light and
// a dark set, so a page can change them. Curves differ by colour, dashes and mark, and are named at their right end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stopover {

enum class Scale { linear, log };

struct Curve {
  std::string name;
  int slot = 0;                   // decides colour, dashes and mark: the same thing looks the same in every plot
  std::vector<double> x, y;       // points that are not finite, or not above 0 on a log scale, are left out
  std::vector<double> low, high;  // the band; empty: none
  bool is_bound = false;          // a line to compare with: dotted, in the colour of the text, without marks or a slot
};

struct LinePlot {
  std::string title;
  std::string subtitle;
  std::string x_label, y_label;
  Scale x_scale = Scale::linear, y_scale = Scale::linear;
  std::vector<Curve> series;
};

// A fixed slot for every known mechanism; others share what is left.
int slot_of(std::string_view mechanism);

std::string to_svg(const LinePlot& plot);
std::string to_vega_lite(const LinePlot& plot);
std::string to_text(const LinePlot& plot);

// The style that every SVG of the laboratory carries.
std::string_view plot_style();

}  // namespace stopover
