// Box queries per second on releases of about 10,000 partitions: the index against a scan over all leaves, in one run.
//
// Every answer of the index has its noise interval (consistent estimates, 95 %) unless the name says otherwise. The
// scan adds up estimates only: the least that any program without an index has to do.
#include <benchmark/benchmark.h>

#include <vector>

#include "mechanism/mechanism.h"
#include "privacy/stream_dice.h"
#include "query/answerer.h"
#include "query/synthetic_release.h"
#include "synthetic/generate.h"
#include "testing/test_key.h"

namespace {

using namespace stopover;

struct Case {
  Release release;
  std::vector<BoxQuery> queries;
};

Case make_case(Release release) {
  Case result{std::move(release), {}};
  synthetic::Random random(7);
  for (int i = 0; i < 4096; ++i)
    result.queries.push_back(synthetic::some_box(result.release.domain, random, true, true));
  return result;
}

constexpr Ticks kTicks = 100'000'000;

Release flat_2d() { return synthetic::flat({1000, 1000}, {100, 100}, kTicks, kTicks / 100); }
Release tree_2d() { return synthetic::daf_like({1000, 1000}, {100, 100}, kTicks); }
Release flat_4d() { return synthetic::flat({1000, 1000, 1000, 1000}, {10, 10, 10, 10}, kTicks, kTicks / 100); }
Release tree_4d() { return synthetic::daf_like({1000, 1000, 1000, 1000}, {20, 10, 8, 6}, kTicks); }
// A city of two stops published by anchor: maps inside the leaves.
Release anchor_4d() {
  const Matrix matrix = to_matrix(*generate_city(2, 300'000, 1000, 7));
  StreamDice dice(test_key("query bench"));
  Kernel kernel(matrix, dice, 350'000'000, 1);
  const Mechanism& mechanism = *find_mechanism("anchor");
  return run_mechanism(mechanism, *read_params(mechanism, {}), kernel, Unit::trip);
}

void ask(benchmark::State& state, Release (*make)(), AnswerOptions options) {
  const Case c = make_case(make());
  const Result<BoxIndex> index = BoxIndex::make(c.release);
  Answerer answerer(*index, options);
  std::size_t i = 0;
  double cut = 0;
  for (auto _ : state) {
    const Answer answer = answerer(c.queries[i++ % c.queries.size()]);
    cut += static_cast<double>(answer.partitions_cut);
    benchmark::DoNotOptimize(answer.noise_upper);
  }
  state.counters["queries"] = benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["partitions"] = static_cast<double>(index->partitions());
  state.counters["cut"] = cut / static_cast<double>(state.iterations());
}

void scan(benchmark::State& state, Release (*make)()) {
  const Case c = make_case(make());
  const Table& table = c.release.tables[0];
  const std::size_t d = table.axes.size();
  std::vector<double> bounds, estimates;
  const std::vector<bool> leaves = table.leaves();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!leaves[row]) continue;
    estimates.push_back(table.estimate[row]);
    for (std::size_t i = 0; i < d; ++i) {
      bounds.push_back(table.lo[i][row]);
      bounds.push_back(table.hi[i][row]);
    }
  }
  std::size_t at = 0;
  for (auto _ : state) {
    const BoxQuery& query = c.queries[at++ % c.queries.size()];
    double sum = 0;
    for (std::size_t leaf = 0; leaf < estimates.size(); ++leaf) {
      const double* side = bounds.data() + leaf * 2 * d;
      double share = 1;
      for (std::size_t i = 0; i < d; ++i, side += 2) {
        const double overlap = std::min(query.hi[i], side[1]) - std::max(query.lo[i], side[0]);
        if (overlap <= 0) {
          share = 0;
          break;
        }
        share *= overlap / (side[1] - side[0]);
      }
      sum += share * estimates[leaf];
    }
    benchmark::DoNotOptimize(sum);
  }
  state.counters["queries"] = benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["partitions"] = static_cast<double>(estimates.size());
}

void build(benchmark::State& state, Release (*make)()) {
  const Release release = make();
  for (auto _ : state) benchmark::DoNotOptimize(BoxIndex::make(release)->partitions());
}

constexpr AnswerOptions kConsistent{};
constexpr AnswerOptions kPlain{.estimates = Estimates::plain};
constexpr AnswerOptions kEstimate{.intervals = false};

#define QUERY_CASE(name)                                       \
  BENCHMARK_CAPTURE(scan, name, name);                         \
  BENCHMARK_CAPTURE(ask, name, name, kConsistent);             \
  BENCHMARK_CAPTURE(ask, name##_plain, name, kPlain);          \
  BENCHMARK_CAPTURE(ask, name##_no_interval, name, kEstimate); \
  BENCHMARK_CAPTURE(build, name, name)->Unit(benchmark::kMillisecond)

QUERY_CASE(flat_2d);
QUERY_CASE(tree_2d);
QUERY_CASE(flat_4d);
QUERY_CASE(tree_4d);
QUERY_CASE(anchor_4d);

}  // namespace

BENCHMARK_MAIN();
