// From raw rows to the kernel: a file, and the same file with one more user in it whose rows hold anything at all. What
// may differ is what the kernel is told along that user's at most k trips; everything else is the same: that reading
// succeeds, every other trip, the calls, the released bytes. And by exact likelihood the outputs tell at most epsilon
// apart.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "ingest/ingest.h"
#include "mechanism/history.h"
#include "mechanism/mechanism.h"
#include "privacy/stream_dice.h"
#include "release_io/release_io.h"
#include "testing/proof.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

constexpr std::uint32_t kTrips = 3;
constexpr Ticks kEpsilon = kTicksPerEpsilon / 2;

struct Case {
  const char* name;
  RowShape shape;
  bool json = false;
};

class RawRows : public testing::TestWithParam<Case> {
 protected:
  RawRows() : folder_(testing::TempDir() + "raw-rows-XXXXXX") { EXPECT_NE(mkdtemp(folder_.data()), nullptr); }
  ~RawRows() override { std::filesystem::remove_all(folder_); }

  std::string row(const std::string& user, std::uint64_t trip, int seq) {
    const auto place = [&] { return fmt::format("{}.{}", random_() % 4, random_() % 100); };
    const std::string time = fmt::format("2020-01-{:02}T{:02}:{:02}:00Z", 1 + trip % 9, 8 + 3 * seq, random_() % 60);
    if (GetParam().json) {
      return fmt::format(R"({{"uid":"{}","tid":{},"seq":{},"datetime":"{}","lat":{},"lng":"{}"}})", user, trip, seq,
                         time, place(), place());
    }
    if (GetParam().shape == RowShape::trips)
      return fmt::format("{},{},{},{},{},{}", user, trip, place(), place(), place(), place());
    return fmt::format("{},{},{},{},{},{}", user, trip, seq, time, place(), place());
  }

  // One user's lines: good ones, then damaged from behind the id on, so that the rest of a line cut in two is no row
  // either.
  std::vector<std::string> lines_of(const std::string& user, std::uint64_t trips, bool damaged) {
    static const std::vector<std::string> pieces = {"\"",
                                                    "\"\"",
                                                    "\n",
                                                    "\r",
                                                    "\r\n",
                                                    std::string(1, '\0'),
                                                    "\xef\xbb\xbf",
                                                    "\xff\xfe",
                                                    "\xc3",
                                                    ",",
                                                    ",,,,,,,,",
                                                    "nan",
                                                    "-inf",
                                                    "1e999",
                                                    "{",
                                                    "}",
                                                    "[[[[",
                                                    "\\u0000",
                                                    "\\",
                                                    "'; DROP TABLE rows; --",
                                                    "99999999999999999999",
                                                    "2020-13-45T99:99",
                                                    std::string(3 << 18, 'x'),
                                                    std::string(5 << 18, 'y')};
    std::vector<std::string> lines;
    for (std::uint64_t trip = 0; trip < trips; ++trip) {
      for (int seq = 0; seq < (GetParam().shape == RowShape::trips ? 1 : 2); ++seq) {
        std::string line = row(user, trip, seq);
        const std::size_t behind = GetParam().json ? 10 + user.size() : user.size() + 1;
        for (std::uint64_t n = damaged ? random_() % 4 : 0; n > 0; --n) {
          line.insert(behind + random_() % (line.size() - behind + 1), pieces[random_() % pieces.size()]);
        }
        lines.push_back(line + "\n");
      }
    }
    return lines;
  }

  std::string write(const std::string& name, const std::vector<std::string>& lines) const {
    const std::string path = folder_ + "/" + name + (GetParam().json ? ".jsonl" : ".csv");
    std::ofstream out(path, std::ios::binary);
    if (!GetParam().json)
      out << (GetParam().shape == RowShape::trips ? "uid,tid,o_lat,o_lng,d_lat,d_lng\n"
                                                  : "uid,tid,seq,datetime,lat,lng\n");
    for (const std::string& line : lines) out << line;
    return path;
  }

  Result<std::vector<Matrix>> matrices(const std::string& path, const std::vector<TimeSpan>& spans = {}) const {
    TripRequest request;
    request.spans = spans;
    request.shape = GetParam().shape;
    request.box = {0, 0, 4, 4};
    request.columns = request.rows = 4;
    request.stay_ms = 0;
    request.max_trips_per_user = kTrips;
    ColumnNames names;
    names.user = "uid";
    if (request.shape == RowShape::stops) {
      names.trip = "tid";
      names.seq = "seq";
    }
    if (request.shape != RowShape::trips) names.time = "datetime";
    Result<Ingest> in = Ingest::open({path, "", {}}, names, request, {1, "", [] { return false; }});
    if (!in) return in.error();
    Result<std::vector<Matrix>> made = in->matrices();
    const Result<PrivateFacts> facts = in->row_facts();
    if (!facts) return facts.error();
    return made;
  }

  // Every byte of the release's folder.
  std::string bytes_of(const Release& release, const std::string& name) const {
    const std::string folder = folder_ + "/" + name + ".odr";
    std::filesystem::create_directories(folder);
    EXPECT_TRUE(write_release(release, folder, 1));
    std::string all;
    for (const std::string& file : release_files(release)) {
      std::ifstream in(folder + "/" + file, std::ios::binary);
      all += file + std::string(std::istreambuf_iterator<char>(in), {});
    }
    std::filesystem::remove_all(folder);
    return all;
  }

  std::string folder_;
  std::mt19937_64 random_{17};
};

TEST_P(RawRows, OneUserChangesOnlyWhatTheKernelHearsOfItsTrips) {
  const std::vector<std::string> plans = {"identity", "daf-entropy", "anchor", "daf-homogeneity", "uniform"};
  long double most = 0;
  std::uint64_t added = 0;
  for (int round = 0; round < 16; ++round) {
    SCOPED_TRACE(fmt::format("{} round {}", GetParam().name, round));
    std::vector<std::string> others;
    for (int user = 0; user < 12; ++user) {
      for (std::string& line : lines_of(fmt::format("u{}", user), random_() % 5, round % 3 == 0))
        others.push_back(std::move(line));
    }
    std::vector<std::string> all = others;
    for (const std::string& line : lines_of("z", 1 + random_() % 6, round % 4 != 3)) {
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(random_() % (all.size() + 1)), line);
    }
    const Result<std::vector<Matrix>> with = matrices(write("with", all)), without = matrices(write("without", others));
    ASSERT_TRUE(with) << with.error().message;
    ASSERT_TRUE(without) << without.error().message;
    const Matrix &a = with->front(), &b = without->front();
    std::size_t at = 0;
    for (std::size_t i = 0; i < b.keys().size(); ++i) {
      while (at < a.keys().size() && a.keys()[at] != b.keys()[i]) ++at;
      ASSERT_LT(at, a.keys().size()) << "another user's trip is gone";
      ASSERT_GE(a.counts()[at], b.counts()[i]) << "another user's trip is gone";
    }
    ASSERT_LE(a.total(), b.total() + kTrips);
    added += a.total() - b.total();

    const Mechanism& mechanism = *find_mechanism(plans[static_cast<std::size_t>(round) % plans.size()]);
    const Params params = *read_params(mechanism, {});
    std::vector<Release> made;
    const Plan plan = [&](Kernel& kernel) {
      return made.emplace_back(run_mechanism(mechanism, params, kernel, Unit::user));
    };
    const Proof proof = prove(plan, a, b, kEpsilon, kTrips, test_key(std::to_string(round)));
    EXPECT_TRUE(proof.holds()) << mechanism.name << ": " << proof.text();
    most = std::max({most, proof.loss.hi, -proof.loss.lo});
    for (Release& release : made) {
      release.number = 2;
      release.ledger_head = "00000000000000000000000000000001:2:" + std::string(64, '0');
      release.date = "2025-03-01";
    }
    ASSERT_EQ(made.size(), 2U);
    EXPECT_EQ(bytes_of(made[0], "first"), bytes_of(made[1], "second"));
  }
  EXPECT_GT(added, 10U) << "the user's good rows are counted";
  EXPECT_GT(most, 0.1L) << "the user is seen, so the test is not blind";
}

// A series: two periods, each released for all of epsilon. The unit is what one person does in the second one; that
// person's rows of the first are in both data sets. The release of the first period is made of the same matrix, so it
// tells nothing; that of the second tells at most epsilon, also where it leans on the first.
TEST_P(RawRows, OneUsersPeriodChangesThatPeriodAlone) {
  if (GetParam().shape == RowShape::trips) GTEST_SKIP() << "these rows have no time";
  constexpr std::int64_t kDay = 86'400'000, kFirst = 18'262;  // 2020-01-01
  const std::vector<TimeSpan> spans = {{kFirst * kDay, (kFirst + 2) * kDay},
                                       {(kFirst + 2) * kDay, (kFirst + 9) * kDay}};
  long double most = 0;
  std::uint64_t added = 0, divided = 0;
  for (int round = 0; round < 16; ++round) {
    const bool leans = round % 2 == 1;
    const Mechanism& mechanism = *find_mechanism(leans ? "anchor" : "daf-entropy");
    Params params = *read_params(mechanism, {});
    SCOPED_TRACE(fmt::format("{} round {}", GetParam().name, round));
    std::vector<std::string> without;
    for (int user = 0; user < 12; ++user) {
      for (std::string& line : lines_of(fmt::format("u{}", user), random_() % 5, round % 3 == 0))
        without.push_back(std::move(line));
    }
    std::vector<std::string> with = without;
    for (const std::string& line : lines_of("z", 3 + random_() % 6, false)) {
      with.push_back(line);
      const bool earlier = line.find("2020-01-01") != std::string::npos || line.find("2020-01-02") != std::string::npos;
      if (earlier) without.push_back(line);
    }
    std::shuffle(with.begin(), with.end(), random_);
    const auto a = matrices(write("with", with), spans), b = matrices(write("without", without), spans);
    ASSERT_TRUE(a && b);
    ASSERT_EQ(a->size(), 2U);
    ASSERT_TRUE(std::ranges::equal((*a)[0].keys(), (*b)[0].keys())) << "the first period is another one";
    ASSERT_TRUE(std::ranges::equal((*a)[0].counts(), (*b)[0].counts())) << "the first period is another one";
    ASSERT_LE((*a)[1].total(), (*b)[1].total() + kTrips);
    added += (*a)[1].total() - (*b)[1].total();
    if (leans) {
      StreamDice dice(test_key("before " + std::to_string(round)));
      Kernel kernel((*a)[0], dice, kEpsilon, kTrips);
      auto history = std::make_shared<History>();
      history->past = {std::make_shared<const PastRelease>(run_mechanism(mechanism, params, kernel, Unit::user))};
      params.set_history(std::move(history));
    }
    const Plan plan = [&](Kernel& kernel) {
      Release release = run_mechanism(mechanism, params, kernel, Unit::user);
      // Rows that history added: nobody paid for them, and they stand below a row that was counted.
      for (const Table& table : release.tables)
        divided += leans ? static_cast<std::uint64_t>(std::ranges::count(table.row_ticks, 0)) : 0;
      return release;
    };
    const Proof proof = prove(plan, (*a)[1], (*b)[1], kEpsilon, kTrips, test_key(std::to_string(round)));
    EXPECT_TRUE(proof.holds()) << mechanism.name << ": " << proof.text();
    most = std::max({most, proof.loss.hi, -proof.loss.lo});
  }
  EXPECT_GT(added, 10U);
  EXPECT_GT(divided, 0U) << "the first period has a say in the second";
  EXPECT_GT(most, 0.1L) << "the user is seen, so the test is not blind";
}

INSTANTIATE_TEST_SUITE_P(Shapes, RawRows,
                         testing::Values(Case{"trips", RowShape::trips}, Case{"stops", RowShape::stops},
                                         Case{"pings", RowShape::pings}, Case{"json", RowShape::stops, true}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace stopover
