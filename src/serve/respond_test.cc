#include "serve/respond.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "question/question.h"
#include "release/sample_release.h"

namespace stopover {
namespace {

std::shared_ptr<const Shelf> shelf() {
  static const std::shared_ptr<const Shelf> made = *make_shelf({"city.odr", "grid 2.odr"}, {sample::city(), sample::grid(8)});
  return made;
}

HttpReply post(std::string_view target, std::string_view body, std::string_view type = "application/json") {
  return respond(*shelf(), {HttpMethod::post, target, "localhost:8080", type, body}, {});
}

HttpReply get(std::string_view target, std::string_view host = "127.0.0.1:8080") {
  return respond(*shelf(), {HttpMethod::get, target, host, "", ""}, {});
}

TEST(Respond, AnswersAsTheEngineDoes) {
  const std::string question = R"({"where": {"origin": {"bbox": [-122.5, 37.7, -122.4, 37.8]}}})";
  const HttpReply reply = post("/api/query?release=city.odr", question);
  ASSERT_EQ(reply.status, 200) << reply.body;
  const auto json = nlohmann::ordered_json::parse(reply.body);
  EXPECT_EQ(json["answer"], nlohmann::ordered_json::parse(answer_question(shelf()->find("city.odr")->engine, question)));
  EXPECT_EQ(json["release"], "city.odr");
  EXPECT_EQ(post("/api/query", question).body, reply.body);
}

TEST(Respond, PicksReleasesByName) {
  EXPECT_EQ(post("/api/query?release=grid%202.odr", R"({"box": "a0=0:4"})").status, 200);
  EXPECT_EQ(post("/api/query?release=grid+2.odr", R"({"box": "a0=0:4"})").status, 200);
  for (const char* other : {"nobody.odr", "../city.odr", "%2e%2e%2fcity.odr", "city.odr%00", "city.odr/", "%zz", "city.odr&x=1"}) {
    EXPECT_EQ(post(std::string("/api/query?release=") + other, "{}").status, 404) << other;
  }
}

TEST(Respond, KnowsItsPathsOnly) {
  EXPECT_EQ(get("/health").status, 200);
  const auto list = nlohmann::json::parse(get("/api/releases").body);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["stops"][0]["name"], "origin");
  for (const char* path : {"", "/x", "/api", "/api/", "//", "/../etc/passwd", "/%2e%2e/", "/city.odr/release.json", "/health/"}) {
    const HttpReply reply = get(path);
    EXPECT_EQ(reply.status, 404) << path;
    EXPECT_EQ(reply.body, "{\"error\":{\"message\":\"nothing here\"}}\n");
    EXPECT_EQ(reply.route, "other");
  }
  EXPECT_EQ(get("/api/query").status, 405);
  EXPECT_EQ(post("/health", "").status, 405);
}

TEST(Respond, RefusesOtherNamesTypesSizesAndDepths) {
  EXPECT_EQ(get("/health", "evil.example").status, 421);
  EXPECT_EQ(get("/health", "").status, 421);
  EXPECT_EQ(get("/health", "[::1]:8080").status, 200);
  EXPECT_EQ(get("/health", "localhost").status, 200);
  EXPECT_EQ(post("/api/query", "{}", "text/plain").status, 415);
  EXPECT_EQ(post("/api/query", "{}", "").status, 415);
  EXPECT_EQ(post("/api/query", "{}", "application/json; charset=utf-8").status, 200);
  EXPECT_EQ(post("/api/query", std::string((std::size_t{4} << 20) + 1, ' ')).status, 413);
  EXPECT_EQ(post("/api/query", std::string(1000, '[') + std::string(1000, ']')).status, 400);
}

TEST(Respond, SaysWhyAQuestionCannotBeAnswered) {
  const HttpReply reply = post("/api/query", R"({"where": {"orgin": {}}})");
  EXPECT_EQ(reply.status, 400);
  EXPECT_NE(reply.body.find("orgin"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(reply.body)["error"]["code"], 2);
  EXPECT_EQ(post("/api/query", "{").status, 400);
  EXPECT_EQ(post("/api/query", "\xff\xfe").status, 400);
}

TEST(Respond, GivesUpOnWhatTakesTooLong) {
  const HttpRequest matrix{HttpMethod::post, "/api/query", "localhost", "application/json", R"({"ask": "matrix", "tiles": 8})"};
  EXPECT_TRUE(may_take_long(matrix));
  EXPECT_EQ(respond(*shelf(), matrix, {}).status, 200);
  int looks = 0;
  const HttpReply late = respond(*shelf(), matrix, {}, {.late = [&] { return ++looks > 100; }});
  EXPECT_EQ(late.status, 422);
  EXPECT_EQ(looks, 101);
  EXPECT_EQ(nlohmann::json::parse(late.body)["error"]["code"], 130);
  const auto answer = nlohmann::json::parse(respond(*shelf(), matrix, {}).body)["answer"];
  Patience few;
  few.answers = answer["rows"].size() * answer["columns"].size();
  EXPECT_EQ(respond(*shelf(), matrix, {}, few).status, 200);
  --few.answers;
  EXPECT_EQ(respond(*shelf(), matrix, {}, few).status, 400);

  const std::string zones(40'000, ' ');
  EXPECT_TRUE(may_take_long({HttpMethod::post, "/api/query?release=x", "", "", zones}));
  EXPECT_FALSE(may_take_long({HttpMethod::post, "/api/query", "", "", R"({"where": {"origin": {"circle": [1, 2, 3]}}})"}));
  EXPECT_FALSE(may_take_long({HttpMethod::get, "/", "", "", R"("ask")"}));
}

TEST(Respond, CountsBracketsOutsideOfStrings) {
  EXPECT_EQ(json_depth("{\"a\":[1,[2]]}", 32), 3u);
  EXPECT_EQ(json_depth("\"[[[[\\\"[[\"", 32), 0u);
  EXPECT_EQ(json_depth("]]]][", 32), 1u);
  EXPECT_EQ(json_depth(std::string(100000, '['), 32), 33u);
}

}  // namespace
}  // namespace stopover
