#include "explore/release_pack.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "explore/zone_pack.h"
#include "query/synthetic_release.h"
#include "release/sample_release.h"

namespace stopover {
namespace {

TEST(ReleasePack, GivesBackTheSameRelease) {
  for (const Release& release :
       {sample::paper(1, -3, 5), sample::city(), sample::maps(), sample::believed(), sample::grid(40)}) {
    const Result<Release> same = unpack_release(pack_release(release));
    ASSERT_TRUE(same) << same.error().message;
    EXPECT_EQ(*same, release);
  }
}

TEST(ReleasePack, LeavesOutCoarseCounts) {
  const Release release = sample::gradual();
  const Result<Release> same = unpack_release(pack_release(release));
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(*same, without_coarse_counts(release));
  EXPECT_EQ(*same, sample::maps());
}

TEST(ReleasePack, KeepsWhereTheRandomnessCameFrom) {
  for (const Randomness& randomness : {Randomness::repeatable("a"), Randomness()}) {
    Release release = sample::city();
    release.randomness = randomness;
    EXPECT_EQ(*unpack_release(pack_release(release)), release);
  }
  Release old = sample::city();
  old.format = 1;
  EXPECT_EQ(*unpack_release(pack_release(old)), old);
}

TEST(ReleasePack, KeepsTheCalibration) {
  Release release = sample::maps();
  Calibration c;
  c.draws = 3;
  c.questions = 400;
  c.weights = {1, 0.5, 0, 2, 0, 0, 0.25};
  c.tails = {0.5, 0.1, 0.01};
  c.signals = {0, 1.5};
  c.below = {-0.1, -1, -2, -0.1, -1.1, -2.5};
  c.above = {0.1, 1, 2, 0.1, 1.2, 2.5};
  release.calibration = c;
  ASSERT_TRUE(check_release(release)) << check_release(release).error().message;
  const Result<Release> same = unpack_release(pack_release(release));
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(*same, release);
}

Release probed(Release release) {
  constexpr std::size_t kCells = Probes::kGroups * Probes::kClasses;
  Probes& probes = release.probes.emplace();
  probes.ticks = 1;
  probes.lattices = 36;
  probes.counts.assign(Probes::kEntries, -3);
  probes.scales = probes.squares = probes.signals = std::vector<double>(kCells, 1);
  probes.whole.assign(kCells * Probes::kBelow.size(), 7);
  probes.tails = {0.25};
  probes.below = probes.above = std::vector<double>(kCells, 1);
  release.epsilon += 1;
  release.spent += 1;
  release.charges.push_back({"probes", 0, "ranks", 1, 1});
  return release;
}

TEST(ReleasePack, KeepsTheScaleOfProbes) {
  Release release = probed(sample::maps());
  ASSERT_TRUE(check_release(release)) << check_release(release).error().message;
  for (const std::uint32_t scale : {Probes::kScale, 0u, 7u}) {
    release.probes->scale = scale;
    const Result<Release> same = unpack_release(pack_release(release));
    ASSERT_TRUE(same) << same.error().message;
    EXPECT_EQ(*same, release);
  }
}

// Answers of a probed release tell by them which boxes were divided because of their counts.
TEST(ReleasePack, KeepsWhatCoarseCountsOfTheJointTableCost) {
  Release release = probed(sample::gradual());
  Table& joint = release.tables[0];
  joint.coarse_count.assign(joint.rows(), 0);
  joint.coarse_ticks.assign(joint.rows(), 0);
  for (std::size_t row = 0; row < joint.rows(); ++row) {
    joint.coarse_count[row] = 9;
    joint.coarse_ticks[row] = joint.row_ticks[row] / 2;
  }
  ASSERT_TRUE(check_release(release)) << check_release(release).error().message;
  const Result<Release> same = unpack_release(pack_release(release));
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(*same, without_coarse_counts(release));
  EXPECT_EQ(same->tables[0].coarse_ticks, joint.coarse_ticks);
  EXPECT_EQ(same->tables[0].coarse_count, std::vector<std::int64_t>(joint.rows(), 0));
  EXPECT_TRUE(same->tables[1].coarse_ticks.empty());
}

// Squares of a chessboard with wavy borders of 24 corners each, which neighbours share; `jitter` gives them digits. The
// last zone has a hole and an island.
ZoneSet wavy(int side, double jitter) {
  std::vector<ZoneRecord> zones;
  const auto node = [&](int i, int k) { return PlanePoint{10 + 0.01 * i, 50 + 0.01 * k}; };
  const auto digits = [&](double v) {
    const double near = std::round(v * 1e6) / 1e6;
    return near + jitter * std::round(100 * std::sin(near * 1e5));
  };
  // The border between two nodes, the first of them included: the same corners from either end.
  const auto border = [&](PlanePoint a, PlanePoint b, Ring& ring) {
    const bool turned = a.x > b.x || a.y > b.y;
    if (turned) std::swap(a, b);
    for (int s = 0; s < 24; ++s) {
      const int t = turned ? 24 - s : s;
      const double wave = t % 24 == 0 ? 0 : 5e-4 * std::sin(a.x * 700 + a.y * 900 + t);
      ring.push_back({digits(a.x + (b.x - a.x) * t / 24 + (a.x == b.x ? wave : 0)),
                      digits(a.y + (b.y - a.y) * t / 24 + (a.y == b.y ? wave : 0))});
    }
  };
  for (int i = 0; i < side; ++i) {
    for (int k = 0; k < side; ++k) {
      Ring ring;
      border(node(i, k), node(i + 1, k), ring);
      border(node(i + 1, k), node(i + 1, k + 1), ring);
      border(node(i + 1, k + 1), node(i, k + 1), ring);
      border(node(i, k + 1), node(i, k), ring);
      ring.push_back(ring.front());
      const PlanePoint middle{10 + 0.01 * (i + 0.5), 50 + 0.01 * (k + 0.5)};
      zones.push_back({std::to_string(i) + "/" + std::to_string(k), middle, {{ring}}, {"d" + std::to_string(i)}});
    }
  }
  const Ring hole = {{10, 50}, {10.001, 50.002}, {10.002, 50}, {10, 50}};
  zones.back().polygons[0].push_back(hole);
  zones.back().polygons.push_back({{{-0.5, -1}, {1, -0.25}, {0, 0.5}}});
  return *ZoneSet::make(std::move(zones), {"district"}, ZoneForm::polygons);
}

std::string packed(const ZoneSet& zones) {
  Packer out;
  pack_zones(out, zones);
  return out.take();
}

TEST(ZonePack, GivesBackTheSameZones) {
  const std::vector<ZoneRecord> names = {{"A, b", {}, {}, {}}, {"\xe6\x9d\xb1", {}, {}, {}}};
  const std::vector<ZoneRecord> points = {{"A", {10.1, -50.2}, {}, {"s", "all"}},
                                          {"B", {1.0 / 3, 0}, {}, {"t", "all"}}};
  for (const ZoneSet& zones : {*ZoneSet::make(names, {}, ZoneForm::names),
                               *ZoneSet::make(points, {"near", "far"}, ZoneForm::points), wavy(4, 0), wavy(4, 1e-13)}) {
    const std::string bytes = packed(zones);
    Unpacker in(bytes);
    const Result<ZoneSet> same = unpack_zones(in);
    ASSERT_TRUE(same) << same.error().message;
    EXPECT_EQ(*same, zones);
    EXPECT_TRUE(in.at_end());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      Unpacker piece(std::string_view(bytes).substr(0, size));
      EXPECT_FALSE(unpack_zones(piece)) << size;
    }
  }
}

TEST(ZonePack, WritesSharedBordersOnce) {
  // 97 corners per zone. Half of them are new, and take 3 bytes for each of their two steps at most.
  EXPECT_LT(packed(wavy(12, 0)).size(), 12u * 12 * (97 * 3 + 40));
  // With all 17 digits: 6 bytes per step.
  EXPECT_LT(packed(wavy(12, 1e-13)).size(), 12u * 12 * (97 * 6 + 60));
}

TEST(ZonePack, SurvivesEveryChangedByte) {
  const std::string bytes = packed(wavy(2, 0));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
      std::string other = bytes;
      other[i] = static_cast<char>(static_cast<unsigned char>(other[i]) ^ flip);
      Unpacker in(other);
      const Result<ZoneSet> read = unpack_zones(in);
      if (read) {
        EXPECT_EQ(packed(*read), other.substr(0, other.size() - in.rest().size())) << i;
      }
    }
  }
}

TEST(ReleasePack, KeepsTheZones) {
  const auto zones = std::make_shared<const ZoneSet>(wavy(2, 0));
  const Result<Domain> domain =
      Domain::make({Axis::of_labels("zone", AxisKind::zone, zones->ids())}, {{"origin", {0}}}, zones);
  ASSERT_TRUE(domain) << domain.error().message;
  Release release = sample::over(*domain, 100'000'000);
  release.tables.push_back(sample::table("joint", {0}, release.epsilon));
  release.tables[0].append(sample::box({{0, 4}}), -1, 7, release.epsilon, 0);
  sample::settle(release);
  ASSERT_TRUE(check_release(release)) << check_release(release).error().message;
  const Result<Release> same = unpack_release(pack_release(release));
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(*same, release);
  ASSERT_NE(same->domain.zones(), nullptr);
}

TEST(ReleasePack, IsSmall) {
  const Release release = sample::grid(100);
  EXPECT_LT(pack_release(release).size(), 20 * release.tables[0].rows());
}

TEST(ReleasePack, RefusesEveryPieceOfAPack) {
  const std::string bytes = pack_release(sample::city());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(unpack_release(std::string_view(bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(unpack_release(bytes + '\0'));
}

TEST(ReleasePack, SurvivesEveryChangedByte) {
  const std::string bytes = pack_release(sample::maps());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const unsigned flip : {0x01u, 0x40u, 0x80u, 0xffu}) {
      std::string other = bytes;
      other[i] = static_cast<char>(static_cast<unsigned char>(other[i]) ^ flip);
      const Result<Release> read = unpack_release(other);
      // A change that leaves a valid release (a letter of a name, a count) must show in it.
      if (read) {
        EXPECT_EQ(pack_release(*read), other) << i;
      }
    }
  }
}

TEST(ReleasePack, DoesNotTrustLengths) {
  std::string bytes = "stopover-pack-5\n\x02\x06system";
  for (int i = 0; i < 9; ++i) bytes += '\xff';
  EXPECT_FALSE(unpack_release(bytes + '\x01'));
  EXPECT_FALSE(unpack_release(bytes + '\x7f'));
}

}  // namespace
}  // namespace stopover
