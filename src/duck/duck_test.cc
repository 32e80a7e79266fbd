#include "duck/duck.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>

namespace stopover {
namespace {

namespace fs = std::filesystem;

class Duck : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("duck_test_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    Result<DuckSession> opened = DuckSession::open({2, "1GB"});
    ASSERT_TRUE(opened) << opened.error().message;
    duck_ = std::make_unique<DuckSession>(std::move(*opened));
  }
  void TearDown() override {
    duck_.reset();
    fs::remove_all(folder_);
  }
  std::string setting(const std::string& name) {
    Result<DuckRows> rows = duck_->query("SELECT CAST(current_setting(" + quote_literal(name) + ") AS VARCHAR)");
    EXPECT_TRUE(rows) << rows.error().message;
    EXPECT_TRUE(*rows->next());
    return std::string(rows->text(0, 0));
  }
  fs::path folder_;
  std::unique_ptr<DuckSession> duck_;
};

TEST_F(Duck, IsLockedAndKeepsToItself) {
  EXPECT_EQ(setting("autoinstall_known_extensions"), "false");
  EXPECT_EQ(setting("autoload_known_extensions"), "false");
#ifdef STOPOVER_DUCK_THREADS
  EXPECT_EQ(setting("threads"), std::to_string(STOPOVER_DUCK_THREADS));
#else
  EXPECT_EQ(setting("threads"), "2");
#endif
  EXPECT_FALSE(duck_->run("SET threads = 1"));
  EXPECT_FALSE(duck_->run("SET autoload_known_extensions = true"));

  const std::string spill = setting("temp_directory");
  struct stat info{};
  ASSERT_EQ(::stat(spill.c_str(), &info), 0) << spill;
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  duck_.reset();
  EXPECT_FALSE(fs::exists(spill));
}

TEST_F(Duck, SpillsIntoItsOwnFolderOnly) {
  duck_.reset();
  Result<DuckSession> small = DuckSession::open({1, "60MB"});
  ASSERT_TRUE(small);
  ASSERT_TRUE(small->run("CREATE TABLE t AS SELECT hash(range) h, range r FROM range(6000000)"));
  Result<DuckRows> rows = small->query("SELECT h, r FROM t ORDER BY h");
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_TRUE(*rows->next());
  EXPECT_FALSE(fs::exists(".tmp"));
}

TEST_F(Duck, StreamsEveryTypeWithNulls) {
  Result<DuckRows> rows = duck_->query(
      "SELECT range AS big, CAST(range AS UINTEGER) AS u, range / 2 AS half, 'row ' || range || repeat('x', 20) AS "
      "long, "
      "CASE WHEN range % 7 = 0 THEN NULL ELSE CAST(range % 100 AS VARCHAR) END AS short FROM range(10000) ORDER BY "
      "range");
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->columns(), 5u);
  EXPECT_EQ(rows->name(3), "long");
  EXPECT_EQ(rows->type(1), DUCKDB_TYPE_UINTEGER);
  std::int64_t n = 0;
  for (;;) {
    Result<bool> more = rows->next();
    ASSERT_TRUE(more);
    if (!*more) break;
    for (std::size_t i = 0; i < rows->size(); ++i, ++n) {
      ASSERT_EQ(rows->column<std::int64_t>(0)[i], n);
      ASSERT_EQ(rows->column<std::uint32_t>(1)[i], static_cast<std::uint32_t>(n));
      ASSERT_EQ(rows->column<double>(2)[i], static_cast<double>(n) / 2);
      ASSERT_EQ(rows->text(3, i), "row " + std::to_string(n) + std::string(20, 'x'));
      ASSERT_EQ(rows->valid(4, i), n % 7 != 0);
      if (rows->valid(4, i)) {
        ASSERT_EQ(rows->text(4, i), std::to_string(n % 100));
      }
    }
  }
  EXPECT_EQ(n, 10000);
}

TEST_F(Duck, LoadsColumnsAndReadsThemBack) {
  const std::size_t n = 5000;
  std::vector<std::int64_t> a(n);
  std::vector<double> b(n);
  std::vector<std::string> c(n);
  std::vector<bool> valid(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = static_cast<std::int64_t>(i) - 3;
    b[i] = 1.0 / static_cast<double>(i + 1);
    c[i] = std::string(i % 30, 'q');
    valid[i] = i % 3 != 0;
  }
  const Status loaded =
      duck_->load("t \"x\"", {DuckColumn::of("a", a), DuckColumn::of("b \"", b, &valid), DuckColumn::of("c", c)}, n);
  ASSERT_TRUE(loaded) << loaded.error().message;
  Result<DuckRows> rows = duck_->query("SELECT * FROM " + quote_identifier("t \"x\""));
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->name(1), "b \"");
  std::size_t at = 0;
  while (*rows->next()) {
    for (std::size_t i = 0; i < rows->size(); ++i, ++at) {
      ASSERT_EQ(rows->column<std::int64_t>(0)[i], a[at]);
      ASSERT_EQ(rows->valid(1, i), valid[at]);
      if (valid[at]) {
        ASSERT_EQ(rows->column<double>(1)[i], b[at]);
      }
      ASSERT_EQ(rows->text(2, i), c[at]);
    }
  }
  EXPECT_EQ(at, n);
}

TEST_F(Duck, ErrorsAreValues) {
  EXPECT_EQ(duck_->run("SELEC 1").error().failure, Failure::bad_input);
  EXPECT_FALSE(duck_->query("SELECT nothing FROM nowhere"));
  EXPECT_FALSE(duck_->run(std::string("SELECT '\0'", 10)));
  Result<DuckRows> late =
      duck_->query("SELECT CASE WHEN range < 99999 THEN 1 ELSE CAST('x' || range AS INTEGER) END FROM range(100000)");
  std::string message;
  while (late) {
    Result<bool> more = late->next();
    if (!more) message = more.error().message;
    if (!more || !*more) break;
  }
  if (!late) message = late.error().message;
  EXPECT_NE(message.find("x99999"), std::string::npos) << message;
  EXPECT_TRUE(duck_->run("SELECT 1"));
}

TEST_F(Duck, ALongQueryEndsWhenAskedTo) {
  std::atomic<bool> asked = false;
  duck_.reset();
  Result<DuckSession> opened =
      DuckSession::open({.threads = 1, .memory_limit = "1GB", .interrupted = [&] { return asked.load(); }});
  ASSERT_TRUE(opened);
  ASSERT_TRUE(opened->run("CREATE TABLE t AS SELECT range AS i FROM range(1000)"));
  asked = true;
  alarm(1200);  // else it would take years
  const std::string forever = "SELECT count(*) FROM t a, t b, t c, t d, t e WHERE hash(a.i, b.i, c.i, d.i, e.i) = 1";
  const Status run = opened->run("CREATE TABLE u AS " + forever);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().failure, Failure::interrupted);
  Result<DuckRows> rows = opened->query(forever);
  const Error error = rows ? rows->next().error() : rows.error();
  EXPECT_EQ(error.failure, Failure::interrupted);
  alarm(0);
}

TEST_F(Duck, AFullDiskIsToldAsOne) {
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  getrlimit(RLIMIT_FSIZE, &old_limit);
  const rlimit small{20'000, old_limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const Status csv =
      duck_->run("COPY (SELECT hash(range) AS x FROM range(100000)) TO " + quote_output((folder_ / "x.csv").string()));
  const Status parquet = duck_->run("COPY (SELECT hash(range) AS x FROM range(100000)) TO " +
                                    quote_output((folder_ / "x.parquet").string()));
  setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_action);
  ASSERT_FALSE(csv);
  EXPECT_EQ(csv.error().failure, Failure::disk_full) << csv.error().message;
  ASSERT_FALSE(parquet);
  EXPECT_EQ(parquet.error().failure, Failure::disk_full) << parquet.error().message;
}

TEST_F(Duck, TakesPathsLiterally) {
  for (const char* name : {"plain.parquet", "it's.parquet", "a[1].parquet", "a?.parquet", "a*.parquet",
                           "ü {x,y}.parquet", "b\\c.parquet", "bc.parquet"}) {
    const std::string path = (folder_ / name).string();
    const Status written = duck_->run("COPY (SELECT 1 AS one) TO " + quote_output(path) + " (FORMAT PARQUET)");
    ASSERT_TRUE(written) << name << ": " << written.error().message;
    EXPECT_TRUE(fs::exists(path)) << name;
    Result<DuckRows> rows = duck_->query("SELECT * FROM read_parquet(" + quote_input(path) + ")");
    ASSERT_TRUE(rows) << name << ": " << rows.error().message;
    std::size_t n = 0;
    while (*rows->next()) n += rows->size();
    EXPECT_EQ(n, 1u) << name;
  }
}

}  // namespace
}  // namespace stopover
