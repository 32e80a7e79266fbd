#include "mechanism/anchor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "matrix/matrix.h"
#include "mechanism/mechanism.h"
#include "privacy/stream_dice.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

using Coordinates = std::vector<std::uint32_t>;

constexpr Ticks kEpsilon = kTicksPerEpsilon / 2;
constexpr std::uint32_t kWidth = 1000;

// Trips around the middle of the map, each stop for itself, and `more` trips between two places at its edge.
Release publish_flows(std::size_t stops, const std::string& key, std::size_t more, const Coordinates& place,
                      Ticks epsilon = kEpsilon, const char* most = "1048576") {
  std::mt19937_64 random(3);
  std::binomial_distribution<std::uint32_t> near(kWidth - 1, 0.5);
  MatrixBuilder builder(*Domain::of_shape(std::vector<std::uint64_t>(2 * stops, kWidth)));
  for (std::size_t i = 0; i < 40'000; ++i) {
    Coordinates cell;
    for (std::size_t axis = 0; axis < 2 * stops; ++axis) cell.push_back(near(random));
    builder.add(cell, 1);
  }
  builder.add(place, more);
  const Matrix matrix = std::move(builder).build();
  StreamDice dice(test_key(key));
  Kernel kernel(matrix, dice, epsilon, 1);
  const Mechanism& mechanism = *find_mechanism("anchor");
  return run_mechanism(mechanism, *read_params(mechanism, {{"max_partitions", most}}), kernel, Unit::trip);
}

// The leaf that holds a cell.
std::size_t leaf_of(const Table& table, const Coordinates& cell) {
  const std::vector<bool> leaves = table.leaves();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    bool inside = leaves[row];
    for (std::size_t axis = 0; inside && axis < cell.size(); ++axis)
      inside = table.lo[axis][row] <= cell[axis] && cell[axis] < table.hi[axis][row];
    if (inside) return row;
  }
  return table.rows();
}

const Coordinates kTwo = {93, 871, 912, 158}, kThree = {93, 871, 912, 158, 507, 66};

// Ten times as many trips as could at best be found (ln(cells/2)/epsilon: 54 and 82) stand in a box of a millionth of
// the domain, in each of several releases. Without following they are spread over a leaf thousands of times as large.
TEST(Anchor, ShowsAFlowThatTheMapsDoNotForesee) {
  for (const auto& [place, trips] : std::map<Coordinates, double>{{kTwo, 540}, {kThree, 820}}) {
    for (const char* key : {"1", "2", "3", "4", "5"}) {
      const Release release = publish_flows(place.size() / 2, key, static_cast<std::size_t>(trips), place);
      const Table& joint = release.tables[0];
      const std::size_t row = leaf_of(joint, place);
      ASSERT_LT(row, joint.rows());
      EXPECT_GT(joint.estimate[row], trips / 2) << place.size() << " axes, key " << key;
      EXPECT_LT(joint.estimate[row], trips * 1.5);
      const u128 domain = release.domain.volume();
      EXPECT_TRUE(joint.box(row).volume() < domain / 1'000'000) << place.size() << " axes, key " << key;
    }
  }
}

// A followed box pays for its coarse count alone, its parts for what is left: every path to a leaf spends the table's
// slice, to the last tick.
TEST(Anchor, FollowedPathsPayWhatOthersDo) {
  const Release release = publish_flows(2, "1", 540, kTwo);
  const Table& joint = release.tables[0];
  const std::vector<bool> leaves = joint.leaves();
  std::vector<Ticks> spent(joint.rows());
  std::size_t followed = 0;
  for (std::size_t row = 0; row < joint.rows(); ++row) {
    const Ticks before = joint.parent[row] < 0 ? 0 : spent[static_cast<std::size_t>(joint.parent[row])];
    spent[row] = before + joint.row_ticks[row];
    EXPECT_EQ(joint.side_ticks[row], 0u);
    if (leaves[row]) {
      EXPECT_EQ(spent[row], joint.ticks) << row;
    } else {
      EXPECT_LT(spent[row], joint.ticks) << row;
    }
    followed += joint.depth[row] > 3;
  }
  EXPECT_GT(followed, 0u);
  const Status kept = check_release(release);
  EXPECT_TRUE(kept) << kept.error().message;
}

// Following stops where the table would grow too large; the count is then refined as any other leaf's.
TEST(Anchor, FollowsWithinTheMostPartitions) {
  const Table free = publish_flows(2, "1", 540, kTwo).tables[0];
  const auto ordinary = std::count_if(free.depth.begin(), free.depth.end(), [](auto depth) { return depth <= 3; });
  ASSERT_LT(static_cast<std::size_t>(ordinary), free.rows());
  const Release bound = publish_flows(2, "1", 540, kTwo, kEpsilon, std::to_string(ordinary + 8).c_str());
  const Table& joint = bound.tables[0];
  EXPECT_LT(joint.rows(), static_cast<std::size_t>(ordinary + 8));
  // A node that was a leaf by itself is followed before the last level is counted; the flow is not, or not as deep.
  EXPECT_LT(*std::max_element(joint.depth.begin(), joint.depth.end()),
            *std::max_element(free.depth.begin(), free.depth.end()));
  EXPECT_TRUE(check_release(bound));
}

}  // namespace
}  // namespace stopover
