// The exact likelihood proof (testing/proof.h) over every row of the table of mechanisms. No statistics: a failure is a
// counterexample to epsilon-DP, and its message names the pair and the seed.
//
// Two kinds of outputs: drawn ones, on pairs of any shape, and ones that an adversary chooses (testing/adversary.h), on
// pairs whose stops share a geography, so that `anchor` counts them together.
//
// STOPOVER_LONG_TESTS=1 tries 10,000 random pairs a mechanism and more keys (`make prove`); without it a share of that.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "testing/every_row.h"
#include "testing/proof.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

bool long_tests() { return std::getenv("STOPOVER_LONG_TESTS") != nullptr; }

Plan plan_of(const Mechanism& mechanism, const Params& params, std::uint32_t k) {
  return [&mechanism, params, k](Kernel& kernel) {
    return run_in_lab(mechanism, params, kernel, k == 1 ? Unit::trip : Unit::user);
  };
}

bool has_charge(const Release& release, const char* purpose) {
  return std::any_of(release.charges.begin(), release.charges.end(),
                     [&](const Charge& charge) { return charge.purpose == purpose; });
}

// Where a row chooses among many places, few: the probability of a choice is computed in the square of their number.
// Where it lists cells, few as well; and where all counts lie far above the truth, trees do not grow for ever.
class Likelihood : public EveryRow {
 protected:
  Likelihood() : EveryRow({{"max_cuts", "12"}, {"zeros", "200"}, {"max_partitions", "20000"}}) {}

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

// Whether a leaf of the joint tree was divided again because of its count (mechanism/excess.h): ordinary ones lie at
// most three levels below the root.
bool follows(const Release& release) {
  const Table& joint = release.tables[0];
  return *std::max_element(joint.depth.begin(), joint.depth.end()) > 3;
}

TEST_P(Likelihood, RandomNeighbours) {
  const std::size_t pairs = long_tests() ? 10'000 : 600;
  const std::uint64_t named = named_seed();
  long double most = 0;
  std::size_t calls = 0;
  bool descends = false;
  std::size_t followed = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    std::mt19937_64 random(named + i);
    const std::size_t d = 1 + i % static_cast<std::size_t>(std::min(6, mechanism_.max_d));
    const std::uint32_t k = std::array{1u, 3u, 5u}[i / 6 % 3];
    const bool every_cell = mechanism_.name == "identity" || mechanism_.kind == "plain";
    const bool wide = !every_cell && random() % 4 == 0;
    const NeighbourPair pair = random_pair(random, d, k, wide ? 1'000'000'000 : 800);
    if (!fits(pair.first.shape)) continue;
    const double epsilon = 0.01 * std::exp(std::uniform_real_distribution<double>(0, std::log(500))(random));
    const auto ticks = static_cast<Ticks>(epsilon * 1e9);
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, i % 2 == 0 ? 1 : 8);
    const Proof proof = prove(plan_of(mechanism_, params_of(i), k), pair.first.matrix(), pair.second.matrix(), ticks, k,
                              test_key("pair " + std::to_string(i)));
    const Status kept = check_lab_result(proof.made);
    ASSERT_TRUE(kept) << kept.error().message;
    ASSERT_TRUE(proof.holds()) << mechanism_.name << ", pair " << i << ", k = " << k << "\n"
                               << pair.first.text() << "\n"
                               << pair.second.text() << "\n"
                               << proof.text();
    most = std::max(most, proof.share());
    calls += proof.calls;
    descends = descends || has_charge(proof.made.release, "grow");
    if (mechanism_.name == "anchor") followed += follows(proof.made.release);
  }
  // The pairs do exhaust the budget: a loss close to epsilon is met, so a mechanism that overspends would be seen. (A
  // descent's bound is rarely met: kernel_descent_test.cc drives it there.) HDPView cannot come near: its published
  // noise for stopping, 81 % of epsilon, is 28/22 of what its proof needs (kernel.h), so 0.83 is the most there is, and
  // a trip seldom moves the errors of a whole path by 2. Here 0.37 is met.
  EXPECT_GT(most, mechanism_.name == "hdpview" ? 0.35L : descends ? 0.6L : 0.9L) << mechanism_.name;
  EXPECT_GE(calls, pairs);
  EXPECT_GE(followed * 100, mechanism_.name == "anchor" ? pairs : 0) << "the pairs must meet boxes that are followed";
  RecordProperty("followed", std::to_string(followed));
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

// Two and three stops (one for the rows that take no more) that share a map, units of 1, 2 and 5 trips, outputs chosen
// by every tactic in turn.
TEST_P(Likelihood, ChosenOutputsOnSharedMaps) {
  const bool pools = mechanism_.name == "anchor", maps = pools || mechanism_.name == "multigrid";
  const std::size_t pairs = long_tests() ? 10'000 : pools ? 630 : 126;
  long double most = 0, least = 1;
  std::map<std::pair<std::size_t, std::uint32_t>, long double>
      together;  // by stops and k: the most where stops were pooled
  std::map<std::pair<std::size_t, std::uint32_t>, long double> following;  // the same where a leaf was divided again
  std::size_t pooled = 0, tried = 0, followed = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    std::mt19937_64 random(named_seed() + i);
    const auto tactic = static_cast<Tactic>(i % kTactics);
    const std::size_t stops = mechanism_.max_d == 2 ? 1 : 2 + i / 7 % 2;
    const std::uint32_t k = std::array{1u, 2u, 5u}[i / 14 % 3];
    const std::uint64_t map_cells = maps ? std::array{20u, 100u, 100u, 400u}[random() % 4] : stops == 2 ? 25 : 9;
    const NeighbourPair pair = shared_pair(random, stops, k, map_cells);
    const Params params = params_of(i / 42);
    if (!check_in_lab(mechanism_, params, pair.first.domain())) continue;
    ++tried;
    const double epsilon = 0.01 * std::exp(std::uniform_real_distribution<double>(0, std::log(500))(random));
    const auto ticks = static_cast<Ticks>(epsilon * 1e9);
    const Proof proof = prove(plan_of(mechanism_, params, k), pair.first.matrix(), pair.second.matrix(), ticks, k,
                              Adversary(tactic, random()));
    const Status kept = check_lab_result(proof.made);
    ASSERT_TRUE(kept) << kept.error().message;
    ASSERT_TRUE(proof.holds()) << mechanism_.name << ", pair " << i << ", k = " << k << "\n"
                               << pair.first.text() << "\n"
                               << pair.second.text() << "\n"
                               << proof.text();
    most = std::max(most, proof.share());
    const bool one_sided = tactic != Tactic::mixed && tactic != Tactic::gain && tactic != Tactic::lose;
    const std::size_t moved = std::max(pair.first.cells.size(), pair.second.cells.size()) -
                              std::min(pair.first.cells.size(), pair.second.cells.size());
    if (one_sided && moved == k) least = std::min(least, proof.share());
    if (counted_together(proof.made.release)) {
      ++pooled;
      auto& so_far = together[{stops, k}];
      so_far = std::max(so_far, proof.share());
    }
    if (pools && follows(proof.made.release)) {
      ++followed;
      auto& so_far = following[{stops, k}];
      so_far = std::max(so_far, proof.share());
    }
  }
  EXPECT_GE(tried * 10, pairs * 9);
  // privtree-rr meets 0.85 here, and hdpview 0.42 (see above); all others reach epsilon.
  EXPECT_GT(most, mechanism_.name == "hdpview"       ? 0.4L
                  : mechanism_.name == "privtree-rr" ? 0.8L
                                                     : 0.99L)
      << mechanism_.name;
  if (maps || mechanism_.name == "daf-entropy") {
    // Counts alone, and all of epsilon on every path: a unit of k trips loses epsilon wherever its trips are, when all
    // counts lie on one side of the truth.
    EXPECT_GT(least, 0.99L) << mechanism_.name;
  }
  if (pools) {
    EXPECT_GE(pooled * 12, pairs) << "the pairs must meet counts of all stops together";
    EXPECT_EQ(together.size(), 6u);
    for (const auto& [at, share] : together) EXPECT_GT(share, 0.99L) << at.first << " stops, k = " << at.second;
    EXPECT_GE(followed * 8, pairs) << "the pairs must meet boxes that are followed";
    EXPECT_EQ(following.size(), 6u);
    for (const auto& [at, share] : following) EXPECT_GT(share, 0.99L) << at.first << " stops, k = " << at.second;
  }
  RecordProperty("followed", std::to_string(followed));
  RecordProperty("most_of_epsilon", std::to_string(static_cast<double>(most)));
  RecordProperty("least_of_epsilon", std::to_string(static_cast<double>(least)));
  RecordProperty("pooled", std::to_string(pooled));
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

// Two stops on one small map: others' trips and one more trip, or two of one unit, at any of 16 places, in both
// directions. The map of 17 cells is too large for one level, so that its parts are counted for both stops together.
TEST_P(Likelihood, EverythingSmallOnSharedMaps) {
  const std::size_t others = long_tests() ? 2 : 1, tactics = long_tests()                  ? kTactics
                                                             : mechanism_.name == "anchor" ? 2
                                                                                           : 1;
  const auto pairs_of = [](const std::vector<std::vector<std::uint32_t>>& map) {
    std::vector<std::vector<std::uint32_t>> places;
    for (const auto& from : map) {
      for (const auto& to : map) places.push_back({from[0], from[1], to[0], to[1]});
    }
    return places;
  };
  struct Case {
    std::vector<std::uint64_t> shape;
    std::vector<std::vector<std::uint32_t>> map;  // the places used
  };
  std::size_t number = 0, pooled = 0;
  for (const Case& small :
       {Case{{2, 2, 2, 2}, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}}, Case{{1, 4, 1, 4}, {{0, 0}, {0, 1}, {0, 2}, {0, 3}}},
        Case{{1, 17, 1, 17}, {{0, 0}, {0, 1}, {0, 8}, {0, 16}}}}) {
    if (!fits(small.shape)) continue;
    const auto places = pairs_of(small.map);
    for (const Trips& trips : all_trips(small.shape, others, places)) {
      for (const auto& place : places) {
        for (std::size_t t = 0; t < tactics; ++t, ++number) {
          const std::uint32_t k = 1 + static_cast<std::uint32_t>(number / 3 % 2);
          Trips more = trips;
          more.cells.insert(more.cells.end(), k, place);
          const Ticks ticks =
              std::array<Ticks, 4>{3'000'000'000, 700'000'001, 50'000'000'000, 12'345'678'901}[number % 4];
          const bool forward = number / 4 % 2 == 0;
          const auto tactic = static_cast<Tactic>((number / 8 + t) % kTactics);
          const Proof proof = prove(plan_of(mechanism_, params_of(number / 8), k), (forward ? trips : more).matrix(),
                                    (forward ? more : trips).matrix(), ticks, k, Adversary(tactic, number));
          ASSERT_TRUE(proof.holds()) << mechanism_.name << "\n"
                                     << trips.text() << "\n"
                                     << more.text() << "\n"
                                     << proof.text();
          pooled += counted_together(proof.made.release);
        }
      }
    }
  }
  EXPECT_EQ(number, mechanism_.max_d < 4 ? 0 : (others == 1 ? 17 : 153) * 16 * 3 * tactics);
  EXPECT_GE(pooled * 150, mechanism_.name == "anchor" ? number : 0);
  RecordProperty("pooled", std::to_string(pooled));
}

STOPOVER_EVERY_ROW(Likelihood);

// Cells before place 120 are full, those behind it empty, place 120 in between: one trip more there makes an interval
// that ends before it less even, one that ends behind it more. Where the coins offer two such cuts, scores move apart
// as far as they can.
TEST(DafHomogeneity, TellsAllByItsChoices) {
  const Mechanism& mechanism = *find_mechanism("daf-homogeneity");
  long double most = 0, most_told = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t full = 2 + random() % 6, half = 1 + random() % (full / 2);
    Trips trips{{1, 256}, {}, 0};
    for (std::uint32_t place = 0; place <= 120; ++place) {
      trips.cells.insert(trips.cells.end(), place < 120 ? full : half, {0, place});
    }
    Trips more = trips;
    more.cells.push_back({0, 120});
    const Params params = *read_params(mechanism, {{"q", seed % 2 == 0 ? "0.3" : "0.95"}});
    const Ticks ticks = kTicksPerEpsilon / 10 * (1 + random() % 30);
    const Proof proof = prove(plan_of(mechanism, params, 1), trips.matrix(), more.matrix(), ticks, 1,
                              Adversary(seed / 2 % 2 == 0 ? Tactic::gain : Tactic::lose, random()));
    ASSERT_TRUE(proof.holds()) << "seed " << seed << "\n" << proof.text();
    const long double told =
        std::max(proof.choices.hi, -proof.choices.lo) * kTicksPerEpsilon / static_cast<long double>(ticks);
    if (told < 0.05L) continue;
    most = std::max(most, proof.share());
    most_told = std::max(most_told, told);
  }
  EXPECT_GT(most, 0.99L) << "with at least a twentieth of epsilon told by choices";
  EXPECT_GT(most_told, 0.2L);
  RecordProperty("most_of_epsilon", std::to_string(static_cast<double>(most)));
  RecordProperty("most_told_by_choices", std::to_string(static_cast<double>(most_told)));
}

}  // namespace
}  // namespace stopover
