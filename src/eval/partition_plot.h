// A release's partition drawn over the density of the trips, for one pair of axes. SECRET wherever the trips are real:
// the density is the truth.
#pragma once

#include <string>

#include "matrix/matrix.h"
#include "release/release.h"

namespace stopover {

struct PartitionPlot {
  std::string title, subtitle;
  std::size_t x_axis = 0, y_axis = 1;  // of the domain; the second one upwards
  std::size_t table = 0;               // of the release: the joint one, or a stop's map, which has both axes
};

// A square SVG in the laboratory's style: trips as shades (log scale) on at most 125 x 125 blocks, first divisions as
// strong lines, leaves as fine ones. With more axes than two, the leaves' shadows on these two. Beyond 20,000 leaves
// only those that are at least a pixel wide are drawn.
std::string partition_svg(const PartitionPlot& plot, const Release& release, const Matrix& matrix);

}  // namespace stopover
