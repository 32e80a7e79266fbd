// The same release, bit for bit, from every source of counts; and the proof over all of them.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <random>

#include "disk/private_folder.h"
#include "ingest/held_cells.h"
#include "ingest/streamed_cells.h"
#include "privacy/stream_dice.h"
#include "publish/probed.h"
#include "synthetic/generate.h"
#include "testing/proof.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

const Mechanism& anchor() { return *find_mechanism("anchor"); }

Release made_from(const CountSource& source, std::uint32_t k, const Mechanism& mechanism = anchor()) {
  StreamDice dice(test_key("sources"));
  Kernel kernel(source, dice, kTicksPerEpsilon, k);
  return run_probed(mechanism, *read_params(mechanism, {}), kernel, k == 1 ? Unit::trip : Unit::user,
                    probe_ticks(mechanism, kTicksPerEpsilon, kProbeShare));
}

// The trips in some Parquet files, one row a trip.
class TripFiles {
 public:
  TripFiles(const SyntheticTrips& trips, std::size_t files)
      : folder_(*PrivateFolder::make(temporary_place(), "trips-")) {
    Result<DuckSession> duck = DuckSession::open();
    std::vector<DuckColumn> columns;
    for (std::size_t axis = 0; axis < trips.cells.size(); ++axis)
      columns.push_back(DuckColumn::of(trips.domain.axis(axis).name, trips.cells[axis]));
    EXPECT_TRUE(duck->load("trips", columns, trips.rows()));
    for (std::size_t i = 0; i < files; ++i) {
      paths.push_back(folder_.path() + "/" + std::to_string(i) + ".parquet");
      const Status written = duck->run("COPY (SELECT * FROM trips WHERE rowid % " + std::to_string(files) + " = " +
                                       std::to_string(i) + ") TO " + quote_output(paths[i]) + " (FORMAT parquet)");
      EXPECT_TRUE(written);
    }
  }
  std::vector<std::string> paths;

 private:
  PrivateFolder folder_;
};

TEST(Sources, GiveTheSameRelease) {
  for (const std::uint64_t stops : {2u, 3u}) {
    const SyntheticTrips trips = *generate_city(stops, 100'000, stops == 2 ? 1000 : 300, 17);
    const Matrix matrix = to_matrix(trips);
    const TripFiles files(trips, 3);
    for (const std::uint32_t k : {1u, 4u}) {
      const Release expected = made_from(MatrixSource(matrix), k);
      ASSERT_TRUE(expected.probes);
      EXPECT_TRUE(made_from(MatrixSource::in_passes(matrix, k), k) == expected) << stops << " stops, k " << k;
      const auto streamed = StreamedCells::open(files.paths, trips.domain, {.threads = 3 - k / 2, .memory_limit = ""});
      ASSERT_TRUE(streamed) << streamed.error().message;
      EXPECT_EQ((*streamed)->rows(), 100'000u);
      EXPECT_TRUE(made_from(**streamed, k) == expected) << stops << " stops, k " << k;
      const auto held = HeldCells::read(files.paths, trips.domain, {.threads = k, .memory_limit = ""});
      ASSERT_TRUE(held) << held.error().message;
      EXPECT_TRUE(made_from(**held, k) == expected) << stops << " stops, k " << k;
    }
  }
}

// On few cells every mechanism can be passed over; `multigrid` of one stop always is.
TEST(Sources, OneStop) {
  const SyntheticTrips trips = *generate_city(1, 20'000, 500, 3);
  const Matrix matrix = to_matrix(trips);
  for (const char* name : {"multigrid", "daf-entropy", "privtree", "anchor"}) {
    const Mechanism& mechanism = *find_mechanism(name);
    EXPECT_TRUE(mechanism.passes(trips.domain));
    EXPECT_TRUE(made_from(MatrixSource::in_passes(matrix), 1, mechanism) ==
                made_from(MatrixSource(matrix), 1, mechanism));
  }
}

TEST(Sources, WhoIsRefused) {
  const SyntheticTrips trips = *generate_city(2, 10, 1000, 3);
  EXPECT_TRUE(anchor().passes(trips.domain));
  EXPECT_FALSE(find_mechanism("daf-entropy")->passes(trips.domain));
}

TEST(Sources, FilesThatChangeEndTheRun) {
  const SyntheticTrips trips = *generate_city(2, 5'001, 1000, 3);
  const TripFiles files(trips, 2);
  const auto streamed = StreamedCells::open(files.paths, trips.domain, {});
  ASSERT_TRUE(streamed);
  EXPECT_NO_THROW(made_from(**streamed, 1));
  std::filesystem::copy_file(files.paths[0], files.paths[1], std::filesystem::copy_options::overwrite_existing);
  EXPECT_THROW(made_from(**streamed, 1), SourceFailure) << "a row more than before";
  std::filesystem::remove(files.paths[1]);
  EXPECT_THROW(made_from(**streamed, 1), SourceFailure);
}

TEST(Sources, AreHeardToStop) {
  const SyntheticTrips trips = *generate_city(2, 5'000, 100, 3);
  const TripFiles files(trips, 1);
  bool stop = false;
  const auto streamed =
      StreamedCells::open(files.paths, trips.domain, {.memory_limit = "", .interrupted = [&] { return stop; }});
  ASSERT_TRUE(streamed);
  stop = true;
  try {
    made_from(**streamed, 1);
    FAIL();
  } catch (const SourceFailure& failure) {
    EXPECT_EQ(failure.error().failure, Failure::interrupted);
  }
}

// The likelihood proof over rows that are passed over: neighbours of k trips, probes and all.
TEST(Sources, LoseNoMoreThanEpsilon) {
  long double most = 0;
  for (std::size_t i = 0; i < 48; ++i) {
    std::mt19937_64 random(700 + i);
    const std::uint32_t k = std::array{1u, 2u, 5u}[i % 3];
    const NeighbourPair pair = shared_pair(random, 2 + i / 3 % 2, k, 100);
    const double epsilon = 0.05 * std::exp(std::uniform_real_distribution<double>(0, std::log(100))(random));
    const auto ticks = static_cast<Ticks>(epsilon * 1e9);
    const Plan plan = [&](Kernel& kernel) -> LabResult {
      return {run_probed(anchor(), *read_params(anchor(), {}), kernel, k == 1 ? Unit::trip : Unit::user, ticks / 3)};
    };
    const Matrix first = pair.first.matrix(), second = pair.second.matrix();
    const auto here = MatrixSource::in_passes(first, 1, 0), there = MatrixSource::in_passes(second, 1, 0);
    const Proof proof =
        i % 2 == 0 ? prove(plan, here, there, ticks, k, test_key(std::to_string(i)))
                   : prove(plan, here, there, ticks, k, Adversary(static_cast<Tactic>(i / 2 % kTactics), random()));
    ASSERT_TRUE(proof.holds()) << i << "\n" << pair.first.text() << "\n" << pair.second.text() << "\n" << proof.text();
    most = std::max(most, proof.share());
  }
  EXPECT_GT(most, 0.7L) << "the pairs must come near to epsilon";
}

}  // namespace
}  // namespace stopover
