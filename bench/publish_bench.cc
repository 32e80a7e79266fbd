// Publishing against sorting, on one thread: how long from a matrix in memory to counted leaves, as a multiple of one
// std::sort of the same million packed keys, the floor for any build that compares.
//
//   publish_bench
//
// The goal: daf-entropy within 4 sorts, eug and ebp no slower than daf-entropy. Times are the least of several runs,
// taken in turns so that a busy machine disturbs all alike; read the ratios. `all` adds the consistent estimates.
#include <tbb/global_control.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "mechanism/mechanism.h"
#include "privacy/stream_dice.h"
#include "synthetic/generate.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

constexpr int kRuns = 7;
constexpr std::uint64_t kTrips = 1'000'000, kWidth = 1000;

template <typename Work>
double seconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Least {
  double value = std::numeric_limits<double>::infinity();
  void add(double x) { value = std::min(value, x); }
};

std::vector<std::uint64_t> packed_keys(const SyntheticTrips& trips) {
  std::vector<std::uint64_t> keys;
  for (std::size_t row = 0; row < trips.rows(); ++row) {
    keys.push_back(std::uint64_t{trips.cells[0][row]} << 32 | trips.cells[1][row]);
  }
  return keys;
}

void measure(const SyntheticTrips& trips, Ticks epsilon) {
  const std::vector<const char*> names = {"daf-entropy", "eug", "ebp"};
  const Matrix matrix = to_matrix(trips);
  const std::vector<std::uint64_t> keys = packed_keys(trips);
  Least sort;
  std::vector<Least> plan(names.size()), all(names.size());
  std::vector<std::size_t> leaves(names.size());
  for (int run = 0; run < kRuns; ++run) {
    std::vector<std::uint64_t> copy = keys;
    sort.add(seconds([&] { std::sort(copy.begin(), copy.end()); }));
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Mechanism& mechanism = *find_mechanism(names[i]);
      const Params params = *read_params(mechanism, {});
      {
        StreamDice dice(test_key("bench"));
        Release release;
        plan[i].add(seconds([&] {
          Kernel kernel(matrix, dice, epsilon, 1);
          mechanism.plan(kernel, params, release);
        }));
        const std::vector<bool> is_leaf = release.tables[0].leaves();
        leaves[i] = static_cast<std::size_t>(std::count(is_leaf.begin(), is_leaf.end(), true));
      }
      StreamDice dice(test_key("bench"));
      all[i].add(seconds([&] {
        Kernel kernel(matrix, dice, epsilon, 1);
        run_mechanism(mechanism, params, kernel, Unit::trip);
      }));
    }
  }
  std::printf("%s, %zu cells, epsilon %s: one sort %.1f ms\n", trips.summary.c_str(), matrix.keys().size(),
              format_epsilon(epsilon).c_str(), 1e3 * sort.value);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::printf("  %-12s %8zu leaves  %6.1f ms = %.2f sorts   all %6.1f ms = %.2f sorts   %.2f of daf-entropy\n",
                names[i], leaves[i], 1e3 * plan[i].value, plan[i].value / sort.value, 1e3 * all[i].value,
                all[i].value / sort.value, plan[i].value / plan[0].value);
  }
}

}  // namespace
}  // namespace stopover

int main() {
  using namespace stopover;
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  for (const Ticks epsilon : {kTicksPerEpsilon / 10, kTicksPerEpsilon}) {
    measure(*generate_gaussian(2, kTrips, kWidth, 100, 7), epsilon);
    measure(*generate_gaussian(2, kTrips, kWidth, 1e6, 7), epsilon);
    measure(*generate_city(1, kTrips, kWidth, 7), epsilon);
  }
}
