#include "mechanism/stop_tree.h"

#include <algorithm>

#include "base/check.h"

namespace stopover {
namespace {

// Below this share of the map a box counts as empty: nothing but the floor of StopMap lies there.
constexpr double kEmpty = 1e-9;

// With borders a cut is worth the share of the variance that it takes away, and kAreas times the share of the mixture
// of areas. A box in one area counts as scattered as kInside of its variance says: what straddles a border is cut
// first.
constexpr double kAreas = 2, kInside = 0.02;

// The mass of each line of cells along one axis of a box.
std::vector<double> profile(const StopMap& map, const StopTree::Node& node, int axis) {
  const Interval along = axis == 0 ? node.x : node.y;
  std::vector<double> masses;
  masses.reserve(along.width());
  for (std::uint32_t i = along.lo; i < along.hi; ++i) {
    const Interval line{i, i + 1};
    // Masses are differences of sums, so rounding may bring them a little below 0.
    masses.push_back(std::max(0.0, axis == 0 ? map.mass(line, node.y) : map.mass(node.x, line)));
  }
  return masses;
}

double variance(const std::vector<double>& masses, double width) {
  double mass = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    // In shares of the map's side: axes of different numbers of cells can be compared, and the two variances added.
    // Places count from the box's own edge, which keeps the numbers small and changes no variance.
    const double place = (static_cast<double>(i) + 0.5) / width;
    mass += masses[i];
    sum += masses[i] * place;
    squares += masses[i] * place * place;
  }
  if (mass <= 0) return 0;
  // E x^2 - (E x)^2.
  return std::max(0.0, squares / mass - (sum / mass) * (sum / mass));
}

}  // namespace

StopTree::StopTree(const StopMap& map, const Borders* borders)
    : map_(map),
      borders_(borders),
      in_area_(borders ? borders->areas + 1 : 0),
      below_(in_area_),
      total_(map.mass(Interval{0, map.width()}, Interval{0, map.height()})) {
  STOPOVER_CHECK(!borders || (borders->columns == map.width() && borders->rows == map.height()),
                 "borders of another map");
  make({0, map.width()}, {0, map.height()});
}

double StopTree::mixture(const Node& node, int axis, std::vector<double>* gains) {
  const Interval along = axis == 0 ? node.x : node.y, across = axis == 0 ? node.y : node.x;
  const auto area_of = [&](std::uint32_t i, std::uint32_t j) {
    const std::uint32_t area = axis == 0 ? borders_->at(i, j) : borders_->at(j, i);
    return area == Borders::kNoArea ? borders_->areas : std::size_t{area};  // what is in no area is one of its own
  };
  std::vector<double> cells;
  cells.reserve(std::size_t{along.width()} * across.width());
  std::vector<std::size_t> seen;
  double mass = 0;
  for (std::uint32_t i = along.lo; i < along.hi; ++i) {
    for (std::uint32_t j = across.lo; j < across.hi; ++j) {
      const Interval line{i, i + 1}, row{j, j + 1};
      const double m = std::max(0.0, axis == 0 ? map_.mass(line, row) : map_.mass(row, line));
      cells.push_back(m);
      if (m <= 0) continue;
      const std::size_t area = area_of(i, j);
      if (in_area_[area] == 0) seen.push_back(area);
      in_area_[area] += m;
      mass += m;
    }
  }
  // Two trips are in the same area with the chance sum_a m_a^2/m^2 (Gini). Times m this is additive over parts, and a
  // cut into b and c takes sum b_a^2/b + sum c_a^2/c - sum m_a^2/m off the mixture m - sum m_a^2/m.
  double squares = 0;
  for (std::size_t area : seen) squares += in_area_[area] * in_area_[area];
  const double mixed = mass > 0 ? std::max(0.0, 1 - squares / (mass * mass)) : 0;
  if (gains != nullptr) {
    gains->assign(along.width(), 0.0);
    // Both sums of squares follow the cut: (b + m)^2 - b^2 = m (2b + m), and c^2 - (c - m)^2 = m (2c - m).
    double below = 0, below_squares = 0, above_squares = squares;
    std::size_t cell = 0;
    for (std::uint32_t i = along.lo; i + 1 < along.hi && mixed > kEmpty; ++i) {
      for (std::uint32_t j = across.lo; j < across.hi; ++j) {
        const double m = cells[cell++];
        if (m <= 0) continue;
        const std::size_t area = area_of(i, j);
        below_squares += m * (2 * below_[area] + m);
        above_squares -= m * (2 * (in_area_[area] - below_[area]) - m);
        below_[area] += m;
        below += m;
      }
      if (below <= 0 || mass - below <= 0) continue;
      const double purer = below_squares / below + std::max(0.0, above_squares) / (mass - below) - squares / mass;
      (*gains)[i + 1 - along.lo] = purer / (mass * mixed);
    }
  }
  for (std::size_t area : seen) in_area_[area] = below_[area] = 0;
  return mixed;
}

double StopTree::areas() {
  return borders_ == nullptr ? 1 : 1 / std::max(kEmpty, 1 - mixture(nodes_[kRoot], 0, nullptr));
}

int StopTree::make(Interval x, Interval y) {
  Node node;
  node.x = x;
  node.y = y;
  // Of the whole map: a probability, so that masses of several stops multiply.
  node.mass = std::max(0.0, map_.mass(x, y)) / total_;
  node.scatter = variance(profile(map_, node, 0), map_.width()) + variance(profile(map_, node, 1), map_.height());
  if (borders_ != nullptr && node.mass > kEmpty) node.scatter *= kInside + (1 - kInside) * mixture(node, 0, nullptr);
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size() - 1);
}

void StopTree::find_cut(const Node& node, Best& best) {
  // What all of the mixture of areas is worth, in the units of the gains below: mass times variance.
  double worth = 0;
  if (borders_ != nullptr) {
    worth = kAreas * node.mass * total_ *
            (variance(profile(map_, node, 0), map_.width()) + variance(profile(map_, node, 1), map_.height()));
  }
  // Every place to cut along both axes is tried in one pass, with running sums.
  for (int axis = 0; axis < 2; ++axis) {
    const Interval along = axis == 0 ? node.x : node.y;
    const double width = axis == 0 ? map_.width() : map_.height();
    if (along.width() < 2) continue;
    const std::vector<double> masses = profile(map_, node, axis);
    // Sums over the whole box; what lies above a cut is the whole less what lies below.
    double mass = 0, sum = 0;
    for (std::size_t i = 0; i < masses.size(); ++i) {
      mass += masses[i];
      sum += masses[i] * (static_cast<double>(i) + 0.5) / width;
    }
    std::vector<double> parted;
    if (worth > 0 && mixture(node, axis, &parted) <= kEmpty) parted.clear();
    // Mass below the cut, and mass times place: their quotient is the mean place.
    double below = 0, below_sum = 0;
    double best_gain = -1;
    std::size_t first = 0, last = 0;  // the best cut, and the end of the empty band that begins there
    const double empty_line = kEmpty * mass;
    for (std::size_t i = 1; i < masses.size(); ++i) {
      below += masses[i - 1];
      below_sum += masses[i - 1] * (static_cast<double>(i) - 0.5) / width;
      const double above = mass - below;
      if (below <= 0 || above <= 0) continue;
      // Law of total variance: cutting into two parts takes b a/(a + b) gap^2 off the box's sum of squares, b and a
      // their masses and gap the distance of their means. The cut that takes most leaves the parts tightest.
      const double gap = below_sum / below - (sum - below_sum) / above;
      double gain = below * above / mass * gap * gap;
      if (!parted.empty()) gain += worth * parted[i];
      // Inside an empty band nothing changes sides, so the gain stays the same: the band is remembered from its first
      // cut to its last, and cut in its middle.
      if (best_gain > 0 && last == i - 1 && masses[i - 1] <= empty_line) {
        last = i;
      } else if (gain > best_gain) {
        best_gain = gain;
        first = last = i;
      }
    }
    // Gains of both axes are in shares of the map's sides, so they can be compared.
    if (best_gain > best.gain) best = {best_gain, axis, along.lo + static_cast<std::uint32_t>((first + last) / 2)};
  }
}

const StopTree::Node& StopTree::cut(int number) {
  // A copy: make() below adds nodes, which may move the list.
  Node node = nodes_[static_cast<std::size_t>(number)];
  if (node.axis != -2) return nodes_[static_cast<std::size_t>(number)];
  node.axis = -1;
  if (node.x.width() > 1 || node.y.width() > 1) {
    Best best;
    // An empty box has no variance worth looking at.
    if (node.mass > kEmpty) find_cut(node, best);
    if (best.axis < 0 || best.gain <= 0) {
      // Nothing to see: the middle of the side that is longer on the map.
      const double wide = static_cast<double>(node.x.width()) / map_.width();
      const double high = static_cast<double>(node.y.width()) / map_.height();
      best.axis = node.y.width() < 2 || (node.x.width() > 1 && wide >= high) ? 0 : 1;
      const Interval along = best.axis == 0 ? node.x : node.y;
      best.at = along.lo + along.width() / 2;
    }
    node.axis = best.axis;
    node.at = best.at;
    const Interval along = node.axis == 0 ? node.x : node.y;
    const Interval low{along.lo, node.at}, high{node.at, along.hi};
    node.below = node.axis == 0 ? make(low, node.y) : make(node.x, low);
    node.above = node.axis == 0 ? make(high, node.y) : make(node.x, high);
  }
  nodes_[static_cast<std::size_t>(number)] = node;
  return nodes_[static_cast<std::size_t>(number)];
}

}  // namespace stopover
