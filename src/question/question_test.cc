#include "question/question_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "geo/geojson.h"
#include "geo/json.h"
#include "question/region_json.h"
#include "question/region_kind.h"
#include "question/region_text.h"
#include "release/sample_release.h"

namespace stopover {
namespace {

QueryEngine city() { return *QueryEngine::make(sample::city()); }

Json ask(const QueryEngine& engine, const std::string& question, const QueryEngine* other = nullptr) {
  return parse_json(answer_question(engine, question, other));
}

double estimate(const QueryEngine& engine, const std::string& where) {
  const Json reply = ask(engine, R"({"where": )" + where + "}");
  EXPECT_TRUE(reply.contains("estimate")) << reply.dump();
  return reply.value("estimate", -1.0);
}

void expect_error(const QueryEngine& engine, const std::string& question, int code, const std::string& says) {
  const Json reply = ask(engine, question);
  ASSERT_TRUE(reply.contains("error")) << question << " " << reply.dump();
  EXPECT_EQ(reply["error"]["code"], code) << question;
  EXPECT_NE(text_of(&reply["error"]["message"]).find(says), std::string::npos) << question << "\n"
                                                                               << text_of(&reply["error"]["message"]);
}

std::string square(double w, double s, double e, double n) {
  const auto p = [](double x, double y) { return "[" + std::to_string(x) + "," + std::to_string(y) + "]"; };
  return R"({"type": "Polygon", "coordinates": [[)" + p(w, s) + "," + p(e, s) + "," + p(e, n) + "," + p(w, n) + "," +
         p(w, s) + "]]}";
}

std::string feature(const std::string& name, const std::string& geometry) {
  return R"({"type": "Feature", "properties": {"name": ")" + name + R"("}, "geometry": )" + geometry + "}";
}

// Four quarters of the box.
std::string quarters() {
  return R"({"type": "FeatureCollection", "features": [)" + feature("SW", square(-122.52, 37.70, -122.44, 37.76)) +
         "," + feature("SE", square(-122.44, 37.70, -122.36, 37.76)) + "," +
         feature("NW", square(-122.52, 37.76, -122.44, 37.82)) + "," +
         feature("NE", square(-122.44, 37.76, -122.36, 37.82)) + "]}";
}

TEST(QuestionTest, ACountHasItsMembersInOrder) {
  const QueryEngine engine = city();
  const Json reply = ask(engine, "{}");
  std::vector<std::string> keys;
  for (const auto& [key, value] : reply.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"estimate", "noise_lower", "noise_upper", "level", "partitions_cut",
                                            "aligned", "bounds_lower", "bounds_upper", "lower", "upper", "calibrated",
                                            "believed", "claimed", "projected", "unprojected", "notes"}));
  EXPECT_TRUE(reply["aligned"].get<bool>());
  EXPECT_EQ(reply["notes"].size(), 0u);
}

// Three stations; counts from i to j are 10 i + j.
TEST(QuestionTest, AStationIsInAnAreaOrNot) {
  const QueryEngine engine = *QueryEngine::make(sample::stations());
  EXPECT_NEAR(estimate(engine, R"({"from": {"zone": "3"}})"), 63, 1e-6);
  EXPECT_NEAR(estimate(engine, R"({"from": {"zone": "west"}})"), 63, 1e-6);
  EXPECT_NEAR(estimate(engine, R"({"from": {"zone": "east"}})"), 36, 1e-6);
  EXPECT_NEAR(estimate(engine, R"({"from": {"circle": [52.5, 13.6, 2]}})"), 33, 1e-6);
  EXPECT_NEAR(estimate(engine, R"({"from": {"bbox": [13, 52, 14, 53]}})"), 99, 1e-6);
  EXPECT_NEAR(estimate(engine, R"({"from": {"polygon": )" + square(13.45, 52.4, 13.7, 52.6) + R"(}, "to": "zone:3"})"),
              2 + 12, 1e-6);
  const Json nowhere = ask(engine, R"({"where": {"from": {"circle": [0, 0, 1]}}})");
  EXPECT_EQ(nowhere["estimate"], 0);
  EXPECT_NE(nowhere["notes"][0].get<std::string>().find("has no zone in it"), std::string::npos);
  expect_error(engine, R"({"where": {"from": {"zone": "eest"}}})", 2, "is not one of the release's");
  const Json matrix = ask(engine, R"({"ask": "matrix", "from": "from", "to": "to"})");
  EXPECT_NE(matrix.dump().find("\"\xe6\x9d\xb1 1\""), std::string::npos) << matrix.dump();
}

// A square zone of 40 trips and one of 60 beside it; an area over the half of the first takes 20.
TEST(QuestionTest, AnAreaTakesSharesOfZonesThatItCuts) {
  const auto zone = [](const char* id, double west) {
    const Ring ring = {{west, 0}, {west + 1, 0}, {west + 1, 1}, {west, 1}, {west, 0}};
    return ZoneRecord{id, {west + 0.5, 0.5}, {{ring}}, {}};
  };
  const Result<ZoneSet> zones = ZoneSet::make({zone("a", 0), zone("b", 1)}, {}, ZoneForm::polygons);
  Release release = sample::over(
      *Domain::make({Axis::of_labels("at", AxisKind::zone, zones->ids())}, {}, std::make_shared<const ZoneSet>(*zones)),
      1'000'000'000);
  Table table = sample::table("joint", {0}, release.epsilon);
  table.append(sample::box({{0, 1}}), -1, 40, release.epsilon, 0);
  table.append(sample::box({{1, 2}}), -1, 60, release.epsilon, 0);
  release.tables.push_back(std::move(table));
  sample::settle(release);
  const QueryEngine engine = *QueryEngine::make(release);
  const Json half = ask(engine, R"({"where": {"at": {"bbox": [0, 0, 0.5, 1]}}})");
  EXPECT_NEAR(half["estimate"].get<double>(), 20, 1e-6);
  EXPECT_NE(half["notes"][0].get<std::string>().find("cuts 1 of the 1 zones"), std::string::npos);
  EXPECT_NEAR(estimate(engine, R"({"at": {"bbox": [0.5, -1, 5, 2]}})"), 80, 1e-6);
  EXPECT_NEAR(estimate(engine, R"({"at": {"bbox": [-1, -1, 5, 2]}})"), 100, 1e-6);
}

TEST(QuestionTest, APolygonOfABoxIsTheBox) {
  const QueryEngine engine = city();
  const Json a = ask(engine, R"({"where": {"origin": {"bbox": [-122.495, 37.71, -122.405, 37.775]}}})");
  const Json b =
      ask(engine, R"({"where": {"origin": {"polygon": )" + square(-122.495, 37.71, -122.405, 37.775) + "}}}");
  for (const char* key : {"estimate", "unprojected", "bounds_lower", "bounds_upper"}) {
    EXPECT_NEAR(a[key].get<double>(), b[key].get<double>(), 1e-8 * (1 + std::fabs(a[key].get<double>()))) << key;
  }
  EXPECT_EQ(a["partitions_cut"], b["partitions_cut"]);
}

TEST(QuestionTest, RegionsMayBeTypedListedAndCombined) {
  const QueryEngine engine = city();
  const double typed = estimate(engine, R"({"origin": "circle:37.75,-122.45,2"})");
  EXPECT_GT(typed, 0);
  EXPECT_EQ(estimate(engine, R"({"origin": {"circle": [37.75, -122.45, 2]}})"), typed);
  EXPECT_EQ(estimate(engine, R"({"origin": "circle:lat=37.75,lon=-122.45,km=2"})"), typed);
  const double both =
      estimate(engine, R"({"origin": ["circle:37.75,-122.45,2", {"bbox": [-122.52, 37.7, -122.45, 37.82]}]})");
  const double other =
      estimate(engine, R"({"origin": ["circle:37.75,-122.45,2", {"bbox": [-122.45, 37.7, -122.36, 37.82]}]})");
  EXPECT_NEAR(both + other, typed, 1e-8 * typed);
  const double in_polygon = estimate(engine, R"({"origin": {"circle": [37.75, -122.45, 2], "polygon": )" +
                                                 square(-122.52, 37.7, -122.45, 37.82) + "}}");
  EXPECT_NEAR(in_polygon, both, 1e-8 * typed);
  EXPECT_EQ(estimate(engine, R"({"origin": "anywhere", "destination": {}})"), estimate(engine, "{}"));
}

TEST(QuestionTest, CellsBoxesAndLabels) {
  const QueryEngine engine = city();
  const double box = estimate(engine, R"({"origin": "box:3:5,2:3"})");
  EXPECT_NEAR(estimate(engine, R"({"origin": "cells:3/2,4/2"})"), box, 1e-9 * (1 + box));
  EXPECT_NEAR(estimate(engine, R"({"origin": {"cells": [[3, 2], [4, 2], [4, 2]]}})"), box, 1e-9 * (1 + box));
  const double work = estimate(engine, R"({"why": "category:work"})"),
               school = estimate(engine, R"({"why": "category:school"})");
  EXPECT_NEAR(estimate(engine, R"({"why": {"category": ["work", "school"]}})"), work + school, 1e-9 * (work + school));
  EXPECT_EQ(estimate(engine, R"({"why": "zone:work"})"), work);
}

TEST(QuestionTest, TimesGoOverMidnight) {
  const Axis hour{"hour", 24, AxisKind::time, 0, 24, {}};
  Release release = sample::over(*Domain::make({hour}, {{"when", {0}}}), 1'000'000'000);
  Table t = sample::table("joint", {0}, release.epsilon);
  for (std::uint32_t i = 0; i < 24; ++i) t.append(sample::box({{i, i + 1}}), -1, 10 + i, release.epsilon, 0);
  release.tables.push_back(std::move(t));
  sample::settle(release);
  const QueryEngine engine = *QueryEngine::make(release);
  EXPECT_NEAR(estimate(engine, R"({"when": "time:07:00-09:00"})"), 17 + 18, 1e-9);
  EXPECT_NEAR(estimate(engine, R"({"when": "time:07:30-08:00"})"), 17.0 / 2, 1e-9);
  EXPECT_NEAR(estimate(engine, R"({"when": "time:22:00-02:00"})"), 32 + 33 + 10 + 11, 1e-9);
  EXPECT_NEAR(estimate(engine, R"({"when": "time:22:00-26:00"})"), 32 + 33 + 10 + 11, 1e-9);
  EXPECT_NEAR(estimate(engine, R"({"when": ["time:07:00-08:00,08:00-09:30", "time:08:00-12:00"]})"), 18 + 19.0 / 2,
              1e-9);
  EXPECT_NEAR(estimate(engine, R"({"when": "range:7:9"})"), 17 + 18, 1e-9);
  expect_error(engine, R"({"where": {"when": "time:7-9"}})", 2, "07:00-09:30");
  expect_error(engine, R"({"where": {"when": "circle:1,2,3"}})", 2, "no longitude and latitude");
}

TEST(QuestionTest, ZonesByNameAddUpToTheWhole) {
  const QueryEngine engine = city();
  double sum = 0;
  for (const char* name : {"SW", "SE", "NW", "NE"}) {
    const Json reply = ask(
        engine, R"({"where": {"destination": {"zone": ")" + std::string(name) + R"("}}, "zones": )" + quarters() + "}");
    sum += reply["estimate"].get<double>();
  }
  EXPECT_NEAR(sum, estimate(engine, "{}"), 1e-6);
}

TEST(QuestionTest, AMatrixAddsUpAndItsRowsAreChances) {
  const QueryEngine engine = city();
  const Json m =
      ask(engine, R"({"ask": "matrix", "from": "origin", "to": "destination", "zones": )" + quarters() + "}");
  ASSERT_TRUE(m.contains("estimate")) << m.dump();
  double total = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    double chance = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      total += m["estimate"][i][j].get<double>();
      chance +=
          m["transition"][i][j].is_null() ? 0.25 : m["transition"][i][j].get<double>();  // null: nobody starts there
      const Json one = ask(engine, R"({"where": {"origin": )" + m["row_regions"][i].dump() + R"(, "destination": )" +
                                       m["column_regions"][j].dump() + R"(}, "zones": )" + quarters() + "}");
      for (const char* key :
           {"estimate", "noise_lower", "noise_upper", "bounds_lower", "bounds_upper", "lower", "upper"}) {
        EXPECT_EQ(m[key][i][j], one[key]) << key;
      }
    }
    EXPECT_NEAR(chance, 1, 1e-9);
  }
  EXPECT_NEAR(total, m["total"]["estimate"].get<double>(), 1e-6);
}

// Every row of a table can be asked again and gives the same numbers.
void expect_rows_can_be_asked(const QueryEngine& engine, const Json& reply, Json question) {
  ASSERT_TRUE(reply.contains("tables")) << reply.dump();
  std::size_t rows = 0;
  for (const Json& table : reply["tables"]) {
    for (const Json& row : table["rows"]) {
      ++rows;
      Json again = question;
      again["ask"] = "count";
      for (const auto& [stop, region] : row["where"].items()) again["where"][stop] = region;
      const Json one = ask(engine, again.dump());
      for (const char* key : {"estimate", "noise_lower", "noise_upper", "bounds_upper", "partitions_cut"}) {
        EXPECT_EQ(row[key], one[key]) << key << " " << row.dump();
      }
    }
  }
  EXPECT_GT(rows, 0u);
}

TEST(QuestionTest, TablesOverTilesAndZones) {
  const QueryEngine engine = city();
  for (const std::string& zones : {std::string(), R"("zones": )" + quarters() + ","}) {
    const std::vector<std::string> questions = {
        R"("ask": "top", "top": 7, "tiles": 4, "stops": ["origin", "destination"])",
        R"("ask": "top", "top": 3, "stops": ["origin"], "where": {"destination": "bbox:-122.5,37.72,-122.4,37.8"})",
        R"("ask": "given", "given": "origin", "where": {"destination": "circle:37.75,-122.45,3"})",
        R"("ask": "given", "given": "origin", "stops": ["destination"], "where": {"origin": "circle:37.75,-122.45,3"})",
        R"("ask": "totals", "stops": ["origin", "why"])"};
    for (const std::string& asked : questions) {
      const std::string question = "{" + zones + asked + "}";
      SCOPED_TRACE(asked);
      expect_rows_can_be_asked(engine, ask(engine, question), parse_json(question));
    }
  }
}

TEST(QuestionTest, TopIsSortedAndComplete) {
  const QueryEngine engine = city();
  const Json reply =
      ask(engine, R"({"ask": "top", "top": 16, "stops": ["origin", "destination"], "zones": )" + quarters() + "}");
  const Json& rows = reply["tables"][0]["rows"];
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sum += rows[i]["share"].get<double>();
    EXPECT_TRUE(i == 0 || rows[i]["estimate"].get<double>() <= rows[i - 1]["estimate"].get<double>() + 1e-9);
  }
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(QuestionTest, IntervalsOfATableHoldTogetherIfAsked) {
  const QueryEngine engine = city();
  const std::string asked = R"({"ask": "top", "top": 16, "stops": ["origin", "destination"], "zones": )" + quarters();
  const Json one = ask(engine, asked + "}"), all = ask(engine, asked + R"(, "together": true})");
  for (std::size_t i = 0; i < one["tables"][0]["rows"].size(); ++i) {
    const Json &a = one["tables"][0]["rows"][i], &b = all["tables"][0]["rows"][i];
    EXPECT_EQ(a["estimate"], b["estimate"]);
    EXPECT_GT(b["noise_upper"].get<double>() - b["noise_lower"].get<double>(),
              a["noise_upper"].get<double>() - a["noise_lower"].get<double>());
    EXPECT_GE(b["bounds_upper"].get<double>(), a["bounds_upper"].get<double>());
  }
  expect_error(engine, R"({"together": 1})", 2, "together");
}

TEST(QuestionTest, GivenSaysBothConditionals) {
  const QueryEngine engine = city();
  const Json reply =
      ask(engine, R"({"ask": "given", "given": "origin", "where": {"destination": {"zone": "SW"}}, "zones": )" +
                      quarters() + "}");
  double shares = 0;
  for (const Json& row : reply["tables"][0]["rows"]) {
    shares += row["share"].get<double>();
    const double alone = ask(engine, R"({"where": {"origin": )" + row["where"]["origin"].dump() + R"(}, "zones": )" +
                                         quarters() + "}")["estimate"];
    EXPECT_NEAR(row["rate"].get<double>(), row["estimate"].get<double>() / alone, 1e-9);
  }
  EXPECT_NEAR(shares, 1, 1e-9);
}

TEST(QuestionTest, SharesLieInTheirIntervals) {
  const QueryEngine engine = city();
  const Json reply =
      ask(engine, R"({"ask": "share", "where": {"origin": "bbox:-122.52,37.7,-122.44,37.82", "why": "category:work"},
                                     "of": {"why": "category:work"}})");
  const double share = reply["share"];
  EXPECT_NEAR(share, reply["part"]["estimate"].get<double>() / reply["whole"]["estimate"].get<double>(), 1e-9);
  EXPECT_LE(reply["share_lower"].get<double>(), share);
  EXPECT_GE(reply["share_upper"].get<double>(), share);
}

TEST(QuestionTest, ThePartOfAShareLiesInItsWhole) {
  const QueryEngine engine = city();
  // Asked for the destination alone, of those who start in a box: the part is cut with the whole by the engine.
  const std::string origin = R"({"bbox": [-122.5, 37.72, -122.45, 37.76]})",
                    end = R"({"bbox": [-122.5, 37.7, -122.4, 37.8]})";
  const Json bare =
      ask(engine, R"({"ask": "share", "where": {"destination": )" + end + R"(}, "of": {"origin": )" + origin + "}}");
  const Json both = ask(engine, R"({"ask": "share", "where": {"origin": )" + origin + R"(, "destination": )" + end +
                                    R"(}, "of": {"origin": )" + origin + "}}");
  ASSERT_TRUE(bare.contains("share")) << bare.dump();
  EXPECT_EQ(bare, both);
  EXPECT_GT(bare["share"].get<double>(), 0);
  EXPECT_LT(bare["share"].get<double>(), 1);
  // The same stop twice: the part is where both are.
  const Json inside = ask(
      engine, R"({"ask": "share", "where": {"origin": {"bbox": [-122.48, 37.7, -122.4, 37.8]}}, "of": {"origin": )" +
                  origin + "}}");
  ASSERT_TRUE(inside.contains("share")) << inside.dump();
  EXPECT_NEAR(inside["part"]["estimate"].get<double>(),
              estimate(engine, R"({"origin": {"bbox": [-122.48, 37.72, -122.45, 37.76]}})"), 1e-9);
  // Plain counts may be negative; a share is none the less one.
  for (const char* west : {"-122.52", "-122.5", "-122.48", "-122.46", "-122.44", "-122.42", "-122.4"}) {
    const std::string box = R"({"bbox": [)" + std::string(west) + R"(, 37.7, -122.36, 37.82]})";
    for (const char* estimates : {"plain", "consistent"}) {
      const Json plain =
          ask(engine, R"({"ask": "share", "estimates": ")" + std::string(estimates) + R"(", "where": {"origin": )" +
                          box + R"(}, "of": {"destination": )" + box + "}}");
      if (plain["share"].is_null()) continue;
      EXPECT_GE(plain["share"].get<double>(), 0) << west;
      EXPECT_LE(plain["share"].get<double>(), 1) << west;
    }
  }
}

// Where both numbers could be a latitude, a swapped place is on the globe, but far from the release.
TEST(QuestionTest, SwappedCoordinatesAreRefused) {
  Release milan = sample::city();
  std::vector<Axis> axes = milan.domain.axes();
  for (Axis& axis : axes) {
    if (axis.kind == AxisKind::longitude) axis.lower = 9, axis.upper = 9.3;
    if (axis.kind == AxisKind::latitude) axis.lower = 45.3, axis.upper = 45.6;
  }
  milan.domain = *Domain::make(axes, milan.domain.stops());
  const QueryEngine engine = *QueryEngine::make(milan);
  EXPECT_GE(estimate(engine, R"({"origin": "circle:45.46,9.19,5"})"), 0);
  for (const char* region : {"circle:9.19,45.46,5", "bbox:45.4,9.1,45.5,9.2", "polygon:45.4 9.1,45.5 9.1,45.5 9.2"}) {
    expect_error(engine, R"({"where": {"origin": ")" + std::string(region) + R"("}})", 2, "swapped");
  }
}

TEST(QuestionTest, ZonesOfAListAreAlternatives) {
  const QueryEngine engine = city();
  const auto asked = [&](const std::string& origin) {
    return ask(engine, R"({"zones": )" + quarters() + R"(, "where": {"origin": )" + origin + "}}");
  };
  const double sum = asked(R"("zone:SW")")["estimate"].get<double>() + asked(R"("zone:NE")")["estimate"].get<double>();
  for (const char* both : {R"(["zone:SW", "zone:NE"])", R"({"zone": ["SW", "NE"]})", R"("zone:SW|zone:NE")",
                           R"({"any_of": ["zone:SW", "zone:NE"]})", R"(["zone:SW", {"zone": "NE"}, "zone:SW"])"}) {
    const Json reply = asked(both);
    ASSERT_TRUE(reply.contains("estimate")) << both << reply.dump();
    EXPECT_NEAR(reply["estimate"].get<double>(), sum, 1e-9) << both;
    EXPECT_TRUE(reply["notes"].empty() || text_of(&reply["notes"][0]).find("outside") == std::string::npos);
  }
  // Neighbours share an edge.
  EXPECT_NEAR(asked(R"(["zone:SW", "zone:SE", "zone:NW", "zone:NE"])")["estimate"].get<double>(),
              ask(engine, "{}")["estimate"].get<double>(), 1e-6);
  // Whoever means both gets nothing, and the true reason.
  const Json none = asked(R"({"all_of": ["zone:SW", "zone:NE"]})");
  EXPECT_EQ(none["estimate"], 0);
  EXPECT_NE(none["notes"].dump().find("no place in common"), std::string::npos) << none.dump();
  EXPECT_EQ(none["notes"].dump().find("outside"), std::string::npos) << none.dump();
}

TEST(QuestionTest, RegionsAreJoinedAsTheyAreTyped) {
  const auto json = [](const std::string& text) {
    const Result<RegionTree> region = region_of_text(text);
    return region ? json_of(*region).dump() : region.error().message;
  };
  EXPECT_EQ(json("zone:A|zone:B"), R"({"zone":["A","B"]})");
  EXPECT_EQ(json("zone:A | circle:1,2,3"), R"({"any_of":[{"zone":"A"},{"circle":[1.0,2.0,3.0]}]})");
  EXPECT_EQ(json("zone:A & time:07:00-09:30"), R"({"all_of":[{"zone":"A"},{"time":"07:00-09:30"}]})");
  EXPECT_EQ(json("zone:A - zone:B - zone:C"), R"({"but_not":[{"but_not":[{"zone":"A"},{"zone":"B"}]},{"zone":"C"}]})");
  EXPECT_EQ(json("zone:A|zone:B - zone:C"), R"({"any_of":[{"zone":"A"},{"but_not":[{"zone":"B"},{"zone":"C"}]}]})");
  EXPECT_EQ(json("(zone:A|zone:B)-zone:C"), R"({"but_not":[{"zone":["A","B"]},{"zone":"C"}]})");
  // Letters of names.
  EXPECT_EQ(json("zone:Bay - North & South | Co. (West)"), R"x({"zone":"Bay - North & South | Co. (West)"})x");
  EXPECT_EQ(json("(zone:Co. (West) | zone:B)"), R"x({"zone":["Co. (West)","B"]})x");
  EXPECT_EQ(json("circle:-1,-2,3"), R"({"circle":[-1.0,-2.0,3.0]})");
  for (const char* text :
       {"zone:A|zone:B", "zone:A | circle:1,2,3", "(zone:A|zone:B) - zone:C", "zone:A - (zone:B & zone:C)",
        "zone:A & (circle:1,2,3 | box:0:4)", "circle:1,2,3 - anywhere"}) {
    EXPECT_EQ(text_of(*region_of_text(text)), text);
  }
  for (const char* bad : {"(zone:A", "(zone:A))", "zone:A|", "()", "(zone:A|zone:B) - "}) {
    const Result<RegionTree> region = region_of_text(bad);
    if (std::string(bad) == "zone:A|") {
      EXPECT_EQ(json(bad), R"({"zone":"A|"})");
    } else {
      EXPECT_FALSE(region) << bad;
    }
  }
}

TEST(QuestionTest, TotalsMayHaveTheLargestRowsAlone) {
  const QueryEngine engine = city();
  const Json all = ask(engine, R"({"ask": "totals", "stops": ["origin"], "tiles": 5})")["tables"][0]["rows"];
  const Json few = ask(engine, R"({"ask": "totals", "stops": ["origin"], "tiles": 5, "top": 3})")["tables"][0]["rows"];
  EXPECT_EQ(all.size(), 25u);
  ASSERT_EQ(few.size(), 3u);
  std::vector<double> sorted;
  for (const Json& row : all) sorted.push_back(row["estimate"].get<double>());
  std::sort(sorted.rbegin(), sorted.rend());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(few[i]["estimate"].get<double>(), sorted[i], 1e-9);
}

TEST(QuestionTest, TwoReleasesAreCompared) {
  const QueryEngine first = city();
  Release later = sample::city();
  later.tables[0].count[3] += 100;
  sample::settle(later);
  const QueryEngine second = *QueryEngine::make(later);
  const std::string where = R"({"where": {"origin": "bbox:-122.52,37.7,-122.46,37.8"}})";
  const Json reply = ask(first, where, &second);
  const Json a = ask(first, where), b = ask(second, where);
  EXPECT_EQ(reply["first"]["estimate"], a["estimate"]);
  EXPECT_EQ(reply["second"]["estimate"], b["estimate"]);
  EXPECT_NEAR(reply["difference"]["estimate"].get<double>(), b["estimate"].get<double>() - a["estimate"].get<double>(),
              1e-8);
  const auto width = [](const Json& x) { return x["noise_upper"].get<double>() - x["noise_lower"].get<double>(); };
  EXPECT_GT(width(reply["difference"]), width(a));
  EXPECT_LT(width(reply["difference"]), width(a) + width(b));
  EXPECT_LE(reply["difference"]["bounds_lower"].get<double>(),
            b["bounds_lower"].get<double>() - a["bounds_upper"].get<double>());
  EXPECT_EQ(ask(first, R"({"ask": "share"})", &second)["error"]["code"], 2);
  EXPECT_NEAR(reply["ratio"]["value"].get<double>(), b["estimate"].get<double>() / a["estimate"].get<double>(), 1e-9);
  // What is compared with itself differs by nothing, and nothing is open about it.
  const Json same = ask(first, where, &first)["difference"];
  for (const char* number :
       {"estimate", "noise_lower", "noise_upper", "bounds_lower", "bounds_upper", "lower", "upper"})
    EXPECT_EQ(same[number], 0) << number;
}

TEST(QuestionTest, TablesOfTwoReleasesAreCompared) {
  const QueryEngine first = city();
  Release later = sample::city();
  later.tables[0].count[3] += 100;
  sample::settle(later);
  const QueryEngine second = *QueryEngine::make(later);
  const auto number = [](const Json& a, const char* name) { return a[name].get<double>(); };
  const auto expect_row = [&](const Json& row) {
    Json q = {{"where", row["where"]}};
    const Json both = ask(first, q.dump(), &second);
    EXPECT_EQ(row["estimate"], both["first"]["estimate"]) << row["names"];
    EXPECT_EQ(row["second"]["estimate"], both["second"]["estimate"]);
    // As counts are compared, but for the noise interval, which is a little longer.
    for (const char* name : {"estimate", "lower", "upper"})
      EXPECT_NEAR(number(row["difference"], name), number(both["difference"], name), 1) << name;
    EXPECT_LE(number(row["difference"], "noise_lower"), number(both["difference"], "noise_lower") + 1e-9);
  };
  const Json top = ask(first, R"({"ask": "top", "stops": ["origin"], "tiles": 4, "top": 3})", &second);
  const Json& rows = top["tables"][0]["rows"];
  ASSERT_EQ(rows.size(), 3u);
  for (const Json& row : rows) expect_row(row);
  // Those that differ most come first, and it is said that they were picked.
  EXPECT_GE(std::abs(number(rows[0]["difference"], "estimate")), std::abs(number(rows[2]["difference"], "estimate")));
  EXPECT_NE(top["notes"].dump().find("differ most of 16"), std::string::npos);
  const Json totals = ask(first, R"({"ask": "totals", "stops": ["origin"], "tiles": 3})", &second);
  ASSERT_EQ(totals["tables"][0]["rows"].size(), 9u);
  for (const Json& row : totals["tables"][0]["rows"]) expect_row(row);
  EXPECT_EQ(totals["tables"][0]["rows"][0]["names"]["origin"], "A1");
  const Json matrix = ask(first, R"({"ask": "matrix", "tiles": 2})", &second);
  const Json alone = ask(second, R"({"ask": "matrix", "tiles": 2})");
  EXPECT_EQ(matrix["second"]["estimate"], alone["estimate"]);
  EXPECT_NEAR(matrix["difference"]["estimate"][0][0].get<double>(),
              alone["estimate"][0][0].get<double>() - matrix["estimate"][0][0].get<double>(), 1e-8);
  // A release and itself: nothing, in every row.
  const Json same = ask(first, R"({"ask": "totals", "stops": ["origin"], "tiles": 3})", &first);
  for (const Json& row : same["tables"][0]["rows"]) EXPECT_EQ(row["difference"]["upper"], 0);
  // Releases that are divided otherwise have no rows in common.
  const QueryEngine stations = *QueryEngine::make(sample::stations());
  EXPECT_EQ(ask(first, R"({"ask": "totals"})", &stations)["error"]["code"], 2);
}

TEST(QuestionTest, OneSideOfAnAnswer) {
  const QueryEngine engine = city();
  const std::string where = R"("where": {"origin": "bbox:-122.52,37.7,-122.46,37.8"})";
  const Json plain = ask(engine, "{" + where + "}");
  const auto above = [&](double n) {
    const Json reply = ask(engine, "{" + where + ", \"above\": " + std::to_string(n) + "}");
    const Json& sure = reply["above"]["probability"];
    return sure.is_null() ? 0.5 : sure.get<double>();  // the bounds cannot tell
  };
  // Surely more than far below, surely not more than far above, and less sure the higher.
  EXPECT_GT(above(-1), 0.99);
  EXPECT_LT(above(1e7), 0.01);
  double before = 1;
  for (double n = 0; n < 2 * plain["upper"].get<double>(); n += plain["upper"].get<double>() / 7) {
    const double sure = above(n);
    EXPECT_LE(sure, before + 1e-9) << n;
    before = sure;
  }
  const Json ends = ask(engine, "{" + where + R"(, "at_least": true, "at_most": true, "level": 0.9})");
  EXPECT_EQ(ends["at_least"]["level"], 0.9);
  EXPECT_LE(ends["at_least"]["value"].get<double>(), ends["estimate"].get<double>());
  EXPECT_GE(ends["at_most"]["value"].get<double>(), ends["estimate"].get<double>());
  // Tables have two sides.
  EXPECT_EQ(ask(engine, R"({"ask": "totals", "above": 3})")["error"]["code"], 2);
  EXPECT_EQ(ask(engine, R"({"above": "many"})")["error"]["code"], 2);
}

TEST(QuestionTest, TypedQuestionsGetTheSameReply) {
  const QueryEngine engine = city();
  Question q;
  q.where = {{"origin", RegionTree::all_of({RegionTree::circle({37.75, -122.45, 2}),
                                            RegionTree::bbox(-122.52, 37.7, -122.45, 37.82)})},
             {"why", RegionTree::category({"work", "school"})}};
  q.level = 0.9;
  const std::string where =
      R"("level": 0.9, "where": {"origin": ["circle:37.75,-122.45,2", "bbox:-122.52,37.7,-122.45,37.82"],
                                                       "why": "category:work,school"})";
  const Result<Answer> counted = count(engine, q);
  ASSERT_TRUE(counted);
  const Json reply = ask(engine, "{" + where + "}");
  EXPECT_NEAR(counted->estimate, reply["estimate"].get<double>(), 1e-9 * (1 + counted->estimate));
  EXPECT_EQ(json_of(*ask(engine, q)), answer_question(engine, "{" + where + "}"));
  EXPECT_EQ(json_of(*ask(engine, q, &engine)), answer_question(engine, "{" + where + "}", &engine));
  q.zones = std::make_shared<const Zones>(*Zones::of_geojson(quarters(), "quarters"));
  for (const Ask kind : {Ask::share, Ask::top, Ask::given, Ask::totals}) {
    q.ask = kind;
    q.given = "destination";
    const std::string asked =
        R"("ask": ")" + std::string(to_string(kind)) + R"(", "given": "destination", "zones": )" + quarters();
    EXPECT_EQ(json_of(*ask(engine, q)), answer_question(engine, "{" + asked + ", " + where + "}")) << to_string(kind);
  }
  q.top = 0;
  EXPECT_EQ(ask(engine, q).error().failure, Failure::usage);
}

// What every row of the table promises, for kinds to come as well.
TEST(QuestionTest, EveryKindOfRegionIsReadAsItIsWritten) {
  for (const RegionKind& kind : region_kinds()) {
    SCOPED_TRACE(kind.name);
    EXPECT_FALSE(kind.help.empty());
    const std::string typed = std::string(kind.name) + ":" + std::string(kind.example);
    const Result<RegionTree> region = region_of_text(typed);
    ASSERT_TRUE(region) << region.error().message;
    EXPECT_EQ(region->kind, &kind);
    EXPECT_TRUE(fits(kind, region->value));
    const Json json = json_of(*region);
    EXPECT_EQ(json.begin().key(), kind.name);
    const Result<RegionTree> from_json = region_of_json(json, "origin");
    ASSERT_TRUE(from_json) << from_json.error().message;
    EXPECT_EQ(json_of(*from_json), json);
    const Result<RegionTree> from_text = region_of_text(text_of(*region));
    ASSERT_TRUE(from_text) << from_text.error().message;
    EXPECT_EQ(json_of(*from_text), json);
    EXPECT_NE(region_forms().find(std::string(kind.name) + ":" + std::string(kind.typed)), std::string::npos);
    // Neither form takes another kind's value, and both say what to write instead.
    const Result<RegionTree> none = region_of_json(Json{{std::string(kind.name), true}}, "origin");
    ASSERT_FALSE(none);
    if (kind.form != RegionForm::shape) {
      EXPECT_NE(none.error().message.find(typed), std::string::npos) << none.error().message;
    }
  }
}

TEST(QuestionTest, APolygonIsTypedAsThePageTypesIt) {
  const QueryEngine engine = city();
  const double drawn = estimate(engine, R"({"origin": {"polygon": {"type": "Polygon", "coordinates":
      [[[-122.5, 37.71], [-122.4, 37.72], [-122.43, 37.8], [-122.5, 37.71]]]}}})");
  EXPECT_GT(drawn, 0);
  for (const char* typed :
       {"polygon:-122.5 37.71,-122.4 37.72,-122.43 37.8", "polygon:-122.5 37.71,-122.4 37.72,-122.43 37.8,-122.5 37.71",
        "polygon:-122.43 37.8, -122.4  37.72,-122.5 37.71"}) {
    EXPECT_EQ(estimate(engine, R"({"origin": ")" + std::string(typed) + R"("})"), drawn) << typed;
  }
  expect_error(engine, R"({"where": {"origin": "polygon:-122.5 37.71,-122.4 37.72"}})", 2, "too few points");
  expect_error(engine, R"({"where": {"origin": "polygon:-122.5 37.71,-122.4,-122.43 37.8"}})", 2,
               "\"-122.4\" for a point");
  expect_error(engine, R"({"where": {"origin": "polygon:37.71 -122.5,37.72 -122.4,37.8 -122.4"}})", 2,
               "longitude and latitude");
  expect_error(engine, R"({"where": {"origin": "polygon:-122.5 37.7,-122.4 37.8,-122.4 37.7,-122.5 37.85"}})", 3,
               "crosses itself");
}

TEST(QuestionTest, AreasAreJoinedAndTakenAway) {
  const QueryEngine engine = city();
  const std::string a = R"("circle:37.75,-122.45,3")", b = R"("bbox:-122.45,37.7,-122.38,37.78")";
  const auto of = [&](const std::string& region) { return estimate(engine, R"({"origin": )" + region + "}"); };
  const double both = of("[" + a + "," + b + "]");
  EXPECT_GT(both, 0);
  EXPECT_NEAR(of(R"({"any_of": [)" + a + "," + b + "]}"), of(a) + of(b) - both, 1e-6);
  EXPECT_NEAR(of(R"({"but_not": [)" + a + "," + b + "]}"), of(a) - both, 1e-6);
  // What Boost gets wrong is refused, never answered.
  const Json nested =
      ask(engine, R"({"where": {"origin": {"but_not": [{"any_of": [)" + a + "," + b + "]}," + a + "]}}}");
  ASSERT_TRUE(nested.contains("estimate")) << nested.dump();
  EXPECT_NEAR(nested["estimate"].get<double>(), of(b) - both, 1e-6);
  EXPECT_EQ(of(R"({"all_of": [)" + a + "," + b + "]}"), both);
  // What has no area is joined by its cells.
  EXPECT_NEAR(of(R"({"any_of": [)" + a + R"(, "box:0:1"]})"),
              of(a) + of(R"("box:0:1")") - of(R"({"all_of": [)" + a + R"(, "box:0:1"]})"), 1e-9);
  expect_error(engine, R"({"where": {"origin": {"any_of": []}}})", 2, "list of regions");
  expect_error(engine, R"({"where": {"why": {"any_of": [)" + a + "," + b + "]}}}", 2, "no longitude");
}

TEST(QuestionTest, OutsideAndClippedAreSaid) {
  const QueryEngine engine = city();
  const auto note = [&](const std::string& region) {
    const Json reply = ask(engine, R"({"where": {"origin": )" + region + "}}");
    std::string all;
    for (const Json& n : reply["notes"]) all += text_of(&n) + "; ";
    return std::pair{reply["estimate"].get<double>(), all};
  };
  const std::vector<std::string> outside = {R"("circle:40,-100,5")", R"("bbox:-100,30,-99,31")",
                                            R"({"polygon": )" + square(10, 40, 11, 41) + "}"};
  for (const std::string& region : outside) {
    const auto [value, text] = note(region);
    EXPECT_EQ(value, 0) << region;
    EXPECT_TRUE(ask(engine, R"({"where": {"origin": )" + region + "}}")["claimed"].get<bool>()) << region;
    EXPECT_NE(text.find("outside the release's box"), std::string::npos) << region;
  }
  EXPECT_NE(note(R"("circle:37.75,-122.52,2")").second.find("cut off"), std::string::npos);
  EXPECT_NE(note(R"("bbox:-122.6,37.7,-122.4,37.8")").second.find("beyond"), std::string::npos);
  EXPECT_EQ(note(R"("circle:37.76,-122.44,1")").second, "");
}

TEST(QuestionTest, BadQuestionsAreRefusedWithTheReason) {
  const QueryEngine engine = city();
  expect_error(engine, "{", 3, "not valid JSON");
  expect_error(engine, "[]", 2, "a list");
  expect_error(engine, R"({"wher": {}})", 2, "Did you mean where");
  expect_error(engine, R"({"ask": "cuont"})", 2, "count");
  expect_error(engine, R"({"level": 1})", 2, "level");
  expect_error(engine, R"({"level": "high"})", 2, "level");
  expect_error(engine, R"({"estimates": "rough"})", 2, "rough");
  expect_error(engine, R"({"top": 0})", 2, "top");
  expect_error(engine, R"({"where": []})", 2, "where");
  expect_error(engine, R"({"where": {"orgin": {}}})", 2, "Did you mean origin");
  expect_error(engine, R"({"where": {"origin": 3}})", 2, "region");
  expect_error(engine, R"({"where": {"origin": {"cirle": [1, 2, 3]}}})", 2, "Did you mean circle");
  expect_error(engine, R"({"where": {"origin": "circl:1,2,3"}})", 2, "Did you mean circle");
  expect_error(engine, R"({"where": {"origin": "circle:37.75,-122.45,0"}})", 2, "above 0");
  expect_error(engine, R"({"where": {"origin": "circle:-122.45,37.75,1"}})", 2, "did you mean 37.75,-122.45,1");
  expect_error(engine, R"({"where": {"origin": "circle:37.75,-122.45"}})", 2, "LAT,LNG,KM");
  expect_error(engine, R"({"where": {"origin": {"circle": ["a", 1, 2]}}})", 2, "LAT, LNG, KM");
  expect_error(engine, R"({"where": {"origin": "bbox:-122.4,37.7,-122.5,37.8"}})", 2, "west");
  expect_error(engine, R"({"where": {"origin": "bbox:37.7,-122.5,37.8,-122.4"}})", 2, "swapped");
  expect_error(engine, R"({"where": {"origin": "box:0:99"}})", 2, "16");
  expect_error(engine, R"({"where": {"origin": "cells:16/0"}})", 2, "numbered from 0");
  expect_error(engine, R"({"where": {"origin": "zone:SW"}})", 2, "\"zones\": \"FILE.geojson\"");
  expect_error(engine, R"({"where": {"origin": "zone:SX"}, "zones": )" + quarters() + "}", 2, "Did you mean");
  expect_error(engine, R"({"where": {"why": "category:wrok"}})", 2, "Did you mean work");
  expect_error(engine, R"({"where": {"origin": "category:work"}})", 2, "no categories");
  expect_error(engine, R"({"where": {"origin": "time:07:00-09:00"}})", 2, "no axis of time");
  expect_error(engine, R"({"where": {"origin": "polygon:area.geojson"}})", 2, "file");
  expect_error(engine, R"({"box": "a9=0:1"})", 2, "a9");
  expect_error(engine, R"({"ask": "matrix", "from": "origin", "to": "origin"})", 2, "itself");
  expect_error(engine, R"({"ask": "given"})", 2, "given");
  expect_error(engine, R"({"any_stop": "zone:A"})", 2, "needs zones");
  expect_error(engine, R"({"any_stop": 7})", 2, "any_stop");
  std::string many = R"("circle:37.75,-122.45,1")";
  for (int i = 0; i < 12; ++i) many += R"(, "box:)" + std::to_string(i) + ":" + std::to_string(i + 2) + R"(")";
  expect_error(engine, R"({"where": {"origin": {"any_of": [)" + many + "]}}}", 2, "too many parts");
}

TEST(QuestionTest, TablesTakeFiltersOfTheirOwnStops) {
  const Axis lon{"lon", 4, AxisKind::longitude, 0, 4, {}}, lat{"lat", 1, AxisKind::latitude, 0, 1, {}};
  const Axis hour{"hour", 2, AxisKind::time, 0, 24, {}}, to{"to", 2, AxisKind::category, 0, 2, {"work", "home"}};
  Release release =
      sample::over(*Domain::make({lon, lat, hour, to}, {{"origin", {0, 1, 2}}, {"destination", {3}}}), 1'000'000'000);
  Table t = sample::table("joint", {0, 1, 2, 3}, release.epsilon);
  for (std::uint32_t x = 0; x < 4; ++x) {
    for (std::uint32_t h = 0; h < 2; ++h) {
      for (std::uint32_t d = 0; d < 2; ++d) {
        t.append(sample::box({{x, x + 1}, {0, 1}, {h, h + 1}, {d, d + 1}}), -1, 100 * x + 10 * h + d, release.epsilon,
                 0);
      }
    }
  }
  release.tables.push_back(std::move(t));
  sample::settle(release);
  const QueryEngine engine = *QueryEngine::make(release);
  const Json matrix = ask(engine, R"({"ask": "matrix", "tiles": 4, "where": {"origin": "time:12:00-24:00"}})");
  ASSERT_TRUE(matrix.contains("estimate")) << matrix.dump();
  for (int x = 0; x < 4; ++x) {
    for (int d = 0; d < 2; ++d) EXPECT_NEAR(matrix["estimate"][x][d].get<double>(), 100 * x + 10 + d, 1e-9);
  }
  // A time says when, not where: the origin is still free.
  const Json top = ask(engine, R"({"ask": "top", "top": 1, "tiles": 4, "where": {"origin": "time:12:00-24:00"}})");
  EXPECT_EQ(top["tables"][0]["stops"].size(), 2u);
  EXPECT_NEAR(top["tables"][0]["rows"][0]["estimate"].get<double>(), 311, 1e-9);
  const Json part =
      ask(engine, R"({"ask": "totals", "tiles": 4, "stops": ["origin"], "where": {"origin": "bbox:0.5,0,2,1"}})");
  const Json& rows = part["tables"][0]["rows"];
  ASSERT_EQ(rows.size(), 4u) << part.dump();
  EXPECT_NEAR(rows[0]["estimate"].get<double>(), 22 / 2.0, 1e-9);
  EXPECT_NEAR(rows[1]["estimate"].get<double>(), 422, 1e-9);
  EXPECT_EQ(rows[2]["estimate"], 0);
}

TEST(QuestionTest, PatienceEndsLongWork) {
  const QueryEngine engine = city();
  const auto with_zones = [](const char* ask) {
    return R"({"ask": ")" + std::string(ask) + R"(", "given": "origin", "zones": )" + quarters() + "}";
  };
  for (const char* kind : {"top", "given", "totals", "matrix"}) {
    int looks = 0;
    ASSERT_TRUE(ask_question(engine, with_zones(kind), nullptr, {.late = [&] { return ++looks, false; }})) << kind;
    EXPECT_GE(looks, 10) << kind;
    // Wherever it ends, it says so.
    for (int most = 0; most < looks; ++most) {
      int seen = 0;
      const Result<std::string> reply =
          ask_question(engine, with_zones(kind), nullptr, {.late = [&] { return ++seen > most; }});
      ASSERT_FALSE(reply) << kind << " " << most;
      EXPECT_EQ(reply.error().failure, Failure::interrupted);
    }
  }
  const Json matrix = ask(engine, with_zones("matrix"));
  const std::size_t answers = matrix["rows"].size() * matrix["columns"].size();
  EXPECT_TRUE(ask_question(engine, with_zones("matrix"), nullptr,
                           {.answers = answers, .zone_cells = 128, .corners = 1000, .late = {}}));
  EXPECT_FALSE(ask_question(engine, with_zones("matrix"), nullptr,
                            {.answers = answers - 1, .zone_cells = 128, .corners = 1000, .late = {}}));
  EXPECT_FALSE(ask_question(engine, with_zones("matrix"), nullptr,
                            {.answers = answers, .zone_cells = 127, .corners = 1000, .late = {}}));
  Patience few;
  few.corners = 5;
  const std::string five = R"({"where": {"origin": {"polygon": )" + square(-122.5, 37.7, -122.4, 37.8) + "}}}";
  EXPECT_TRUE(ask_question(engine, five, nullptr, few));
  EXPECT_TRUE(ask_question(engine, with_zones("matrix"), nullptr, few));
  few.corners = 4;
  EXPECT_FALSE(ask_question(engine, five, nullptr, few));
  EXPECT_FALSE(ask_question(engine, with_zones("matrix"), nullptr, few));
  int looks = 0;
  const Result<std::string> list = ask_question(engine, R"({"where": {"origin": ["anywhere", "anywhere"]}})", nullptr,
                                                {.late = [&] { return ++looks > 1; }});
  EXPECT_FALSE(list);
}

TEST(QuestionTest, OverlappingZonesAreRefusedUnlessMeant) {
  const QueryEngine engine = city();
  const std::string zones = R"({"type": "FeatureCollection", "features": [)" +
                            feature("a", square(-122.52, 37.70, -122.44, 37.76)) + "," +
                            feature("b", square(-122.46, 37.70, -122.36, 37.76)) + "]}";
  expect_error(engine, R"({"ask": "totals", "stops": ["origin"], "zones": )" + zones + "}", 3, "overlap");
  const Json reply = ask(engine, R"({"ask": "totals", "stops": ["origin"], "overlaps": true, "zones": )" + zones + "}");
  EXPECT_NE(reply["notes"].dump().find("counted in both"), std::string::npos);
}

}  // namespace
}  // namespace stopover
