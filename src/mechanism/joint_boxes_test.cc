#include "mechanism/joint_boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace stopover {
namespace {

constexpr std::uint32_t kSide = 64;

// Two stops whose maps are even.
JointBoxes even_boxes() {
  const std::vector<StopMap::Leaf> all = {{{0, kSide}, {0, kSide}, 1}};
  return JointBoxes({{0, 1}, {2, 3}}, {StopMap(kSide, kSide, all, false), StopMap(kSide, kSide, all, false)},
                    {nullptr, nullptr});
}

bool in_first_quarter(const Box& box) { return box[0].hi <= kSide / 2 && box[2].hi <= kSide / 2; }

std::size_t of_first_quarter(const JointBoxes& boxes, const std::vector<JointBox>& grown) {
  std::size_t number = 0;
  for (const JointBox& box : grown) number += in_first_quarter(boxes.bounds(box)) ? 1 : 0;
  return number;
}

TEST(JointBoxes, AreCutWhereTripsAreForetold) {
  CutTree unused;
  JointBoxes even = even_boxes(), foretold = even_boxes();
  // Nine tenths of the trips between the first halves of both stops, a quarter of the product of the maps.
  foretold.foretell([](const Box& box, double mu) {
    double part = 1;
    for (std::size_t axis : {std::size_t{0}, std::size_t{2}}) {
      const double below = std::min<double>(box[axis].hi, kSide / 2) - std::min<double>(box[axis].lo, kSide / 2);
      part *= below / box[axis].width();
    }
    return mu * ((1 - part) * 0.1 / 0.75 + part * 0.9 / 0.25);
  });
  const std::vector<JointBox> by_maps = even.grow(even.whole(), 64, unused);
  CutTree cuts;
  const std::vector<JointBox> by_history = foretold.grow(foretold.whole(), 64, cuts);
  EXPECT_EQ(of_first_quarter(even, by_maps), 16U);
  EXPECT_GT(of_first_quarter(foretold, by_history), 32U);
  // Their mass under the maps is what it was.
  double mu = 0;
  for (const JointBox& box : by_history) mu += box.mu;
  EXPECT_NEAR(mu, 1, 1e-9);
}

TEST(JointBoxes, SharesAddUpThoughForetoldMassesDoNot) {
  CutTree cuts;
  JointBoxes boxes = even_boxes();
  boxes.foretell([](const Box& box, double mu) { return in_first_quarter(box) ? 3 * mu : mu; });
  const std::vector<JointBox> grown = boxes.grow(boxes.whole(), 32, cuts);
  const std::vector<double> shares = boxes.shares_of(grown, boxes.whole());
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12);
}

}  // namespace
}  // namespace stopover
