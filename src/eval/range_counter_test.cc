#include "eval/range_counter.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>

#include "synthetic/generate.h"
#include "synthetic/number_sequence.h"

namespace stopover {
namespace {

Box random_box(const Domain& domain, NumberSequence& numbers) {
  Box box = domain.whole();
  for (std::size_t axis = 0; axis < domain.d(); ++axis) {
    const auto a = static_cast<std::uint32_t>(numbers.below(domain.axis(axis).cells));
    const auto b = static_cast<std::uint32_t>(numbers.below(domain.axis(axis).cells));
    box[axis] = {std::min(a, b), std::max(a, b) + 1};
  }
  return box;
}

// Columns and a branch-free scan: what a fast program without an index would do.
class Scan {
 public:
  explicit Scan(const Matrix& matrix) : counts_(matrix.counts().begin(), matrix.counts().end()) {
    for (std::size_t axis = 0; axis < matrix.domain().d(); ++axis) {
      std::vector<std::int32_t>& column = columns_.emplace_back();
      for (u128 key : matrix.keys()) column.push_back(static_cast<std::int32_t>(matrix.keys_of_axes().cell(key, axis)));
    }
  }
  std::uint64_t count(const Box& box) const {
    std::vector<std::int32_t> inside(counts_.size(), -1);
    for (std::size_t axis = 0; axis < columns_.size(); ++axis) {
      const std::int32_t* column = columns_[axis].data();
      const auto lo = static_cast<std::int32_t>(box[axis].lo), hi = static_cast<std::int32_t>(box[axis].hi);
      for (std::size_t i = 0; i < inside.size(); ++i) {
        inside[i] &= -static_cast<std::int32_t>((column[i] >= lo) & (column[i] < hi));
      }
    }
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < inside.size(); ++i) sum += inside[i] ? counts_[i] : 0;
    return sum;
  }

 private:
  std::vector<std::vector<std::int32_t>> columns_;
  std::vector<std::uint64_t> counts_;
};

void agree(const SyntheticTrips& trips, int boxes) {
  const Matrix matrix = to_matrix(trips);
  const RangeCounter truth(matrix);
  const Scan scan(matrix);
  EXPECT_EQ(truth.total(), matrix.total());
  EXPECT_EQ(truth.count(matrix.domain().whole()), matrix.total());
  NumberSequence numbers(1);
  std::uint64_t all = 0;
  for (int i = 0; i < boxes; ++i) {
    const Box box = random_box(matrix.domain(), numbers);
    const std::uint64_t n = truth.count(box);
    ASSERT_EQ(n, scan.count(box)) << trips.summary << ", box " << i;
    all += n;
  }
  EXPECT_TRUE(all > 0 || trips.rows() <= 1000);
}

TEST(RangeCounter, AgreesWithAScan) {
  agree(*generate_gaussian(1, 5000, 1000, 100, 3), 300);
  agree(*generate_zipf(2, 20'000, 1000, 1.2, 3), 300);
  agree(*generate_gaussian(3, 20'000, 7, 2, 3), 300);
  agree(*generate_city(2, 20'000, 1000, 3), 300);
  agree(*generate_city(3, 20'000, 1000, 3), 300);
  agree(*generate_gaussian(12, 20'000, 4, 1, 3), 100);
  agree(*generate_gaussian(2, 1, 10, 1, 3), 50);
  agree(*generate_gaussian(2, 0, 10, 1, 3), 5);
  agree(*generate_gaussian(3, 129, 1, 1, 3), 1);
}

TEST(RangeCounter, EmptySidesHoldNothing) {
  const Matrix matrix = to_matrix(*generate_gaussian(2, 5000, 10, 3, 3));
  Box box = matrix.domain().whole();
  box[1] = {4, 4};
  EXPECT_EQ(RangeCounter(matrix).count(box), 0u);
}

TEST(RangeCounter, AddsUpLargeCounts) {
  MatrixBuilder builder(*Domain::of_shape({4, 4}));
  for (std::uint32_t x = 0; x < 4; ++x) builder.add(std::array{x, x}, std::uint64_t{1} << 40);
  const Matrix matrix = std::move(builder).build();
  Box box = matrix.domain().whole();
  box[0] = {1, 3};
  EXPECT_EQ(RangeCounter(matrix).count(box), std::uint64_t{1} << 41);
}

// 1,000 boxes in 6D over a million trips take under a second of processor time, or a twentieth of the scan. The figures
// are printed.
TEST(RangeCounter, IsFastIn6D) {
  const Matrix matrix = to_matrix(*generate_city(3, 1'000'000, 1000, 7));
  const auto seconds = [](auto work) {
    const std::clock_t start = std::clock();
    work();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  const std::clock_t built = std::clock();
  const RangeCounter truth(matrix);
  const double build = static_cast<double>(std::clock() - built) / CLOCKS_PER_SEC;
  const Scan scan(matrix);
  NumberSequence numbers(2);
  std::vector<Box> boxes;
  for (int i = 0; i < 1000; ++i) boxes.push_back(random_box(matrix.domain(), numbers));
  std::uint64_t a = 0, b = 0;
  const double by_tree = seconds([&] {
    for (const Box& box : boxes) a += truth.count(box);
  });
  const double by_scan = seconds([&] {
                           for (std::size_t i = 0; i < 20; ++i) b += scan.count(boxes[i]);
                         }) /
                         20;
  const double ratio = 1000 * by_scan / by_tree;
  std::printf("build %.2f s; 1,000 boxes: tree %.3f s, scan %.2f s, ratio %.0f\n", build, by_tree, 1000 * by_scan,
              ratio);
  EXPECT_GE(a, b);
  EXPECT_TRUE(by_tree < 1 || ratio > 20);
}

}  // namespace
}  // namespace stopover
