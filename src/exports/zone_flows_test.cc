#include "exports/zone_flows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "exports/omx_file.h"
#include "exports/trip_model.h"
#include "testing/city_release.h"

namespace stopover {
namespace {

std::string square(const std::string& name, double west, double south, double east, double north) {
  return fmt::format(R"({{"type":"Feature","properties":{{"name":"{0}"}},"geometry":{{"type":"Polygon","coordinates":)"
                     R"([[[{1},{2}],[{3},{2}],[{3},{4}],[{1},{4}],[{1},{2}]]]}}}})",
                     name, west, south, east, north);
}

// n x n squares that tile the degree of sample::city_release.
Zones tiling(int n) {
  std::string features;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double w = 1.0 / n;
      features += (features.empty() ? "" : ",") +
                  square(fmt::format("z{}{}", i, j), -123 + i * w, 37 + j * w, -123 + (i + 1) * w, 37 + (j + 1) * w);
    }
  }
  return *Zones::of_geojson("{\"type\":\"FeatureCollection\",\"features\":[" + features + "]}", "tiles");
}

TEST(ZoneFlows, ZonesThatTileTheMapAddUp) {
  for (const char* mechanism : {"anchor", "daf-entropy"}) {
    const Release release = sample::city_release(3, 10'000, 90, mechanism);
    ZoneFlows flows = *ZoneFlows::make(release, tiling(3), false);
    const double total = flows.whole().estimate;
    for (std::size_t stop = 0; stop < 3; ++stop) {
      double sum = 0;
      for (std::size_t z = 0; z < 9; ++z) sum += flows.at(stop, z).estimate;
      EXPECT_NEAR(sum, total, 1e-6 * total);
    }
    double sum = 0, from_first = 0;
    for (std::size_t a = 0; a < 9; ++a) {
      for (std::size_t b = 0; b < 9; ++b) {
        const double e = flows.between(0, a, 2, b).estimate;
        sum += e;
        from_first += a == 4 ? e : 0;
      }
    }
    EXPECT_NEAR(sum, total, 1e-6 * total);
    EXPECT_NEAR(from_first, flows.at(0, 4).estimate, 1e-6 * total);
  }
}

TEST(ZoneFlows, AZoneThatIsABoxIsTheBox) {
  const Release release = sample::city_release(2, 10'000, 90, "anchor");
  ZoneFlows flows = *ZoneFlows::make(release, tiling(3), false);
  Box box = release.domain.whole();
  box[0] = {30, 60};
  box[1] = {30, 60};
  box[2] = {30, 60};
  box[3] = {0, 30};
  const BoxIndex index = *BoxIndex::make(release);
  const Answer a = answer(index, BoxQuery::of(box)), b = flows.between(0, 4, 1, 3);
  EXPECT_NEAR(a.estimate, b.estimate, 1e-6);
  EXPECT_NEAR(a.noise_lower, b.noise_lower, 1e-6);
}

TEST(ZoneFlows, RowsAreTheAnswersOfTheirPairs) {
  const Release release = sample::city_release(2, 10'000, 90, "anchor");
  ZoneFlows flows = *ZoneFlows::make(release, tiling(5), false);
  const std::vector<Answer> all = flows.rows(0, 3, 25, 1);
  ASSERT_EQ(all.size(), 22u * 25);
  // A quarter of the pairs has more than this.
  std::vector<double> estimates;
  for (const Answer& answer : all) estimates.push_back(answer.estimate);
  std::sort(estimates.begin(), estimates.end());
  const double least = estimates[estimates.size() * 3 / 4];
  ASSERT_GT(least, 0);
  const std::vector<Answer> busy = flows.rows(0, 3, 25, 1, least);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Answer a = flows.between(0, 3 + i / 25, 1, i % 25);
    EXPECT_EQ(all[i].estimate, a.estimate);
    EXPECT_EQ(all[i].lower, a.lower);
    EXPECT_EQ(all[i].noise_upper, a.noise_upper);
    EXPECT_EQ(busy[i].estimate, a.estimate);
    EXPECT_EQ(busy[i].upper, a.estimate >= least ? a.upper : 0);
  }
}

TEST(ZoneFlows, CountsDrawnTrips) {
  const Release release = sample::city_release(2, 10'000, 90, "anchor");
  ZoneFlows flows = *ZoneFlows::make(release, tiling(2), false);
  const SyntheticTrips trips = *TripModel::make(release)->draw(20'000, 1);
  NumberSequence numbers(1);
  const std::vector<double> counts = flows.count(trips, 0, 1, numbers);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), 20'000);
  const double total = flows.whole().estimate;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) {
      const double expected = 20'000 * flows.between(0, a, 1, b).estimate / total;
      EXPECT_NEAR(counts[a * 4 + b], expected, 4.5 * std::sqrt(expected) + 1);
    }
  }
}

TEST(ZoneFlows, RefusesOverlapsAndTakesOutsiders) {
  const Release release = sample::city_release(2, 1000, 90, "anchor");
  const auto of = [](const std::string& features) {
    return *Zones::of_geojson("{\"type\":\"FeatureCollection\",\"features\":[" + features + "]}", "file");
  };
  const Zones twice = of(square("one", -123, 37, -122.5, 37.5) + "," + square("two", -122.6, 37.1, -122.2, 37.9));
  const Result<ZoneFlows> refused = ZoneFlows::make(release, twice, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failure, Failure::bad_input);
  EXPECT_NE(refused.error().message.find("\"one\" and \"two\" overlap"), std::string::npos);
  EXPECT_TRUE(ZoneFlows::make(release, twice, true));
  ZoneFlows outside =
      *ZoneFlows::make(release, of(square("far", 10, 37, 11, 38) + "," + square("in", -123, 37, -122.5, 37.5)), false);
  EXPECT_EQ(outside.at(0, 0).estimate, 0);
  EXPECT_EQ(outside.between(0, 0, 1, 1).estimate, 0);
  EXPECT_GT(outside.at(0, 1).estimate, 0);
  EXPECT_FALSE(outside.notes().empty());
}

TEST(OmxFile, HasItsMatricesOnce) {
  Result<OmxFile> file = OmxFile::make({"a", "ü"}, "{}");
  ASSERT_TRUE(file);
  const std::vector<double> values = {1, 2, 3, 4};
  EXPECT_TRUE(file->add("trips", "all", values));
  EXPECT_FALSE(file->add("trips", "again", values));
  const std::string bytes = *file->finish();
  EXPECT_TRUE(bytes.starts_with("\x89HDF\r\n"));  // tests/exports reads one with openmatrix
  Result<OmxFile> again = OmxFile::make({"a", "ü"}, "{}");
  EXPECT_TRUE(again->add("trips", "all", values));
  EXPECT_EQ(*again->finish(), bytes);
}

// 1,000 zones are 32 chunks. What readers fill in takes no room.
TEST(OmxFile, ChunksOfZerosAreNotInTheFile) {
  std::vector<std::string> names(1000);
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = std::to_string(i);
  const auto bytes_with = [&](const std::vector<std::size_t>& places) {
    OmxFile file = *OmxFile::make(names, "{}");
    EXPECT_TRUE(file.begin("trips", "all"));
    EXPECT_FALSE(file.put("none", 0, std::vector<double>(1000)));
    for (std::size_t first = 0; first < 1000; first += OmxFile::kRows) {
      std::vector<double> rows(std::min<std::size_t>(OmxFile::kRows, 1000 - first) * 1000, 0.0);
      for (std::size_t place : places) {
        if (place >= first * 1000 && place < first * 1000 + rows.size()) rows[place - first * 1000] = 0.1;
      }
      EXPECT_TRUE(file.put("trips", first, rows));
    }
    return file.finish()->size();
  };
  // A chunk of 128 x 256 zeros and one value is some 300 bytes, packed.
  const std::size_t none = bytes_with({}), one = bytes_with({999'999});
  EXPECT_GT(one, none + 200);
  EXPECT_LT(one, none + 10'000);
  std::vector<std::size_t> each;
  for (std::size_t row = 0; row < 1000; row += 128) {
    for (std::size_t column = 0; column < 1000; column += 256) each.push_back(row * 1000 + column);
  }
  EXPECT_GT(bytes_with(each), none + 31 * 200);
}

}  // namespace
}  // namespace stopover
