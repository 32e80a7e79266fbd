#include "desk/draft.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "desk/shown_script.h"

namespace stopover {
namespace {

const Json kFields = {
    {"input", "/data/it's.csv"},       {"shape_of", "trips"},    {"points", {"o_lat,o_lng", "d_lat,d_lng"}},
    {"bbox", "-118.6,33.8,-118,34.3"}, {"grid", "100x100"},      {"unit", "user"},
    {"max_trips_per_user", "4"},       {"epsilon", "0.5"},       {"append", true},
    {"title", "Bikes \"2019\""},       {"output", "/desk/a.odr"}};

TEST(Draft, ComesBackAsItWasKept) {
  const Json draft = {{"publish", kFields}, {"plan", {{"n", "30000"}}}};
  const Result<std::string> text = draft_toml(draft);
  ASSERT_TRUE(text);
  const Result<Json> back = draft_json(*text);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(nlohmann::json::parse(back->dump()), nlohmann::json::parse(draft.dump()));
}

TEST(Draft, IsWrittenInFlagsOfTheCommandLine) {
  const std::string text = *draft_toml({{"publish", kFields}});
  for (const char* line :
       {"[publish]\n", "max-trips-per-user = \"4\"\n", "point = [\"o_lat,o_lng\", \"d_lat,d_lng\"]\n",
        "append = true\n", "output = \"/desk/a.odr\"\n", "title = \"Bikes \\\"2019\\\"\"\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(Draft, ListsThatStandInOneTextAreWrittenSo) {
  const Json fields = {{"zones", "z.csv"}, {"zone_columns", {"from", "to"}}};
  const std::string text = *draft_toml({{"publish", fields}});
  EXPECT_NE(text.find("zone-columns = \"from,to\"\n"), std::string::npos) << text;
  EXPECT_EQ(draft_json(text)->at("publish").at("zone_columns"), Json({"from", "to"}));
  const ShownScript shown = shown_script("inspect", fields);
  EXPECT_NE(shown.command_line.find("--zone-columns from,to"), std::string::npos) << shown.command_line;
  EXPECT_NE(shown.python.find("zone_columns=[\"from\", \"to\"]"), std::string::npos) << shown.python;
}

TEST(Draft, LeavesOutWhatIsEmptyAndRefusesWhatIsNoField) {
  EXPECT_EQ(draft_toml({{"publish", {{"lat", ""}, {"points", Json::array()}, {"append", false}}}})->find("lat"),
            std::string::npos);
  for (const Json& bad :
       {Json{{"publish", {{"a b", "x"}}}}, Json{{"publish", {{"x\n[plan]\ny", "1"}}}},
        Json{{"publish", {{"x", Json::object()}}}}, Json{{"publish", 5}}, Json(5), Json{{"publish", {{"x", {1, 2}}}}}})
    EXPECT_FALSE(draft_toml(bad)) << bad.dump();
  EXPECT_EQ(draft_json(*draft_toml({{"publish", {{"title", "a\n[plan]\nn = 1\x01"}}}}))->at("publish").at("title"),
            "a\n[plan]\nn = 1\x01");
  for (const char* bad : {"[publish", "x = 1", "[other]\n", "[publish]\nx = [1]", "[publish]\nx = 1979-05-27"})
    EXPECT_FALSE(draft_json(bad)) << bad;
}

TEST(ShownScript, IsWhatOneWouldType) {
  const ShownScript shown = shown_script("publish", kFields);
  EXPECT_EQ(shown.command_line,
            "stopover publish '/data/it'\\''s.csv' \\\n  --shape-of trips \\\n  --point o_lat,o_lng \\\n  --point "
            "d_lat,d_lng \\\n  --bbox=-118.6,33.8,-118,34.3 \\\n  --grid 100x100 \\\n  --unit user \\\n  "
            "--max-trips-per-user 4 \\\n  --epsilon 0.5 \\\n  --append \\\n  --title 'Bikes \"2019\"' \\\n  -o "
            "/desk/a.odr");
  EXPECT_EQ(
      shown.python,
      "import stopover as so\n\nrelease = so.publish(\"/data/it's.csv\",\n    so.Domain(bbox=(-118.6, 33.8, -118, "
      "34.3), grid=(100, 100)),\n    shape_of=\"trips\",\n    points=[\"o_lat,o_lng\", \"d_lat,d_lng\"],\n    "
      "unit=\"user\",\n    max_trips_per_user=4,\n    epsilon=0.5,\n    append=True,\n    to=\"/desk/a.odr\",\n    "
      "description={\"title\": \"Bikes \\\"2019\\\"\"})");
  EXPECT_NE(shown_script("rehearse", kFields).command_line.find("--dry-run"), std::string::npos);
  EXPECT_EQ(shown_script("anything", kFields).command_line, "");
  EXPECT_EQ(shown_script("export", {{"release", "a.odr"}, {"as", "omx"}, {"output", "b.omx"}}).command_line,
            "stopover export a.odr \\\n  --as omx \\\n  -o b.omx");
}

}  // namespace
}  // namespace stopover
