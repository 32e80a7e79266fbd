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

// Trips around the middle of the map, each stop for itself, and `more` trips between places at its edge, spread over
// `side` cells of every axis.
Release publish_flows(std::size_t stops, const std::string& key, std::size_t more, const Coordinates& place,
                      Ticks epsilon = kEpsilon, const char* most = "1048576", std::uint32_t side = 1) {
  std::mt19937_64 random(3);
  std::binomial_distribution<std::uint32_t> near(kWidth - 1, 0.5);
  MatrixBuilder builder(*Domain::of_shape(std::vector<std::uint64_t>(2 * stops, kWidth)));
  for (std::size_t i = 0; i < 40'000; ++i) {
    Coordinates cell;
    for (std::size_t axis = 0; axis < 2 * stops; ++axis) cell.push_back(near(random));
    builder.add(cell, 1);
  }
  for (std::size_t i = 0; i < more; ++i) {
    Coordinates cell = place;
    for (std::uint32_t& index : cell) index += static_cast<std::uint32_t>(random() % side);
    builder.add(cell, 1);
  }
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

// Three stops: where cuts went through a flow, its trips are gathered, in rows that were not measured below a leaf that
// was. Two stops have none.
TEST(Anchor, GathersAFlowThatCutsWentThrough) {
  std::size_t gathered = 0;
  for (const char* key : {"1", "2", "3", "4", "5", "6"}) {
    const Release release = publish_flows(3, key, 450, kThree, kEpsilon, "1048576", 5);
    const Table& joint = release.tables[0];
    std::map<std::int32_t, double> sums;
    for (std::size_t row = 0; row < joint.rows(); ++row) {
      if (joint.row_ticks[row] == 0) sums[joint.parent[row]] += joint.estimate[row];
    }
    for (const auto& [parent, sum] : sums) {
      EXPECT_GT(joint.row_ticks[static_cast<std::size_t>(parent)], 0u);
      EXPECT_NEAR(sum, joint.estimate[static_cast<std::size_t>(parent)], 1e-6);
    }
    gathered += sums.size();
    const Status kept = check_release(release);
    EXPECT_TRUE(kept) << kept.error().message;
    const Release two = publish_flows(2, key, 300, kTwo, kEpsilon, "1048576", 5);
    EXPECT_EQ(std::ranges::count(two.tables[0].row_ticks, Ticks{0}), 0);
  }
  EXPECT_GT(gathered, 0u);
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
  EXPECT_LT(joint.rows(), free.rows());
  EXPECT_TRUE(check_release(bound));
}

// A stop of more than 2^24 cells: its map is divided down to squares of two by two cells, and no further.
TEST(Anchor, MapsOfVeryManyCellsAreMadeOfSquares) {
  constexpr std::uint32_t kCells = 4099;
  MatrixBuilder builder(*Domain::of_shape(std::vector<std::uint64_t>(4, kCells)));
  std::mt19937_64 random(5);
  for (std::size_t i = 0; i < 2'000; ++i) {
    const auto any = [&] { return static_cast<std::uint32_t>(random() % kCells); };
    builder.add(Coordinates{any(), any(), any(), any()}, 1);
  }
  const Coordinates place = {4098, 4098, 17, 2001};
  builder.add(place, 5'000);
  const Matrix matrix = std::move(builder).build();
  const Mechanism& mechanism = *find_mechanism("anchor");
  const Params params = *read_params(mechanism, {});
  ASSERT_TRUE(mechanism.check(params, matrix.domain()));
  StreamDice dice(test_key("squares"));
  Kernel kernel(matrix, dice, kTicksPerEpsilon, 1);
  Release release = run_mechanism(mechanism, params, kernel, Unit::trip);
  release.randomness = Randomness::repeatable("squares");
  const Status checked = check_release(release);
  ASSERT_TRUE(checked) << checked.error().message;
  std::uint32_t smallest = kCells;
  for (std::size_t t = 1; t < release.tables.size(); ++t) {
    const Table& map = release.tables[t];
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t row = 0; row < map.rows(); ++row) {
        EXPECT_EQ(map.lo[i][row] % 2, 0u);
        EXPECT_TRUE(map.hi[i][row] % 2 == 0 || map.hi[i][row] == kCells);
        smallest = std::min(smallest, map.hi[i][row] - map.lo[i][row]);
      }
    }
  }
  EXPECT_LE(smallest, 2u) << "the busy place is found";
  ASSERT_GE(release.tables[1].rows(), 2u);
  release.tables[1].hi[0][1] -= 1;
  const Status refused = check_release(release);
  ASSERT_FALSE(refused);
  const std::vector<std::uint64_t> too_many(4, 70'000);
  EXPECT_FALSE(mechanism.check(params, *Domain::of_shape(too_many)));
}

}  // namespace
}  // namespace stopover
