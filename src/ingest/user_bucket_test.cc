#include "ingest/user_bucket.h"

#include <gtest/gtest.h>

#include <set>

#include "ingest/ingest_fixture.h"

namespace stopover {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class UserBuckets : public IngestTest {
 protected:
  // Every cell of all pieces together, and how many pieces there are.
  std::pair<Cells, std::size_t> pieces(Ingest& in) const {
    const std::string folder = path("pieces");
    std::filesystem::create_directory(folder);
    const auto files = in.write_pieces(folder);
    EXPECT_TRUE(files);
    Result<DuckSession> duck = DuckSession::open({.threads = 1, .memory_limit = ""});
    Result<DuckRows> rows = duck->query(fmt::format(
        "SELECT a0, a1, a2, a3, CAST(sum(count) AS UBIGINT) FROM read_parquet('{}/*.parquet') GROUP BY ALL", folder));
    Cells cells;
    while (*rows->next()) {
      for (std::size_t i = 0; i < rows->size(); ++i) {
        std::vector<std::uint32_t> cell;
        for (std::size_t a = 0; a < 4; ++a) cell.push_back(rows->column<std::uint32_t>(a)[i]);
        cells[cell] = rows->column<std::uint64_t>(4)[i];
      }
    }
    std::filesystem::remove_all(folder);
    return {cells, files->size()};
  }
  // The same from any number of buckets: matrices, facts, pieces and the file of cells, byte by byte.
  void expect_the_same(const std::string& file) {
    Cells one;
    std::string bytes;
    PrivateFacts facts;
    for (const std::uint64_t buckets : {1, 2, 7}) {
      buckets_ = buckets;
      Result<Ingest> in = open(file);
      ASSERT_TRUE(in) << in.error().message;
      const auto matrices = in->matrices();
      ASSERT_TRUE(matrices) << matrices.error().message;
      const Cells cells = cells_of(matrices->front());
      const std::string output = path(fmt::format("cells-{}.parquet", buckets));
      ASSERT_TRUE(in->write_cells(output));
      if (buckets == 1) {
        one = cells;
        bytes = text_of(output);
        facts = *in->trip_facts();
        EXPECT_GT(one.size(), 100U);
      }
      EXPECT_EQ(cells, one) << buckets;
      EXPECT_EQ(text_of(output), bytes) << buckets;
      EXPECT_EQ(*in->trip_facts(), facts) << buckets;
      EXPECT_EQ(pieces(*in), std::pair(one, static_cast<std::size_t>(buckets)));
      EXPECT_EQ(in->row_facts()->front().second, 3000U) << "all rows again after the last bucket";
    }
  }
};

// Users with one trip and users with many, trips that are alike.
TEST_F(UserBuckets, GiveTheCellsOfAllRows) {
  std::string wide = "uid,tid,o_lat,o_lng,d_lat,d_lng\n", stops = "uid,tid,datetime,lat,lng\n";
  for (int i = 0; i < 3000; ++i) {
    const int user = i % 7 == 0 ? i : i % 40, place = i * 7919 % 1000;
    wide += fmt::format("u{},{},{}.5,{}.5,{}.5,{}.5\n", user, i % 900, place % 50, place % 99, place % 31, place % 17);
    stops += fmt::format("u{},{},2024-01-01 {:02}:{:02},{}.5,{}.5\n", i / 6 % 300, i / 2, i % 24, i % 60, place % 50,
                         place % 99);
  }
  request_.shape = RowShape::trips;
  request_.max_trips_per_user = 3;
  expect_the_same(write("wide.csv", wide));
  request_.shape = RowShape::stops;
  expect_the_same(write("stops.csv", stops));
  request_.max_trips_per_user.reset();
  expect_the_same(write("stops.csv", stops));
}

TEST_F(UserBuckets, HoldUsersWhole) {
  request_.user = "uid";
  request_.shape = RowShape::stops;
  EXPECT_EQ(bucket_columns(request_), "person, trip");
  request_.max_trips_per_user = 1;
  EXPECT_EQ(bucket_columns(request_), "person");
  request_.shape = RowShape::trips;
  EXPECT_EQ(bucket_columns(request_), "person");
  request_.max_trips_per_user.reset();
  EXPECT_EQ(bucket_columns(request_), "");
  request_.shape = RowShape::pings;
  EXPECT_EQ(bucket_columns(request_), "person");
  request_.user = "";
  EXPECT_EQ(bucket_columns(request_), "");
}

TEST(EachBucket, IsHalvedWhereItDoesNotFit) {
  std::set<std::uint64_t> done;  // of 24
  int tries = 0;
  const Status all = each_bucket(3, [&](const UserBucket& bucket) -> Status {
    ++tries;
    // The second is too large until it is in four.
    if (bucket.number % 3 == 1 && bucket.of < 12) return Error{Failure::bad_input, "Out of Memory Error: no"};
    for (std::uint64_t i = bucket.number; i < 24; i += bucket.of) EXPECT_TRUE(done.insert(i).second);
    return {};
  });
  EXPECT_TRUE(all);
  EXPECT_EQ(done.size(), 24U);
  EXPECT_EQ(tries, 2 + 1 + 2 + 4);
}

TEST(EachBucket, GivesUpWithAWord) {
  const auto fails = [](const char* message) {
    return each_bucket(2, [&](const UserBucket&) -> Status { return Error{Failure::bad_input, message}; });
  };
  EXPECT_NE(fails("cannot write x\n  Out of Memory Error: no").error().message.find("`memory_limit`"),
            std::string::npos);
  EXPECT_EQ(fails("no such file").error().message, "no such file");
}

TEST(EachBucket, AsManyAsTheMemoryAsksFor) {
  EXPECT_EQ(buckets_for(0, 4, 1'000'000'000), 1U);
  EXPECT_EQ(buckets_for(1'000'000, 4, 1'000'000'000), 1U);
  EXPECT_EQ(buckets_for(100'000'000, 4, 6'000'000'000), 3U);
  EXPECT_LE(buckets_for(~std::uint64_t{0}, 8, 1), 4096U);
}

// The window over all users' trips does not fit at once, so the only bucket there is at first is halved.
TEST_F(UserBuckets, LetALittleMemoryDo) {
  Result<DuckSession> duck = DuckSession::open();
  ASSERT_TRUE(
      duck->run(fmt::format("COPY (SELECT CAST(hash(i, 9) % 400000 AS BIGINT) AS uid, i AS tid, hash(i, 1) % 50 "
                            "AS o_lat, hash(i, 2) % 100 AS o_lng, hash(i, 3) % 50 AS d_lat, hash(i, 4) % 100 "
                            "AS d_lng FROM range(1500000) t(i)) TO {}",
                            quote_output(path("rows.parquet")))));
  request_.shape = RowShape::trips;
  request_.max_trips_per_user = 2;
  const auto made = [&](const IngestOptions& options) {
    Result<Ingest> in = Ingest::open({path("rows.parquet"), "", {}, nullptr, {}}, names_, request_, options);
    return cells_of((*in->matrices())[0]);
  };
  const auto whole = made({.threads = 2, .memory_limit = "4GB"});
  EXPECT_TRUE(made({.threads = 1, .memory_limit = "128MB", .buckets = 1}) == whole);
}

}  // namespace
}  // namespace stopover
