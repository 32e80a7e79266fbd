#include "eval/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/markup.h"
#include "eval/comparison.h"
#include "eval/needle.h"

namespace stopover {
namespace {

const std::string kError = "mre_plain";
constexpr const char* kErrorLabel = "mean relative error, %";
const std::string kAppendix = "Appendix: flows that nobody foresaw, and busy pairs";
constexpr const char* kAppendixWords =
    "<p>Not the paper's. A needle is T trips added to one random cell, a blob is spread over 5 cells of every axis; "
    "found means that the box of 10 cells on either side tells half of them. Curves show the T that is found half of "
    "the time. The limit, ln(M/2)/epsilon among M cells, is what a private release can show without showing as much "
    "in an empty cell; below it noise shows needles everywhere. Busy pairs are square districts (25 a side) with 50 "
    "trips and more; <i>one count</i> is the error if each pair were the only count asked for, 1/sinh(epsilon) trips. "
    "Errors here are of the consistent estimates.</p>\n";

// random; cov5: sides of 5 % placed uniformly; dcov5: placed on data.
std::string words_of(const std::string& workload) {
  const std::size_t at = workload.find("cov");
  if (at == std::string::npos) return workload + " boxes";
  return fmt::format("boxes of {} % a side{}", workload.substr(at + 3), at > 0 ? ", on data" : "");
}

struct Spread {
  double log_sum = 0, least = INFINITY, most = 0;
  int n = 0;
  void add(double value) {
    if (!(value > 0)) return;
    log_sum += std::log(value);
    least = std::min(least, value);
    most = std::max(most, value);
    ++n;
  }
};

void add_point(Curve& curve, double x, const Spread& spread) {
  if (spread.n == 0) return;
  curve.x.push_back(x);
  curve.y.push_back(std::exp(spread.log_sum / spread.n));
  curve.low.push_back(spread.least);
  curve.high.push_back(spread.most);
}

class Plots {
 public:
  Plots(std::span<const ResultRow> rows, std::span<const Scene> scenes) : figures_(rows), scenes_(scenes) {}

  std::vector<NamedPlot> all() {
    for (int d : {2, 4, 6}) {
      for (const char* epsilon : {"0.1", "0.3", "0.5"}) {
        over_knob(Figure::gaussian, d, epsilon, "Gaussian", "standard deviation, share of the width");
      }
    }
    for (int d : {2, 4, 6}) over_knob(Figure::zipf, d, "0.1", "Zipf", "exponent a");
    over_dimension();
    for (Figure figure : {Figure::population, Figure::trips}) {
      for (const Scene& scene : scenes_) {
        if (scene.figure != figure) continue;
        for (const std::string& workload : scene.workloads) over_epsilon(scene, workload);
        over_size(scene);
      }
    }
    for (const Scene& scene : scenes_) {
      if (scene.figure == Figure::limits) over_limits(scene);
    }
    return std::move(plots_);
  }

 private:
  void push(std::string name, std::string section, LinePlot plot) {
    std::erase_if(plot.series, [](const Curve& curve) { return curve.x.empty(); });
    if (!plot.series.empty()) plots_.push_back({std::move(name), std::move(section), std::move(plot)});
  }

  std::vector<std::string> mechanisms_of(Figure figure) const {
    for (const Scene& scene : scenes_) {
      if (scene.figure == figure) return scene.mechanisms;
    }
    return {};
  }

  void over_knob(Figure figure, int d, const std::string& epsilon, const std::string& what,
                 const std::string& x_label) {
    std::set<double> knobs;
    std::size_t sets = 0;
    for (const Scene& scene : scenes_) {
      if (scene.figure == figure && scene.d == d) knobs.insert(scene.knob), ++sets;
    }
    if (knobs.empty()) return;
    LinePlot plot{fmt::format("{}, {}D, epsilon {}", what, d, epsilon),
                  fmt::format("random queries, {} data sets a point", sets / knobs.size()),
                  x_label,
                  kErrorLabel,
                  figure == Figure::gaussian ? Scale::log : Scale::linear,
                  Scale::log,
                  {}};
    for (const std::string& mechanism : mechanisms_of(figure)) {
      Curve curve{mechanism, slot_of(mechanism), {}, {}, {}, {}};
      for (double knob : knobs) {
        Spread spread;
        for (const Scene& scene : scenes_) {
          if (scene.figure != figure || scene.d != d || scene.knob != knob) continue;
          spread.add(figures_.figure({scene.data, epsilon, "random"}, mechanism, kError).value_or(0));
        }
        add_point(curve, knob, spread);
      }
      plot.series.push_back(std::move(curve));
    }
    push(fmt::format("{}-{}d-eps{}", figure == Figure::gaussian ? "gaussian" : "zipf", d, epsilon), what + " matrices",
         std::move(plot));
  }

  void over_dimension() {
    LinePlot plot{"Error over dimensions",
                  "Gaussian, sd a tenth of the width, epsilon 0.1, random queries",
                  "dimensions",
                  kErrorLabel,
                  Scale::linear,
                  Scale::log,
                  {}};
    for (const std::string& mechanism : mechanisms_of(Figure::gaussian)) {
      Curve curve{mechanism, slot_of(mechanism), {}, {}, {}, {}};
      for (int d = 2; d <= 6; ++d) {
        Spread spread;
        for (const Scene& scene : scenes_) {
          const bool here =
              scene.d == d && scene.knob == 0.1 && (scene.figure == Figure::gaussian || scene.figure == Figure::odd);
          if (here) spread.add(figures_.figure({scene.data, "0.1", "random"}, mechanism, kError).value_or(0));
        }
        add_point(curve, d, spread);
      }
      plot.series.push_back(std::move(curve));
    }
    push("dimensions", "Dimensions, odd ones too", std::move(plot));
  }

  static std::string section_of(const Scene& scene) {
    return scene.figure == Figure::population ? "Cities: people in 2D" : "Cities: origin and destination in 4D";
  }

  void over_epsilon(const Scene& scene, const std::string& workload) {
    LinePlot all{fmt::format("{}, {}", scene.group, words_of(workload)),
                 "all mechanisms, log scale",
                 "epsilon",
                 kErrorLabel,
                 Scale::linear,
                 Scale::log,
                 {}};
    LinePlot some = all;
    some.subtitle = "without IDENTITY and MKM, linear scale";
    some.y_scale = Scale::linear;
    for (const std::string& mechanism : scene.mechanisms) {
      Curve curve{mechanism, slot_of(mechanism), {}, {}, {}, {}};
      for (const std::string& epsilon : scene.epsilons) {
        const auto value = figures_.figure({scene.data, epsilon, workload}, mechanism, kError);
        if (!value) continue;
        curve.x.push_back(std::stod(epsilon));
        curve.y.push_back(*value);
      }
      if (mechanism != "identity" && mechanism != "mkm") some.series.push_back(curve);
      all.series.push_back(std::move(curve));
    }
    const std::string name = fmt::format("{}-{}", scene.group, workload);
    const bool baselines = all.series.size() > some.series.size();
    if (baselines) push(name + "-all", section_of(scene), std::move(all));
    push(name, section_of(scene), std::move(some));
  }

  void over_size(const Scene& scene) {
    LinePlot plot{fmt::format("{}, query size", scene.group),
                  "epsilon 0.1, boxes placed on data",
                  "side of the query, %",
                  kErrorLabel,
                  Scale::log,
                  Scale::log,
                  {}};
    for (const std::string& mechanism : scene.mechanisms) {
      Curve curve{mechanism, slot_of(mechanism), {}, {}, {}, {}};
      for (const auto& [workload, side] :
           {std::pair("dcov1", 1.0), std::pair("dcov5", 5.0), std::pair("dcov10", 10.0)}) {
        const auto value = figures_.figure({scene.data, "0.1", workload}, mechanism, kError);
        if (!value) continue;
        curve.x.push_back(side);
        curve.y.push_back(*value);
      }
      plot.series.push_back(std::move(curve));
    }
    push(scene.group + "-size", section_of(scene), std::move(plot));
  }

  // Sizes of needles are medians over places and keys; the limit is drawn with them, and what is not found at 64 limits
  // lies on a line of its own.
  void over_limits(const Scene& scene) {
    for (const std::string& workload : scene.workloads) {
      const bool is_busy = workload == "busy";
      LinePlot plot{fmt::format("{}, {}", scene.group, is_busy ? "busy pairs" : "a " + workload),
                    is_busy ? "districts with 50 trips and more" : "trips of a flow found half of the time",
                    "epsilon",
                    is_busy ? kErrorLabel : "trips",
                    Scale::log,
                    Scale::log,
                    {}};
      const auto curve_of = [&](const std::string& name, int slot, bool is_bound, auto&& value_of) {
        Curve curve{name, slot, {}, {}, {}, {}, is_bound};
        for (const std::string& epsilon : scene.epsilons) {
          const std::optional<double> value = value_of(CellName{scene.data, epsilon, workload});
          if (!value) continue;
          curve.x.push_back(std::stod(epsilon));
          curve.y.push_back(*value);
        }
        plot.series.push_back(std::move(curve));
      };
      for (const std::string& m : scene.mechanisms) {
        curve_of(m, slot_of(m), false, [&](const CellName& cell) {
          return is_busy ? figures_.figure(cell, m, "mre") : figures_.median(cell, m, "needle_size");
        });
      }
      const std::string bound = is_busy ? "mre_floor" : "limit";
      curve_of(is_busy ? "one count" : "limit", 0, true,
               [&](const CellName& cell) { return figures_.figure(cell, "", bound); });
      if (!is_busy) {
        curve_of("not found", 0, true, [&](const CellName& cell) -> std::optional<double> {
          const auto limit = figures_.figure(cell, "", bound);
          if (!limit) return std::nullopt;
          return kNeverFound * *limit;
        });
      }
      push(fmt::format("{}-{}", scene.group, workload), kAppendix, std::move(plot));
    }
  }

  const Comparison figures_;
  std::span<const Scene> scenes_;
  std::vector<NamedPlot> plots_;
};

std::string checklist(std::span<const Finding> findings) {
  std::string html = "<table><thead><tr><th>The paper says</th><th>Here</th><th>Our figures</th></tr></thead><tbody>\n";
  for (const Finding& f : findings) {
    const char* tone = f.verdict == Verdict::confirmed ? "yes" : f.verdict == Verdict::refuted ? "no" : "maybe";
    html += fmt::format("<tr><td>{}</td><td class=\"{}\">{}</td><td>{}</td></tr>\n", escape_markup(f.claim), tone,
                        to_string(f.verdict), escape_markup(f.measured));
  }
  return html + "</tbody></table>\n";
}

// The paper's table beside ours: seconds, 2D, epsilon 0.1.
std::string times(std::span<const ResultRow> rows, std::span<const Scene> scenes) {
  const Comparison figures(rows);
  std::string html = "<table><thead><tr><th></th>";
  for (const std::string& mechanism : paper_mechanisms()) html += fmt::format("<th class=\"n\">{}</th>", mechanism);
  html += "</tr></thead><tbody>\n";
  const std::map<std::string, std::vector<const char*>> paper = {
      {"New York (paper)", {"89", "87", "87", "177", "0.47", "0.5"}},
      {"Denver (paper)", {"91", "91", "94", "182", "0.38", "0.46"}},
      {"Detroit (paper)", {"111", "111", "110", "272", "0.34", "0.48"}}};
  for (const auto& [city, seconds] : paper) {
    html += fmt::format("<tr><td>{}</td>", city);
    for (const char* s : seconds) html += fmt::format("<td class=\"n\">{}</td>", s);
    html += "</tr>\n";
  }
  for (const Scene& scene : scenes) {
    if (scene.figure != Figure::population) continue;
    html += fmt::format("<tr><td>{} (ours)</td>", scene.group);
    for (const std::string& mechanism : paper_mechanisms()) {
      const auto s = figures.figure({scene.data, "0.1", kNoWorkload}, mechanism, "publish_seconds");
      html += s ? fmt::format("<td class=\"n\">{:.2g}</td>", *s) : "<td>-</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table>\n";
}

constexpr const char* kStyle =
    "body{margin:2rem auto;max-width:1420px;padding:0 1rem;font:15px/1.5 system-ui,-apple-system,'Segoe "
    "UI',sans-serif;color:#1c2530;"
    "background:#fff}h1{font-size:1.6rem}h2{margin-top:2.2rem;font-size:1.2rem}table{border-collapse:collapse;font-"
    "size:14px}"
    "td,th{padding:.35rem .7rem;border-bottom:1px solid "
    "#e4e8ed;text-align:left;vertical-align:top}td.n,th.n{text-align:right}"
    "td.yes,td.no,td.maybe{white-space:nowrap}.yes{color:#00734f;font-weight:600}.no{color:#b3261e;font-weight:600}."
    "maybe{color:#7a6100;font-weight:600}"
    ".plots{display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,520px),1fr))}"
    ".three{grid-template-columns:repeat(auto-fit,minmax(min(100%,280px),1fr))}.plots "
    "svg{width:100%;height:auto;max-width:690px}"
    "@media "
    "(prefers-color-scheme:dark){body{color:#e8ecf1;background:#14181d}td,th{border-color:#2c343d}.yes{color:#3ecf9f}"
    ".no{color:#ff8a80}.maybe{color:#e0c04a}}";

}  // namespace

std::vector<NamedPlot> reproduction_plots(std::span<const ResultRow> rows, std::span<const Scene> scenes) {
  return Plots(rows, scenes).all();
}

std::string report_html(std::span<const ResultRow> rows, std::span<const Scene> scenes,
                        std::span<const Finding> findings, std::span<const NamedPlot> plots,
                        std::span<const std::string> panels, const ReportFacts& facts) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">"
      "<title>The paper's experiments, run again</title><style>{}</style></head><body>\n<h1>The paper's experiments, "
      "run again</h1>\n"
      "<p>Shaham, Ghinita, Shahabi: origin-destination matrices with intermediate stops (EDBT 2022). {}. Took {:.0f} "
      "s.</p>\n"
      "<p>Errors are mean relative errors over queries that hold at least one trip, of the plain noisy counts as the "
      "paper answers; curves are "
      "geometric means over data sets, bands reach from the least to the greatest data set. {}</p>\n",
      kStyle, escape_markup(facts.how), facts.seconds,
      facts.synthetic_cities ? "The paper's cities are proprietary: synthetic ones stand in for them."
                             : "The paper's cities are proprietary: public data sets stand in for them.");
  html += "<h2>What the paper found</h2>\n" + checklist(findings);
  html += "<h2>Running time, seconds, 2D, epsilon 0.1</h2>\n" + times(rows, scenes) +
          "<p>Ours: from the matrix in memory to a release with consistent estimates; the paper's machine and code are "
          "not known.</p>\n";
  if (!panels.empty()) {
    html += "<h2>Partitions: an equal grid, DAF-Entropy, DAF-Homogeneity</h2>\n<div class=\"plots three\">\n";
    for (const std::string& panel : panels) html += panel;
    html += "</div>\n";
  }
  std::string section;
  for (const NamedPlot& named : plots) {
    if (named.section != section) {
      if (!section.empty()) html += "</div>\n";
      section = named.section;
      html += fmt::format("<h2>{}</h2>\n{}<div class=\"plots\">\n", escape_markup(section),
                          section == kAppendix ? kAppendixWords : "");
    }
    html += to_svg(named.plot);
  }
  if (!section.empty()) html += "</div>\n";
  return html + "</body></html>\n";
}

}  // namespace stopover
