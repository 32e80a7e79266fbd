#include "eval/partition_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "base/check.h"
#include "base/markup.h"
#include "eval/line_plot.h"

namespace stopover {
namespace {

constexpr double kSide = 360, kTop = 44, kMargin = 8;
constexpr std::uint32_t kBlocks = 125;
constexpr std::size_t kShades = 6;
constexpr std::size_t kManyLeaves = 20'000;

struct Canvas {
  double width, height;  // in cells
  double x(double cell) const { return kMargin + kSide * cell / width; }
  double y(double cell) const { return kTop + kSide * (1 - cell / height); }
};

std::string density(const PartitionPlot& plot, const Matrix& matrix, const Canvas& canvas) {
  const std::uint32_t columns = std::min(kBlocks, matrix.domain().axis(plot.x_axis).cells);
  const std::uint32_t rows = std::min(kBlocks, matrix.domain().axis(plot.y_axis).cells);
  std::vector<double> trips(std::size_t{columns} * rows);
  for (std::size_t i = 0; i < matrix.keys().size(); ++i) {
    const auto block = [&](std::size_t axis, std::uint32_t blocks) {
      const std::uint64_t cell = matrix.keys_of_axes().cell(matrix.keys()[i], axis);
      return static_cast<std::size_t>(cell * blocks / matrix.domain().axis(axis).cells);
    };
    trips[block(plot.y_axis, rows) * columns + block(plot.x_axis, columns)] += static_cast<double>(matrix.counts()[i]);
  }
  const double most = std::log1p(*std::max_element(trips.begin(), trips.end()));
  std::array<std::string, kShades> paths;
  const auto shade = [&](double n) {
    return n == 0 ? kShades : std::min(kShades - 1, static_cast<std::size_t>(kShades * std::log1p(n) / (most + 1e-9)));
  };
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < columns;) {
      const std::size_t level = shade(trips[std::size_t{row} * columns + column]);
      std::uint32_t end = column + 1;
      while (end < columns && shade(trips[std::size_t{row} * columns + end]) == level) ++end;
      if (level < kShades) {
        const double x = canvas.x(canvas.width * column / columns), y = canvas.y(canvas.height * (row + 1) / rows);
        paths[level] += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}z", x, y, kSide * (end - column) / columns,
                                    kSide / rows, -kSide * (end - column) / columns);
      }
      column = end;
    }
  }
  std::string svg;
  for (std::size_t level = 0; level < kShades; ++level) {
    if (paths[level].empty()) continue;
    svg += fmt::format("<path class=\"so-f0\" opacity=\"{:.2f}\" d=\"{}\"/>\n",
                       0.12 + 0.88 * static_cast<double>(level) / (kShades - 1), paths[level]);
  }
  return svg;
}

std::string borders(const PartitionPlot& plot, const Table& table, const Canvas& canvas) {
  const auto position = [&](std::size_t axis) {
    const auto found = std::find(table.axes.begin(), table.axes.end(), axis);
    STOPOVER_CHECK(found != table.axes.end(), "the table has the axes that are drawn");
    return static_cast<std::size_t>(found - table.axes.begin());
  };
  const std::size_t px = position(plot.x_axis), py = position(plot.y_axis);
  const std::vector<bool> leaves = table.leaves();
  const bool many = std::count(leaves.begin(), leaves.end(), true) > static_cast<std::ptrdiff_t>(kManyLeaves);
  std::string fine, strong;
  std::set<std::array<std::uint32_t, 4>> drawn;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const bool first = table.depth[row] == 1 && !leaves[row];
    if (!leaves[row] && !first) continue;
    const std::array<std::uint32_t, 4> box = {table.lo[px][row], table.hi[px][row], table.lo[py][row],
                                              table.hi[py][row]};
    const double x = canvas.x(box[0]), y = canvas.y(box[3]), w = canvas.x(box[1]) - x, h = canvas.y(box[2]) - y;
    if (many && leaves[row] && (w < 1 || h < 1)) continue;
    if (!first && !drawn.insert(box).second) continue;
    (first ? strong : fine) += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}z", x, y, w, h, -w);
  }
  return fmt::format(
      "<path class=\"so-line so-c1\" stroke-width=\"0.5\" style=\"stroke-width:.5\" opacity=\".75\" d=\"{}\"/>\n"
      "<path class=\"so-line so-c2\" style=\"stroke-width:1.3\" d=\"{}\"/>\n",
      fine, strong);
}

}  // namespace

std::string partition_svg(const PartitionPlot& plot, const Release& release, const Matrix& matrix) {
  const Domain& domain = release.domain;
  const Canvas canvas{static_cast<double>(domain.axis(plot.x_axis).cells),
                      static_cast<double>(domain.axis(plot.y_axis).cells)};
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"so-plot\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" "
      "role=\"img\" aria-label=\"{2}\">\n{3}\n<text class=\"so-title\" x=\"{4:.0f}\" y=\"18\">{2}</text>\n<text "
      "x=\"{4:.0f}\" y=\"35\">{5}</text>\n",
      kSide + 2 * kMargin, kSide + kTop + kMargin, escape_markup(plot.title), plot_style(), kMargin,
      escape_markup(plot.subtitle));
  svg += density(plot, matrix, canvas);
  svg += borders(plot, release.tables.at(plot.table), canvas);
  svg +=
      fmt::format("<path class=\"so-grid\" d=\"M{0:.1f} {1:.1f}h{2:.1f}v{2:.1f}h-{2:.1f}z\"/>\n", kMargin, kTop, kSide);
  return svg + "</svg>\n";
}

}  // namespace stopover
