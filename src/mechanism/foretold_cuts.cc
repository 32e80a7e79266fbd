#include "mechanism/foretold_cuts.h"

#include <cmath>

namespace stopover {
namespace {

constexpr double kOfArea = 2.0 / 3;  // how much of a part is its area
constexpr double kNear = 0.3;        // of a part: how far a line goes for a gap

}  // namespace

std::vector<std::uint32_t> foretold_cuts(std::uint32_t lo, std::uint32_t m, const std::vector<double>& below) {
  const std::size_t cells = below.size() - 1;
  const double all = below[cells];
  const auto share = [&](std::size_t line) {
    const double area = static_cast<double>(line) / static_cast<double>(cells);
    return all > 0 ? kOfArea * area + (1 - kOfArea) * below[line] / all : area;
  };
  std::vector<std::uint32_t> cuts;
  std::size_t least = 1;
  for (std::uint32_t j = 1; j < m; ++j) {
    // The parts beyond it need a cell each.
    const std::size_t most = cells - (m - j);
    // In parts, from where the line would have its share below it.
    const auto off = [&](std::size_t line) { return std::abs(share(line) * m - j); };
    std::size_t best = least;
    for (std::size_t line = least; line <= most; ++line) best = off(line) < off(best) ? line : best;
    // What the two cells beside a line hold.
    const auto parted = [&](std::size_t line) { return below[line + 1] - below[line - 1]; };
    // Equal gaps: the nearer one.
    for (std::size_t line = least; line <= most; ++line) {
      if (off(line) > kNear) continue;
      const bool emptier = parted(line) < parted(best);
      if (emptier || (parted(line) == parted(best) && off(line) < off(best))) best = line;
    }
    cuts.push_back(lo + static_cast<std::uint32_t>(best));
    least = best + 1;
  }
  return cuts;
}

}  // namespace stopover
