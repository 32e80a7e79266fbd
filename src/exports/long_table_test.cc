#include "exports/long_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "duck/duck.h"
#include "exports/export_card.h"
#include "exports/partition_table.h"
#include "exports/trips_table.h"
#include "release/sample_release.h"

namespace stopover {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(LongTable, WritesCsvAndParquetWithItsCard) {
  LongTable table(2);
  table.add("a", std::vector<double>{0.1, 2});
  table.add("A", std::vector<std::string>{"x,y", "it's \"ü\""});
  table.add("n", std::vector<std::int64_t>{-3, 4}, {true, false});
  const std::string csv = testing::TempDir() + "long.csv", parquet = testing::TempDir() + "long.parquet";
  ASSERT_TRUE(table.write(csv, TableForm::csv, "{}"));
  EXPECT_EQ(text_of(csv), "a,A_2,n\n0.1,\"x,y\",-3\n2.0,\"it's \"\"ü\"\"\",\n");
  const std::string card = R"({"promise": "it's \"quoted\" ü"})";
  ASSERT_TRUE(table.write(parquet, TableForm::parquet, card));
  Result<DuckSession> duck = DuckSession::open();
  Result<DuckRows> rows =
      duck->query("SELECT decode(value) FROM parquet_kv_metadata(" + quote_input(parquet) + ") WHERE key = 'stopover'");
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_TRUE(*rows->next());
  EXPECT_EQ(rows->text(0, 0), card);
  EXPECT_FALSE(table.write(testing::TempDir() + "none/x.csv", TableForm::csv, "{}"));
}

LongTable numbers(std::size_t first, std::size_t rows) {
  std::vector<std::uint64_t> number;
  std::vector<std::string> text;
  for (std::size_t i = 0; i < rows; ++i) {
    number.push_back(first + i);
    text.push_back("row " + std::to_string(first + i) + " of a text that no vector holds by itself");
  }
  LongTable table(rows);
  table.add("number", std::move(number));
  table.add("NUMBER", std::move(text));
  return table;
}

// Blocks of any size, empty ones among them, are the same file as all rows at once.
TEST(LongTable, BlocksAreTheSameFile) {
  for (const TableForm form : {TableForm::csv, TableForm::parquet}) {
    const std::string once = testing::TempDir() + "once", parts = testing::TempDir() + "parts";
    std::vector<std::size_t> sizes = {0, 0, 3, 2048, 0, 5000, 1, 0};
    std::size_t block = 0, first = 0;
    const auto next = [&]() -> Result<std::optional<LongTable>> {
      if (block == sizes.size()) return std::optional<LongTable>();
      LongTable table = numbers(first, sizes[block]);
      first += sizes[block++];
      return std::optional<LongTable>(std::move(table));
    };
    const Status written = LongTable::write_blocks(parts, form, "{}", 0, next);
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(first, 7052u);
    ASSERT_TRUE(numbers(0, first).write(once, form, "{}"));
    EXPECT_EQ(text_of(parts), text_of(once));
  }
}

TEST(LongTable, BlocksFailWithTheirOwnError) {
  int calls = 0;
  const auto next = [&]() -> Result<std::optional<LongTable>> {
    if (++calls == 3) return Error{Failure::interrupted, "interrupted"};
    return std::optional<LongTable>(numbers(0, 10));
  };
  const Status failed = LongTable::write_blocks(testing::TempDir() + "parts.csv", TableForm::csv, "{}", 0, next);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().failure, Failure::interrupted);
  const auto one = [&, given = false]() mutable -> Result<std::optional<LongTable>> {
    if (std::exchange(given, true)) return std::optional<LongTable>();
    return std::optional<LongTable>(numbers(0, 1));
  };
  EXPECT_FALSE(LongTable::write_blocks(testing::TempDir() + "none/x.csv", TableForm::csv, "{}", 0, one));
}

TEST(PartitionTable, HasARowALeaf) {
  const Release release = sample::city();
  const Result<LongTable> table = partition_table(release);
  ASSERT_TRUE(table);
  const std::string path = testing::TempDir() + "partitions.csv";
  ASSERT_TRUE(table->write(path, TableForm::csv, ""));
  const std::string text = text_of(path);
  EXPECT_TRUE(text.starts_with("partition,o_lon_lo,o_lon_hi,o_lon_from,o_lon_to,o_lat_lo,")) << text.substr(0, 200);
  EXPECT_NE(text.find("purpose_lo,purpose_hi,purpose,cells,count,noise_scale,estimate,noise_lower,noise_upper\n"),
            std::string::npos);
  EXPECT_NE(text.find("work | school"), std::string::npos);
}

TEST(ExportCard, CarriesThePromise) {
  const Release release = sample::paper(0, 0, 0);
  const std::string card = *encode_card({"csv", {"A note."}, {{"seed", "1"}}}, release);
  const auto json = nlohmann::json::parse(card_beside(card, "x.csv", "abc"));
  EXPECT_EQ(json["stopover"], "csv");
  EXPECT_EQ(json["notes"][0], "A note.");
  EXPECT_EQ(json["settings"]["seed"], "1");
  EXPECT_EQ(json["release"]["epsilon"], "0.1");
  EXPECT_EQ(json["release"]["content_sha256"].get<std::string>().size(), 64u);
  EXPECT_NE(json["guarantee"]["title"].get<std::string>().find("epsilon 0.1"), std::string::npos);
  EXPECT_EQ(json["file"]["sha256"], "abc");
}

TEST(ExportCard, SaysThatARepeatableKeyProtectsNobody) {
  Release release = sample::paper(0, 0, 0);
  EXPECT_EQ(nlohmann::json::parse(*encode_card({"csv", {}, {}}, release))["release"]["private"], true);
  release.randomness = Randomness::repeatable("a");
  const auto json = nlohmann::json::parse(*encode_card({"csv", {}, {}}, release));
  EXPECT_EQ(json["release"]["private"], false);
  EXPECT_EQ(json["release"]["randomness"], "repeatable:a");
  EXPECT_TRUE(json["guarantee"]["title"].get<std::string>().starts_with("No privacy"));
}

TEST(TripsTable, NamesPlacesAndLabels) {
  const Release release = sample::city();
  SyntheticTrips trips{release.domain, {{0}, {7}, {15}, {0}, {2}}, {}};
  const std::string path = testing::TempDir() + "trips.csv";
  ASSERT_TRUE(trips_table(trips, 1, {4}).write(path, TableForm::csv, ""));
  const std::string text = text_of(path);
  EXPECT_TRUE(text.starts_with("draw,origin_lng,origin_lat,destination_lng,destination_lat,why_purpose\n4,-122.5"))
      << text;
  EXPECT_NE(text.find("other"), std::string::npos);
  const SyntheticTrips bare{*Domain::of_shape({4, 4}), {{1, 2}, {3, 0}}, {}};
  ASSERT_TRUE(trips_table(bare, 1).write(path, TableForm::csv, ""));
  EXPECT_EQ(text_of(path), "a0,a1\n1,3\n2,0\n");
}

}  // namespace
}  // namespace stopover
