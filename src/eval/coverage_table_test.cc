#include "eval/coverage_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

namespace stopover {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

CoverageRow row(const std::string& kind, const std::string& epsilon, const std::string& grid, double held,
                double score) {
  CoverageRow made;
  made.of = {"sf, \"4\"", 2, "anchor", epsilon, grid, kind, 0.95, 7, 300, 3};
  made.questions = 900;
  made.uniform = 225;
  made.held = held;
  made.held_uniform = 100;
  made.held_all = (900 * held + 225 * 100) / 1125;
  made.claimed = 0;
  made.held_claimed = kNan;
  made.width = score / 2;
  made.score = score;
  made.against = kNan;
  made.noise_held = 61.2345;
  made.tenths.fill(held);
  return made;
}

struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "stopover-coverage-table-test";
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

TEST(CoverageTable, IsReadBackAsItWasWritten) {
  const Folder folder;
  CoverageTable table{{row("boxes", "0.5", "500x500", 93.25, 120), row("tiny:8", "0.5", "500x500", 88, 1.5)}};
  ASSERT_TRUE(table.write(folder / "t.csv", Readers::owner));
  const Result<CoverageTable> again = CoverageTable::read(folder / "t.csv");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->csv(), table.csv());
  ASSERT_EQ(again->rows.size(), 2u);
  EXPECT_EQ(again->rows[1].of, table.rows[1].of);
  EXPECT_EQ(again->rows[0].held, 93.25);
  EXPECT_TRUE(std::isnan(again->rows[0].held_claimed));
  EXPECT_EQ(again->find(table.rows[1].of), &again->rows[1]);
  const auto json = nlohmann::json::parse(table.json());
  EXPECT_EQ(json[0]["held"], 93.25);
  EXPECT_TRUE(json[0]["held_claimed"].is_null());
  EXPECT_EQ(json[1]["tenths"].size(), 10u);
}

TEST(CoverageTable, OtherFilesAreRefused) {
  const Folder folder;
  ASSERT_TRUE(write_file(folder / "other.csv", "a,b\n1,2\n"));
  EXPECT_FALSE(CoverageTable::read(folder / "other.csv"));
  ASSERT_TRUE(write_file(folder / "empty.csv", ""));
  EXPECT_FALSE(CoverageTable::read(folder / "empty.csv"));
  const CoverageTable table{{row("boxes", "0.5", "500x500", 93, 120)}};
  ASSERT_TRUE(write_file(folder / "cut.csv", table.csv().substr(0, table.csv().size() - 40)));
  const Result<CoverageTable> cut = CoverageTable::read(folder / "cut.csv");
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().message.find("row 2"), std::string::npos) << cut.error().message;
}

TEST(CoverageTable, ScoresAreComparedWithTheSameCase) {
  CoverageTable now{{row("boxes", "0.5", "500x500", 95, 90), row("boxes", "1", "500x500", 95, 50)}};
  CoverageTable before{{row("boxes", "0.5", "1000x1000", 93, 1), row("boxes", "0.5", "500x500", 93, 120)}};
  before.rows[1].of.seed = 8;  // other questions and keys are no other case
  before.rows[1].of.mechanism = "privtree";
  EXPECT_EQ(now.compare(before), 1u);
  EXPECT_EQ(now.rows[0].against, 0.75);
  EXPECT_TRUE(std::isnan(now.rows[1].against));
}

TEST(CoverageTable, FitsAScreen) {
  CoverageTable table{
      {row("one-stop-free:12.5", "0.5", "500x500", 93.25, 123456), row("tiny", "1", "500x500", 88, 1.5)}};
  table.rows[0].against = 12.34;
  const std::string text = table.text();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_LE(end - at, 80u) << text.substr(at, end - at);
    at = end + 1;
  }
  EXPECT_NE(text.find("2 stops, anchor, epsilon 0.5, grid 500x500\n"), std::string::npos) << text;
  EXPECT_NE(text.find("epsilon 1, grid 500x500\n"), std::string::npos) << text;
  EXPECT_NE(text.find("93.2"), std::string::npos);
  EXPECT_NE(text.find("12.34"), std::string::npos);
}

TEST(CoverageTable, PlotsKindsOverWhatVaries) {
  CoverageTable table{{row("boxes", "0.5", "500x500", 90, 1), row("boxes", "0.5", "1000x1000", 94, 1),
                       row("boxes", "1", "500x500", 96, 1), row("tiny", "0.5", "500x500", 80, 1)}};
  const std::string data = table.rows[0].of.data;
  LinePlot plot = table.plot(data);
  EXPECT_EQ(plot.x_label, "epsilon");
  ASSERT_EQ(plot.series.size(), 3u);  // and the level
  EXPECT_EQ(plot.series[0].y, (std::vector<double>{92, 96}));
  EXPECT_EQ(plot.series[0].low, (std::vector<double>{90, 96}));
  EXPECT_EQ(plot.series[0].high, (std::vector<double>{94, 96}));
  EXPECT_TRUE(plot.series[2].is_bound);
  EXPECT_EQ(plot.series[2].y, (std::vector<double>{95, 95}));
  table.rows.erase(table.rows.begin() + 2);
  plot = table.plot(data);
  EXPECT_EQ(plot.x_label, "cells of a map's side");
  EXPECT_EQ(plot.series[0].x, (std::vector<double>{500, 1000}));
  table.rows = {row("boxes", "0.5", "500x500", 90, 1), row("boxes", "0.5", "500x500", 75, 1)};
  table.rows[1].of.level = 0.8;
  plot = table.plot(data);
  EXPECT_EQ(plot.x_label, "level, %");
  EXPECT_EQ(plot.series[0].y, (std::vector<double>{75, 90}));
  EXPECT_EQ(table.data_sets(), std::vector<std::string>{data});
}

}  // namespace
}  // namespace stopover
