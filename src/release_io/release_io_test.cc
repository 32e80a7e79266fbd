#include "release_io/release_io.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>

#include "disk/sha256.h"
#include "duck/duck.h"
#include "release/sample_release.h"
#include "release_io/content_hash.h"
#include "release_io/release_document.h"
#include "release_io/release_folder.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void put(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

class ReleaseIo : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("release_io_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const Release& release, const std::string& name = "x.odr", unsigned threads = 0) {
    const fs::path directory = folder_ / name;
    fs::remove_all(directory);
    fs::create_directories(directory);
    const Status status = write_release(release, directory, threads);
    EXPECT_TRUE(status) << status.error().message;
    return directory;
  }
  static void expect_refused(const fs::path& directory, const std::string& part) {
    const Result<Release> read = read_release(directory);
    ASSERT_FALSE(read) << part;
    EXPECT_EQ(read.error().failure, Failure::bad_input);
    EXPECT_NE(read.error().message.find(part), std::string::npos) << read.error().message;
    const auto verified = verify_release(directory);
    ASSERT_FALSE(verified) << part;
    EXPECT_EQ(verified.error().failure, Failure::check_failed);
    EXPECT_NE(verified.error().message.find(part), std::string::npos) << verified.error().message;
  }
  // Rewrites a table's file by SQL over its rows and makes release.json agree with it.
  static void forge(const fs::path& directory, std::size_t table, const std::string& select, bool same_writer = true,
                    const std::string& options = "") {
    Result<ReleaseDocument> document = decode_document(text_of(directory / "release.json"));
    ASSERT_TRUE(document);
    const std::string path = (directory / table_file_name(document->release.tables[table])).string();
    Result<DuckSession> duck = DuckSession::open();
    ASSERT_TRUE(duck->run("CREATE TABLE t AS SELECT * FROM read_parquet(" + quote_input(path) + ")"));
    const Status copied =
        duck->run("COPY (" + select + ") TO " + quote_output(path) + " (FORMAT PARQUET" + options + ")");
    ASSERT_TRUE(copied) << copied.error().message;
    document->files[table].file_sha256 = *sha256_of_file(path);
    if (!same_writer) document->writer.version = "0.0.1";
    put(directory / "release.json", *encode_document(*document));
  }
  fs::path folder_;
};

TEST_F(ReleaseIo, GoesBothWays) {
  for (const Release& release : {sample::paper(0, 0, 0), sample::paper(-30, 5, 9), sample::city(), sample::maps(),
                                 sample::stations(), sample::believed(), sample::grid(60)}) {
    const fs::path directory = write(release);
    const Result<Release> read = read_release(directory);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, release);
    const auto verified = verify_release(directory);
    EXPECT_TRUE(verified) << verified.error().message;
  }
}

TEST_F(ReleaseIo, SameReleaseSameBytesForAnyThreads) {
  const Release release = sample::grid(400);  // several row groups
  const fs::path one = write(release, "one.odr", 1), four = write(release, "four.odr", 4);
  for (const char* file : {"release.json", "joint.parquet", "datapackage.json"})
    EXPECT_EQ(text_of(one / file), text_of(four / file)) << file;
  EXPECT_EQ(*read_release(one, 4), release);
  EXPECT_TRUE(verify_release(one, 4));
}

TEST_F(ReleaseIo, FlippedBytesAreNoticed) {
  const fs::path directory = write(sample::city());
  for (const char* file :
       {"release.json", "joint.parquet", "stop1.parquet", "maps/stop1.parquet", "datapackage.json"}) {
    const std::string good = text_of(directory / file);
    for (std::size_t i = 0; i < good.size(); i += 1 + good.size() / 150) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
      put(directory / file, bad);
      const Result<Release> read = read_release(directory);
      ASSERT_FALSE(read) << file << " byte " << i;
      ASSERT_EQ(read.error().failure, Failure::bad_input);
      const auto verified = verify_release(directory);
      ASSERT_FALSE(verified);
      ASSERT_EQ(verified.error().failure, Failure::check_failed);
    }
    put(directory / file, good);
  }
  EXPECT_TRUE(verify_release(directory));
}

TEST_F(ReleaseIo, ZonesAreAFileOfTheRelease) {
  const fs::path directory = write(sample::stations());
  const std::string good = text_of(directory / "zones.geojson");
  for (std::size_t i = 0; i < good.size(); i += 7) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    put(directory / "zones.geojson", bad);
    ASSERT_FALSE(read_release(directory)) << i;
  }
  fs::remove(directory / "zones.geojson");
  EXPECT_FALSE(verify_release(directory));
  put(directory / "zones.geojson", good);
  EXPECT_TRUE(verify_release(directory));
  // Another geography is another release, whatever the counts.
  Release moved = sample::stations();
  std::vector<ZoneRecord> zones = moved.domain.zones()->all();
  zones[0].place.x += 1;
  moved.domain = *Domain::make(moved.domain.axes(), moved.domain.stops(),
                               std::make_shared<const ZoneSet>(*ZoneSet::make(zones, {"district"}, ZoneForm::points)));
  EXPECT_NE(*content_sha256(moved), *content_sha256(sample::stations()));
}

TEST_F(ReleaseIo, OpensElsewhere) {
  EXPECT_EQ(release_files(sample::city()),
            (std::vector<std::string>{"joint.parquet", "stop1.parquet", "maps/stop1.parquet", "datapackage.json",
                                      "release.json"}));
  EXPECT_EQ(release_files(sample::stations()),
            (std::vector<std::string>{"joint.parquet", "zones.geojson", "zones.parquet", "datapackage.json",
                                      "release.json"}));
  Release old = sample::city();
  old.format = 1;
  EXPECT_EQ(release_files(old), (std::vector<std::string>{"joint.parquet", "stop1.parquet", "release.json"}));
  for (const Release& release : {sample::city(), sample::stations(), old}) {
    const fs::path directory = write(release);
    std::vector<std::string> found, files = release_files(release);
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
      if (!entry.is_directory()) found.push_back(entry.path().lexically_relative(directory).string());
    }
    std::sort(found.begin(), found.end());
    std::sort(files.begin(), files.end());
    EXPECT_EQ(found, files);
  }
}

TEST_F(ReleaseIo, CompanionsFollowFromTheTables) {
  const std::string file = "maps/stop1.parquet";
  const auto forged = [&](const std::string& select, bool same_writer) {
    const fs::path directory = write(sample::city());
    ReleaseDocument document = *decode_document(text_of(directory / "release.json"));
    const std::string path = (directory / file).string();
    Result<DuckSession> duck = DuckSession::open();
    EXPECT_TRUE(duck->run("CREATE TABLE t AS SELECT * FROM read_parquet(" + quote_input(path) +
                          "); CREATE TABLE geo AS SELECT decode(value) AS v FROM parquet_kv_metadata(" +
                          quote_input(path) + ") WHERE decode(key) = 'geo'; SET VARIABLE geo = (SELECT v FROM geo)"));
    const Status copied = duck->run("COPY (" + select + ") TO " + quote_output(path) +
                                    " (FORMAT PARQUET, KV_METADATA {geo: getvariable('geo')})");
    EXPECT_TRUE(copied) << copied.error().message;
    document.companions[0].sha256 = *sha256_of_file(path);
    if (!same_writer) document.writer.version = "0.0.1";
    put(directory / "release.json", *encode_document(document));
    return directory;
  };
  EXPECT_TRUE(read_release(forged("SELECT * FROM t", true)));
  EXPECT_FALSE(verify_release(forged("SELECT * FROM t", true))) << "other bytes of the same program";
  const auto theirs = verify_release(forged("SELECT * FROM t", false));
  EXPECT_TRUE(theirs) << theirs.error().message;
  for (const char* select :
       {"SELECT * REPLACE (estimate + 1 AS estimate) FROM t", "SELECT * FROM t WHERE row > 0",
        "SELECT * FROM t ORDER BY row DESC", "SELECT *, 1 AS more FROM t", "SELECT * EXCLUDE (cells) FROM t",
        "SELECT * REPLACE ({'xmin': 0, 'ymin': 0, 'xmax': 1, 'ymax': 1} AS bbox) FROM t"}) {
    const auto verified = verify_release(forged(select, false));
    ASSERT_FALSE(verified) << select;
    EXPECT_EQ(verified.error().failure, Failure::check_failed);
    EXPECT_NE(verified.error().message.find(file), std::string::npos) << verified.error().message;
  }
  // All of them, or none: as releases of format 2 were before there were any.
  const fs::path directory = write(sample::city());
  ReleaseDocument document = *decode_document(text_of(directory / "release.json"));
  const std::vector<Companion> all = document.companions;
  document.companions.pop_back();
  put(directory / "release.json", *encode_document(document));
  expect_refused(directory, "other companions");
  document.companions.clear();
  put(directory / "release.json", *encode_document(document));
  EXPECT_TRUE(read_release(directory));
  fs::remove(directory / "datapackage.json");
  fs::remove_all(directory / "maps");
  const auto verified = verify_release(directory);
  EXPECT_TRUE(verified) << verified.error().message;
  EXPECT_EQ(document.content_sha256, *content_sha256(sample::city())) << "they are no part of the content";
}

TEST_F(ReleaseIo, APackIsTheFolderInOneFile) {
  const std::string pack = (folder_ / "x.odrz").string();
  for (const Release& release : {sample::city(), sample::stations()}) {
    const fs::path directory = write(release);
    ASSERT_TRUE(pack_release(directory, pack));
    const std::string bytes = text_of(pack);
    ASSERT_TRUE(pack_release(write(release, "y.odr"), pack));
    EXPECT_EQ(text_of(pack), bytes);
    const Result<Release> read = read_release(pack);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, release);
    const auto verified = verify_release(pack);
    EXPECT_TRUE(verified) << verified.error().message;
    for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 100) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
      put(pack, bad);
      ASSERT_FALSE(verify_release(pack)) << i;
    }
    put(pack, bytes);
  }
  EXPECT_EQ(pack_release(pack, (folder_ / "z.odrz").string()).error().failure, Failure::usage);
  put(folder_ / "x.odr/joint.parquet", "damaged");
  EXPECT_EQ(pack_release(folder_ / "x.odr", pack).error().failure, Failure::bad_input);
  put(pack, "PK\3\4 nothing else");
  EXPECT_EQ(read_release(pack).error().failure, Failure::bad_input);
}

TEST_F(ReleaseIo, TruncatedFilesAreNoticed) {
  const fs::path directory = write(sample::city());
  for (const char* file : {"release.json", "joint.parquet"}) {
    const std::string good = text_of(directory / file);
    for (std::size_t size : {std::size_t{0}, std::size_t{1}, good.size() / 2, good.size() - 1}) {
      put(directory / file, good.substr(0, size));
      expect_refused(directory, "damaged");
    }
    put(directory / file, good + '\0');
    expect_refused(directory, "damaged");
    put(directory / file, good);
  }
}

TEST_F(ReleaseIo, WhatIsNotThereIsBadInput) {
  EXPECT_EQ(read_release(folder_ / "none.odr").error().failure, Failure::bad_input);
  EXPECT_EQ(verify_release(folder_ / "none.odr").error().failure, Failure::bad_input);
  EXPECT_EQ(verify_release(folder_).error().failure, Failure::bad_input);
  EXPECT_EQ(read_release(folder_).error().failure, Failure::bad_input);
  put(folder_ / "file.odr", "x");
  EXPECT_EQ(read_release(folder_ / "file.odr").error().failure, Failure::bad_input);
  const fs::path directory = write(sample::paper(0, 0, 0));
  fs::rename(directory / "joint.parquet", folder_ / "joint.parquet");
  expect_refused(directory, "there is no");
  fs::create_symlink(folder_ / "joint.parquet", directory / "joint.parquet");
  expect_refused(directory, "not a plain file");
}

TEST_F(ReleaseIo, OtherFilesDoNotBelong) {
  const fs::path directory = write(sample::paper(0, 0, 0));
  put(directory / "notes.txt", "private");
  EXPECT_TRUE(read_release(directory));
  const auto verified = verify_release(directory);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().failure, Failure::check_failed);
  EXPECT_NE(verified.error().message.find("\"notes.txt\" does not belong"), std::string::npos);
}

TEST_F(ReleaseIo, BrokenReleasesAreRefusedThoughTheirHashesAreRight) {
  const std::vector<std::pair<std::function<void(Release&)>, std::string>> breaches = {
      {[](Release& r) { r.tables[0].parent[3] = 3; }, "does not come before"},
      {[](Release& r) { r.tables[0].row_ticks[3] += 1; }, "spends more"},
      {[](Release& r) { r.tables[0].lo[1][5] = 2; }, "the children of row 2"},
      {[](Release& r) { r.tables[0].estimate[5] = -1; }, "estimate is negative"},
      {[](Release& r) { r.tables[0].estimate[5] = std::nan(""); }, "estimate is negative or not finite"},
      {[](Release& r) { r.charges[0].times += 1; }, "receipt"},
      {[](Release& r) { r.spent -= 1; }, "it says it spent"},
      {[](Release& r) { r.tables[0].hi[0][0] = 4'000'000'000; }, "leaves the domain"}};
  for (const auto& [breach, part] : breaches) {
    Release release = sample::city();
    breach(release);
    expect_refused(write(release), part);
  }
  for (const float bad : {-1.0F, std::nanf("")}) {
    Release release = sample::believed();
    release.tables[1].spread[2] = bad;
    expect_refused(write(release), "spread is negative or not finite");
  }
  Release evenly = sample::believed();
  evenly.answer_model = AnswerModel::uniform;
  evenly.tables.resize(1);
  sample::settle(evenly);
  expect_refused(write(evenly), "a spread of leaves needs answers that use maps");
}

TEST_F(ReleaseIo, CoarseCountsAreKeptAndKeepTheirRules) {
  const Release good = sample::gradual();
  const fs::path directory = write(good);
  const auto read = read_release(directory);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, good);
  EXPECT_TRUE(verify_release(directory));
  EXPECT_TRUE(read->tables[0].coarse_ticks.empty());

  const std::string before = *content_sha256(good);
  Release other = good;
  other.tables[1].coarse_count[1] += 1;
  EXPECT_NE(*content_sha256(other), before);
  EXPECT_EQ(seed_of(other.tables[1]), seed_of(good.tables[1]));
  EXPECT_EQ(seed_of(good.tables[1]), seed_of(sample::maps().tables[1]));

  const std::vector<std::pair<std::function<void(Release&)>, std::string>> breaches = {
      {[](Release& r) { r.tables[1].coarse_ticks[1] = 110'000'001; }, "cost more than both"},
      {[](Release& r) { r.tables[1].coarse_count[0] = 1; }, "a coarse count was given but not paid for"},
      {[](Release& r) { r.tables[1].coarse_ticks = {0, 110'000'000, 110'000'000}; }, "it was refined for nothing"},
      {[](Release& r) { r.tables[1].coarse_ticks[1] = 20'000'001; }, "cost another price than others'"},
      {[](Release& r) { r.tables[1].coarse_count[1] = r.tables[1].coarse_ticks[1] = 0; }, "another price than others'"},
      {[](Release& r) { r.tables[1].coarse_count = {0, 0, 0}, r.tables[1].coarse_ticks = {0, 0, 0}; }, "but none"},
      {[](Release& r) { r.tables[1].coarse_count.pop_back(); }, "columns differ in length"},
      {[](Release& r) { r.format = 1; }, "format 1 has no coarse counts"}};
  for (const auto& [breach, part] : breaches) {
    Release release = sample::gradual();
    breach(release);
    const Status checked = check_release(release);
    ASSERT_FALSE(checked) << part;
    EXPECT_NE(checked.error().message.find(part), std::string::npos) << checked.error().message;
  }
}

TEST_F(ReleaseIo, SpreadsAreInTheContentHash) {
  Release release = sample::believed();
  const std::string before = *content_sha256(release);
  release.tables[0].spread[1] += 1;
  EXPECT_NE(*content_sha256(release), before);
}

TEST_F(ReleaseIo, ColumnsThatFollowFromOthersMustFollow) {
  const std::vector<std::pair<std::string, std::string>> forgeries = {
      {"SELECT * REPLACE (o_lon_from + 1e-9 AS o_lon_from) FROM t", "coordinates of axis o_lon"},
      {"SELECT * REPLACE (NOT leaf AS leaf) FROM t", "column leaf"},
      {"SELECT * REPLACE (2 * noise_scale AS noise_scale) FROM t", "column noise_scale"},
      {"SELECT * REPLACE (1.0::DOUBLE AS noise_scale) FROM t", "column noise_scale"},
      {"SELECT * REPLACE (NULLIF(count, 420) AS count) FROM t", "column count holds a NULL"},
      {"SELECT * REPLACE (CAST(count AS INTEGER) AS count) FROM t", "columns are not those"},
      {"SELECT * EXCLUDE (leaf) FROM t", "columns are not those"},
      {"SELECT *, 1 AS extra FROM t", "columns are not those"},
      {"SELECT * RENAME (count AS counts) FROM t", "columns are not those"},
      {"SELECT * FROM t LIMIT 5", "it has 5 rows, not 8"},
      {"SELECT * FROM t UNION ALL SELECT * FROM t", "more than 8 rows"},
      {"SELECT * REPLACE (CAST(2000000000 AS INTEGER) AS parent) FROM t", "a parent is not a row"},
      {"SELECT * REPLACE (count + 1 AS count) FROM t", "do not have the hash"},
      {"SELECT * FROM t ORDER BY depth DESC", "column leaf"}};
  for (const auto& [select, part] : forgeries) {
    const fs::path directory = write(sample::city());
    forge(directory, 0, select);
    expect_refused(directory, part);
  }
  const fs::path directory = write(sample::city());
  put(directory / "joint.parquet", "PAR1 no Parquet at all PAR1");
  ReleaseDocument document = *decode_document(text_of(directory / "release.json"));
  document.files[0].file_sha256 = *sha256_of_file((directory / "joint.parquet").string());
  put(directory / "release.json", *encode_document(document));
  expect_refused(directory, "cannot be read as Parquet");
}

TEST_F(ReleaseIo, ReadsForAnswersWhatAnswersNeed) {
  for (const Release& release :
       {sample::city(), sample::maps(), sample::believed(), sample::gradual(), sample::grid(60)}) {
    const fs::path directory = write(release);
    for (const unsigned threads : {1u, 2u}) {
      std::size_t called = 0;
      const Result<ReadRelease> read = read_for_answers(directory, threads, [&](const Release& there) {
        ++called;
        EXPECT_EQ(there, release);
      });
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(called, 1u);
      EXPECT_EQ(read->release, release);
      EXPECT_EQ(read->content_sha256, *content_sha256(release));
    }
  }
  const auto read = [](const fs::path& directory, bool& called) {
    return read_for_answers(directory, 2, [&](const Release&) { called = true; });
  };
  bool called = false;
  const fs::path directory = write(sample::city());
  // What answers do not need is verify's.
  forge(directory, 0, "SELECT * REPLACE (o_lon_from + 1e-9 AS o_lon_from) FROM t");
  EXPECT_TRUE(read(directory, called));
  EXPECT_FALSE(verify_release(directory));
  // Harmless to walk, but not to believe.
  called = false;
  forge(directory, 0, "SELECT * REPLACE (count + 1 AS count) FROM t");
  Result<ReadRelease> bad = read(directory, called);
  ASSERT_FALSE(bad);
  EXPECT_TRUE(called);
  EXPECT_NE(bad.error().message.find("do not have the hash"), std::string::npos) << bad.error().message;
  // Not even to walk.
  for (const char* select :
       {"SELECT * REPLACE (CAST(o_lon_hi + 100000 AS UINTEGER) AS o_lon_hi) FROM t",
        "SELECT * REPLACE (CAST(CASE WHEN depth > 0 THEN 7 ELSE -1 END AS INTEGER) AS parent) FROM t"}) {
    called = false;
    write(sample::city());
    forge(directory, 0, select);
    bad = read(directory, called);
    ASSERT_FALSE(bad) << select;
    EXPECT_FALSE(called) << select;
  }
  // What they need is looked at, before anybody walks over it.
  const std::vector<std::pair<std::string, std::string>> forgeries = {
      {"SELECT * REPLACE (NULLIF(count, 420) AS count) FROM t", "column count holds a NULL"},
      {"SELECT * FROM t LIMIT 5", "it has 5 rows, not 8"},
      {"SELECT * FROM t UNION ALL SELECT * FROM t", "it has 16 rows, not 8"},
      {"SELECT * RENAME (count AS counts) FROM t", "columns are not those"},
      {"SELECT * REPLACE (CAST(2000000000 AS INTEGER) AS parent) FROM t", "a parent is not a row"}};
  for (const auto& [select, part] : forgeries) {
    const fs::path forged = write(sample::city());
    forge(forged, 0, select);
    bool walked = false;
    const Result<ReadRelease> refused = read(forged, walked);
    ASSERT_FALSE(refused) << part;
    EXPECT_EQ(refused.error().failure, Failure::bad_input);
    EXPECT_NE(refused.error().message.find(part), std::string::npos) << refused.error().message;
    EXPECT_FALSE(walked) << part;
  }
}

TEST_F(ReleaseIo, TheSameWriterMustWriteTheSameBytes) {
  const fs::path ours = write(sample::city(), "ours.odr");
  forge(ours, 0, "SELECT * FROM t", true, ", COMPRESSION SNAPPY");
  EXPECT_TRUE(read_release(ours));
  const auto verified = verify_release(ours);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().failure, Failure::check_failed);
  EXPECT_NE(verified.error().message.find("joint.parquet differs"), std::string::npos) << verified.error().message;

  const fs::path theirs = write(sample::city(), "theirs.odr");  // another version's bytes may differ
  forge(theirs, 0, "SELECT * FROM t", false, ", COMPRESSION SNAPPY");
  EXPECT_TRUE(verify_release(theirs)) << verify_release(theirs).error().message;
}

TEST_F(ReleaseIo, WhatProtectsNobodyPassesOnlyWhenAccepted) {
  Release release = sample::city();
  release.randomness = Randomness::repeatable("a");
  const fs::path directory = write(release);
  EXPECT_EQ(*read_release(directory), release);
  const auto verified = verify_release(directory);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().failure, Failure::check_failed);
  EXPECT_NE(verified.error().message.find("can be repeated (a): it protects nobody"), std::string::npos)
      << verified.error().message;
  EXPECT_NE(verified.error().message.find("`accept_test_key`"), std::string::npos) << verified.error().message;
  const auto accepted = verify_release(directory, 0, Accept::repeatable);
  ASSERT_TRUE(accepted) << accepted.error().message;
  EXPECT_EQ(*accepted, release.randomness);

  release.randomness = {};
  EXPECT_FALSE(verify_release(write(release), 0, Accept::repeatable)) << "nobody told, so nobody can accept it";
  put(write(sample::city()) / "more.txt", "x");
  EXPECT_FALSE(verify_release(folder_ / "x.odr", 0, Accept::repeatable)) << "all other rules stay";
}

TEST_F(ReleaseIo, Format1IsReadAndWrittenAsItWas) {
  for (const char* key : {"", "b"}) {
    Release release = sample::city();
    release.format = 1;
    if (*key != '\0') {
      release.params = {{"test_key", key}};
      release.randomness = Randomness::repeatable(key);
    }
    const fs::path directory = write(release);
    EXPECT_EQ(*read_release(directory), release);
    const auto verified = verify_release(directory, 0, Accept::repeatable);
    ASSERT_TRUE(verified) << verified.error().message;
    EXPECT_EQ(verified->is_private(), *key == '\0');
    EXPECT_EQ(static_cast<bool>(verify_release(directory)), *key == '\0');
  }
}

TEST_F(ReleaseIo, AwkwardNamesAndPlaces) {
  Release release = sample::paper(0, 0, 0);
  release.domain = *Domain::make({{"a \"b\"", 3, AxisKind::number, 0, 1, {}},
                                  {"\xc3\xbc'; DROP TABLE x", 2, AxisKind::time, -1e-7, 1e22, {}},
                                  {"parent", 3, AxisKind::zone, 0, 3, {"", "a\nb", "\x7f\x01"}}});
  for (const char* name : {"a=1", "it's [1]*?.odr", "\xc3\xbc"}) {
    const fs::path directory = write(release, name);
    const Result<Release> read = read_release(directory);
    ASSERT_TRUE(read) << name << ": " << read.error().message;
    EXPECT_EQ(*read, release);
    EXPECT_TRUE(verify_release(directory));
  }
  release.domain = *Domain::make({{"x", 3, AxisKind::number, 0, 3, {}},
                                  {"X", 2, AxisKind::number, 0, 2, {}},
                                  {"y", 3, AxisKind::number, 0, 3, {}}});
  const Status status = write_release(release, folder_);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().failure, Failure::usage);
}

TEST_F(ReleaseIo, CannotWriteIsAnError) {
  const Status status = write_release(sample::paper(0, 0, 0), folder_ / "missing");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().failure, Failure::internal);
  EXPECT_NE(status.error().message.find("cannot write"), std::string::npos);
  if (fs::exists("/dev/full")) {
    fs::create_directories(folder_ / "full");
    fs::create_symlink("/dev/full", folder_ / "full" / "release.json");
    EXPECT_EQ(write_release(sample::paper(0, 0, 0), folder_ / "full").error().failure, Failure::disk_full);
  }
}

TEST_F(ReleaseIo, AMillionRowsInAFewSeconds) {
  const Release release = sample::grid(1000);
  const auto seconds_of = [](const std::function<void()>& work) {
    const std::clock_t start = std::clock();
    work();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  fs::path directory;
  const double writing = seconds_of([&] { directory = write(release); });
  const double reading = seconds_of([&] { EXPECT_EQ(*read_release(directory), release); });
  RecordProperty("write_milliseconds", static_cast<int>(1000 * writing));
  RecordProperty("read_milliseconds", static_cast<int>(1000 * reading));
  EXPECT_LT(writing, 30);
  EXPECT_LT(reading, 30);
}

}  // namespace
}  // namespace stopover
