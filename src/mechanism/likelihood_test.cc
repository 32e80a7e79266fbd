// The exact likelihood proof (testing/proof.h) over every row of the table of mechanisms. No statistics: a failure is a
// counterexample to epsilon-DP, and its message names the pair and the seed.
//
// Two kinds of outputs: drawn ones, on pairs of any shape, and ones that an adversary chooses (testing/adversary.h), on pairs
// whose stops share a geography, so that `anchor` counts them together.
//
// STOPOVER_LONG_TESTS=1 tries 10,000 random pairs a mechanism and more keys (`make prove`); without it a share of that.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <cstdlib>

#include "mechanism/every_row.h"
#include "testing/proof.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

bool long_tests() { return std::getenv("STOPOVER_LONG_TESTS") != nullptr; }

Plan plan_of(const Mechanism& mechanism, const Params& params, std::uint32_t k) {
  return [&mechanism, params, k](Kernel& kernel) {
    return run_mechanism(mechanism, params, kernel, k == 1 ? Unit::trip : Unit::user);
  };
}

// Where a row chooses among many places, few: the probability of a choice is computed in the square of their number. Where it
// lists cells, few as well.
class Likelihood : public EveryRow {
 protected:
  Likelihood() : EveryRow({{"max_cuts", "12"}, {"zeros", "200"}}) {}

  // By the mechanism's name: a new row does not move the others' pairs.
  std::uint64_t named_seed() const {
    std::uint64_t named = 0;
    for (const char letter : mechanism_.name) named = named * 1'000'003 + static_cast<unsigned char>(letter);
    return named;
  }

  // Every other time nearly all is spent on choosing cuts, where a row has a share for that.
  Params params_of(std::size_t pair) const {
    for (const ParamSpec& spec : mechanism_.params) {
      if (spec.name == "q" && pair / 2 % 2 == 0) return *read_params(mechanism_, {{"q", "0.95"}});
    }
    return params_;
  }
};

TEST_P(Likelihood, RandomNeighbours) {
  const std::size_t pairs = long_tests() ? 10'000 : 600;
  const std::uint64_t named = named_seed();
  long double most = 0;
  std::size_t calls = 0;
  bool descends = false;
  for (std::size_t i = 0; i < pairs; ++i) {
    std::mt19937_64 random(named + i);
    const std::size_t d = 1 + i % static_cast<std::size_t>(std::min(6, mechanism_.max_d));
    const std::uint32_t k = std::array{1u, 3u, 5u}[i / 6 % 3];
    const bool wide = mechanism_.name != "identity" && random() % 4 == 0;
    const NeighbourPair pair = random_pair(random, d, k, wide ? 1'000'000'000 : 800);
    if (!fits(pair.first.shape)) continue;
    const double epsilon = 0.01 * std::exp(std::uniform_real_distribution<double>(0, std::log(500))(random));
    const auto ticks = static_cast<Ticks>(epsilon * 1e9);
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, i % 2 == 0 ? 1 : 8);
    const Proof proof = prove(plan_of(mechanism_, params_of(i), k), pair.first.matrix(), pair.second.matrix(), ticks, k,
                              test_key("pair " + std::to_string(i)));
    const Status kept = check_release(proof.release);
    ASSERT_TRUE(kept) << kept.error().message;
    ASSERT_TRUE(proof.holds()) << mechanism_.name << ", pair " << i << ", k = " << k << "\n"
                               << pair.first.text() << "\n"
                               << pair.second.text() << "\n"
                               << proof.text();
    most = std::max(most, proof.share());
    calls += proof.calls;
    for (const Charge& charge : proof.release.charges) descends = descends || charge.purpose == "grow";
  }
  // The pairs do exhaust the budget: a loss close to epsilon is met, so a mechanism that overspends would be seen. (A
  // descent's bound is rarely met: kernel_descent_test.cc drives it there.)
  // HDPView cannot come near: its published noise for stopping, 81 % of epsilon, is 28/22 of what its proof needs
  // (kernel.h), so 0.83 is the most there is, and a trip seldom moves the errors of a whole path by 2. Here 0.37 is met.
  EXPECT_GT(most, mechanism_.name == "hdpview" ? 0.35L : descends ? 0.6L : 0.9L) << mechanism_.name;
  EXPECT_GE(calls, pairs);
  RecordProperty("most_of_epsilon", std::to_string(static_cast<double>(most)));
}

// Has the release rows that were counted for several stops together?
bool counted_together(const Release& release) {
  for (const Table& table : release.tables) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (!table.view.empty() && table.row_ticks[row] == 0 && table.side_ticks[row] > 0) return true;
    }
  }
  return false;
}

TEST_P(Likelihood, ChosenOutputsOnSharedGeographies) {
  const std::size_t pairs = long_tests() ? 10'000 : 420;
  const bool dense = mechanism_.name == "identity" || mechanism_.name == "mkm" || mechanism_.name == "privlet";
  long double most = 0, most_together = 0, least = 1;
  std::size_t together = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    std::mt19937_64 random(named_seed() + i);
    const std::size_t stops = mechanism_.max_d == 2 ? 1 : 2 + i / 7 % 2;
    const std::uint32_t k = std::array{1u, 2u, 5u}[i / 14 % 3];
    const NeighbourPair pair = shared_pair(random, stops, k, dense ? 700 : random() % 4 == 0 ? 100'000 : 5'000);
    if (!check_mechanism(mechanism_, params_of(i / 7), pair.first.domain())) continue;
    const double epsilon = 0.01 * std::exp(std::uniform_real_distribution<double>(0, std::log(500))(random));
    const auto ticks = static_cast<Ticks>(epsilon * 1e9);
    const auto tactic = static_cast<Tactic>(i % kTactics);
    const Proof proof = prove(plan_of(mechanism_, params_of(i / 7), k), pair.first.matrix(), pair.second.matrix(), ticks, k,
                              Adversary(tactic, random()));
    ASSERT_TRUE(proof.holds()) << mechanism_.name << ", pair " << i << ", k = " << k << "\n"
                               << pair.first.text() << "\n"
                               << pair.second.text() << "\n"
                               << proof.text();
    most = std::max(most, proof.share());
    if (counted_together(proof.release)) {
      ++together;
      most_together = std::max(most_together, proof.share());
    }
  }
  std::printf("ROW %s most %.9Lf together %zu of %zu most %.9Lf\n", std::string(mechanism_.name).c_str(), most, together, pairs, most_together);
}

// All data sets of at most 3 trips on 8 cells, one trip added anywhere, in both directions.
TEST_P(Likelihood, EverythingSmall) {
  const int keys = long_tests() ? 40 : 2;
  for (const std::vector<std::uint64_t>& shape : std::vector<std::vector<std::uint64_t>>{{8}, {2, 4}, {2, 2, 2}}) {
    if (!fits(shape)) continue;
    const std::vector<Trips> places = all_trips(shape, 1);  // the empty set, then each cell
    std::size_t number = 0;
    for (const Trips& trips : all_trips(shape, 3)) {
      for (std::size_t place = 1; place < places.size(); ++place) {
        Trips more = trips;
        more.cells.push_back(places[place].cells[0]);
        for (int key = 0; key < keys; ++key) {
          // Large enough an epsilon that trees grow from a handful of trips.
          const Ticks ticks =
              std::array<Ticks, 4>{3'000'000'000, 700'000'001, 50'000'000'000, 12'345'678'901}[number % 4];
          const bool forward = number / 4 % 2 == 0;
          const Proof proof = prove(plan_of(mechanism_, params_of(number / 8), 1), (forward ? trips : more).matrix(),
                                    (forward ? more : trips).matrix(), ticks, 1,
                                    test_key("small " + std::to_string(number % 1000) + " " + std::to_string(key)));
          ++number;
          ASSERT_TRUE(proof.holds()) << mechanism_.name << "\n"
                                     << trips.text() << "\n"
                                     << more.text() << "\n"
                                     << proof.text();
        }
      }
    }
    EXPECT_EQ(number, 165u * 8 * static_cast<unsigned>(keys));
  }
}

STOPOVER_EVERY_ROW(Likelihood);

}  // namespace
}  // namespace stopover
