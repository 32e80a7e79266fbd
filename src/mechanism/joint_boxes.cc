#include "mechanism/joint_boxes.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

namespace stopover {

JointBoxes::JointBoxes(std::vector<Factor> factors, std::vector<StopMap> maps,
                       const std::vector<const Borders*>& borders)
    : factors_(std::move(factors)), maps_(std::move(maps)), bordered_(std::ranges::count(borders, nullptr) == 0) {
  for (std::size_t f = 0; f < maps_.size(); ++f) {
    trees_.emplace_back(maps_[f], borders[f]);
    axes_ += factors_[f].size();
  }
}

double JointBoxes::area_tuples() {
  double tuples = bordered_ ? 1 : 0;
  for (StopTree& tree : trees_) tuples *= tree.areas();
  return tuples;
}

JointBox JointBoxes::whole() const {
  JointBox all{std::vector<int>(trees_.size(), StopTree::kRoot), 1, 0, 1};
  for (const StopTree& tree : trees_) all.spread += tree.node(StopTree::kRoot).scatter;
  return all;
}

std::vector<JointBox> JointBoxes::grow(const JointBox& whole, std::size_t parts, CutTree& cuts) {
  struct Candidate {
    double weight;
    std::size_t part;
    bool operator<(const Candidate& other) const {
      // Ties go to the smaller number, so that the tree is the same on all machines.
      return weight != other.weight ? weight < other.weight : part > other.part;
    }
  };
  std::vector<JointBox> boxes = {whole};
  std::vector<std::pair<std::int32_t, bool>> hangs = {{-1, false}};  // which side of which cut a part hangs on
  std::priority_queue<Candidate> queue;
  // Mass times distance: what a trip's place in the box is wrong by, summed over its trips.
  const auto push = [&](std::size_t part) { queue.push({boxes[part].mass * std::sqrt(boxes[part].spread), part}); };
  push(0);
  // Each round one part becomes two. The order depends on the maps alone, not on any count of the joint tree.
  while (boxes.size() < parts && !queue.empty()) {
    const std::size_t part = queue.top().part;
    queue.pop();
    const int factor = widest(boxes[part]);
    // A single cell at every stop: stays as it is.
    if (factor < 0) continue;
    const auto f = static_cast<std::size_t>(factor);
    const StopTree::Node cut = trees_[f].cut(boxes[part].stops[f]);
    const auto node = static_cast<std::int32_t>(cuts.nodes.size());
    // Leaves of the cut tree are written as ~part. The lower side keeps the number of the part, the upper gets the
    // next one.
    cuts.nodes.push_back({static_cast<std::uint32_t>(factors_[f][static_cast<std::size_t>(cut.axis)]), cut.at,
                          ~static_cast<std::int32_t>(part), ~static_cast<std::int32_t>(boxes.size())});
    // The cut above pointed to this part; now it points to the new cut.
    if (hangs[part].first >= 0) {
      CutTree::Node& above = cuts.nodes[static_cast<std::size_t>(hangs[part].first)];
      (hangs[part].second ? above.above : above.below) = node;
    }
    hangs[part] = {node, false};
    hangs.emplace_back(node, true);
    const JointBox box = boxes[part];
    boxes.push_back(with_stop(box, f, cut.above));
    boxes[part] = with_stop(box, f, cut.below);
    push(part);
    push(boxes.size() - 1);
  }
  return boxes;
}

Box JointBoxes::bounds(const JointBox& box) const {
  std::vector<Interval> sides(axes_);
  for (std::size_t f = 0; f < trees_.size(); ++f) {
    const StopTree::Node& node = trees_[f].node(box.stops[f]);
    sides[factors_[f][0]] = node.x;
    if (factors_[f].size() > 1) sides[factors_[f][1]] = node.y;
  }
  return Box(sides);
}

double JointBoxes::mass(const Box& box) const {
  double product = 1;
  for (std::size_t f = 0; f < maps_.size(); ++f) {
    const StopMap& map = maps_[f];
    const Interval y = factors_[f].size() > 1 ? box[factors_[f][1]] : Interval{0, 1};
    // Differences of sums: rounding may bring them a little below 0.
    product *= std::max(0.0, map.mass(box[factors_[f][0]], y)) /
               map.mass(Interval{0, map.width()}, Interval{0, map.height()});
  }
  return product;
}

// The factor with the largest scatter that can still be cut, or -1.
int JointBoxes::widest(const JointBox& box) const {
  int best = -1;
  double scatter = -1;
  for (std::size_t f = 0; f < trees_.size(); ++f) {
    const StopTree::Node& node = trees_[f].node(box.stops[f]);
    // One cell cannot be cut.
    if (node.x.width() * std::uint64_t{node.y.width()} > 1 && node.scatter > scatter) {
      best = static_cast<int>(f);
      scatter = node.scatter;
    }
  }
  return best;
}

// The same box with another node at one stop; the products are made anew, in the same order each time.
JointBox JointBoxes::with_stop(const JointBox& box, std::size_t factor, int stop) const {
  JointBox result = box;
  result.stops[factor] = stop;
  result.mu = 1;
  result.spread = 0;
  for (std::size_t f = 0; f < trees_.size(); ++f) {
    // Stops are independent under the base: masses multiply.
    result.mu *= trees_[f].node(result.stops[f]).mass;
    result.spread += trees_[f].node(result.stops[f]).scatter;
  }
  result.mass = foretold_ ? foretold_(bounds(result), result.mu) : result.mu;
  return result;
}

std::vector<double> JointBoxes::shares_of(const std::vector<JointBox>& boxes, const JointBox& parent) const {
  double all = parent.mass;
  if (foretold_) {
    // What is foretold of parts need not add up to what is foretold of the whole.
    all = 0;
    for (const JointBox& box : boxes) all += box.mass;
  }
  std::vector<double> shares;
  for (const JointBox& box : boxes) {
    shares.push_back(all > 0 ? box.mass / all : 1.0 / static_cast<double>(boxes.size()));
  }
  return shares;
}

}  // namespace stopover
