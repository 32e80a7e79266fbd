#include "exports/dense_array.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>

#include "query/answerer.h"
#include "release/sample_release.h"
#include "testing/city_release.h"

namespace stopover {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<double> values_of(const std::string& bytes) {
  const std::size_t header = 10 + static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]);
  EXPECT_EQ(header % 64, 0u);
  std::vector<double> values((bytes.size() - header) / sizeof(double));
  std::memcpy(values.data(), bytes.data() + header, values.size() * sizeof(double));
  return values;
}

TEST(DenseArray, IsThePapersExample) {
  const std::string path = testing::TempDir() + "paper.npy";
  ASSERT_TRUE(write_dense(sample::paper(1, -1, -12), Estimates::plain, path));
  const std::string bytes = bytes_of(path);
  EXPECT_NE(bytes.find("'shape': (3,2,3,)"), std::string::npos);
  const std::vector<double> values = values_of(bytes);
  ASSERT_EQ(values.size(), 18u);
  EXPECT_EQ(values[0], 3.0 / 4);                  // cell 0, 0, 0: a partition of 4 cells with count 2 + 1
  EXPECT_EQ(values[2], 0.0 / 6);                  // cell 0, 0, 2
  EXPECT_EQ(values[1 * 6 + 1 * 3 + 1], 3.0 / 8);  // cell 1, 1, 1: 4 - 1
  EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0), 6, 1e-12);
}

TEST(DenseArray, ConsistentCellsAreTheReleasesAnswers) {
  for (const char* mechanism : {"anchor", "daf-entropy"}) {
    const Release release = sample::city_release(2, 3000, 12, mechanism);
    const std::string path = testing::TempDir() + "city.npy";
    ASSERT_TRUE(write_dense(release, Estimates::consistent, path));
    const std::vector<double> values = values_of(bytes_of(path));
    ASSERT_EQ(values.size(), 12u * 12 * 12 * 12);
    const BoxIndex index = *BoxIndex::make(release);
    Answerer ask(index, {.intervals = false});
    for (std::uint32_t i = 0; i < values.size(); i += 97) {
      Box cell = release.domain.whole();
      for (std::uint32_t a = 4, rest = i; a-- > 0; rest /= 12) cell[a] = {rest % 12, rest % 12 + 1};
      EXPECT_NEAR(values[i], ask(BoxQuery::of(cell)).estimate, 1e-6) << mechanism << " " << i;
    }
  }
}

TEST(DenseArray, HasALargestSize) {
  Release release = sample::paper(0, 0, 0);
  release.domain = *Domain::of_shape({1u << 14, 1u << 14});
  EXPECT_EQ(check_dense(release.domain).error().failure, Failure::usage);
  EXPECT_EQ(write_dense(release, Estimates::plain, testing::TempDir() + "large.npy").error().failure, Failure::usage);
  EXPECT_TRUE(check_dense(*Domain::of_shape({1u << 14, 1u << 13})));
  EXPECT_EQ(write_dense(sample::paper(0, 0, 0), Estimates::plain, testing::TempDir() + "none/x.npy").error().failure,
            Failure::bad_input);
}

}  // namespace
}  // namespace stopover
