// The reproduction as one page: the paper's findings as a checklist, its figures, its table of times. No script, no
// network.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "eval/findings.h"
#include "eval/line_plot.h"
#include "eval/reproduction.h"
#include "eval/result_table.h"

namespace stopover {

struct NamedPlot {
  std::string name;     // a file name without ending: gaussian-4d-eps0.1
  std::string section;  // heading it stands under
  LinePlot plot;
};

// All figures there are rows for, in the report's order. Points are geometric means over data sets, bands reach from
// the least to the greatest of them.
std::vector<NamedPlot> reproduction_plots(std::span<const ResultRow> rows, std::span<const Scene> scenes);

struct ReportFacts {
  std::string how;  // command and settings, one line
  double seconds = 0;
  bool synthetic_cities = true;
};

// `panels`: drawings of partitions, side by side.
std::string report_html(std::span<const ResultRow> rows, std::span<const Scene> scenes,
                        std::span<const Finding> findings, std::span<const NamedPlot> plots,
                        std::span<const std::string> panels, const ReportFacts& facts);

}  // namespace stopover
