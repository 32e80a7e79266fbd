#include "serve/respond.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "question/question_json.h"
#include "release/sample_release.h"
#include "serve/sample_archive.h"

namespace stopover {
namespace {

std::shared_ptr<const Shelf> shelf() {
  static const std::shared_ptr<const Shelf> made =
      *make_shelf({"city.odr", "grid 2.odr"}, {sample::city(), sample::grid(8)});
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
  EXPECT_EQ(json["answer"],
            nlohmann::ordered_json::parse(answer_question(**shelf()->find("city.odr")->engine(), question)));
  EXPECT_EQ(json["release"], "city.odr");
  EXPECT_EQ(post("/api/query", question).body, reply.body);
}

TEST(Respond, PicksReleasesByName) {
  EXPECT_EQ(post("/api/query?release=grid%202.odr", R"({"box": "a0=0:4"})").status, 200);
  EXPECT_EQ(post("/api/query?release=grid+2.odr", R"({"box": "a0=0:4"})").status, 200);
  for (const char* other :
       {"nobody.odr", "../city.odr", "%2e%2e%2fcity.odr", "city.odr%00", "city.odr/", "%zz", "city.odr&x=1"}) {
    EXPECT_EQ(post(std::string("/api/query?release=") + other, "{}").status, 404) << other;
  }
}

TEST(Respond, AsksASeries) {
  EXPECT_EQ(post("/api/series", "{}").status, 404) << "of no period";
  std::vector<Release> months = {sample::city(), sample::city(), sample::city()};
  const auto in_month = [](Release& release, const std::string& month) {
    release.params.emplace_back("period", month);
    std::sort(release.params.begin(), release.params.end());
  };
  in_month(months[0], "2019-02");
  in_month(months[1], "2019-01");
  const std::shared_ptr<const Shelf> held = *make_shelf({"b.odr", "a.odr", "other.odr"}, months);
  const auto ask = [&](std::string_view body, HttpMethod method = HttpMethod::post) {
    return respond(*held, {method, "/api/series", "localhost", "application/json", body}, {});
  };
  const auto told = nlohmann::json::parse(ask("{}").body);
  EXPECT_EQ(told["releases"][0]["release"], "a.odr");
  EXPECT_EQ(told["answer"]["periods"][1]["period"], "2019-02");
  const auto alone = nlohmann::json::parse(answer_question(**held->find("b.odr")->engine(), "{}"));
  EXPECT_EQ(told["answer"]["periods"][1]["estimate"], alone["estimate"]);
  EXPECT_EQ(nlohmann::json::parse(ask(R"({"series": "sum"})").body)["answer"]["series"], "sum");
  EXPECT_EQ(ask(R"({"series": "sums"})").status, 400);
  EXPECT_EQ(ask("{}", HttpMethod::get).status, 405);
  EXPECT_TRUE(may_take_long({HttpMethod::post, "/api/series", "", "", "{}"}));
  in_month(months[2], "2019-02");
  const std::shared_ptr<const Shelf> twice = *make_shelf({"b.odr", "a.odr", "other.odr"}, months);
  EXPECT_TRUE(twice->members().empty());
}

TEST(Respond, NamesItsReleasesAndPaths) {
  const auto none = nlohmann::json::parse(post("/api/query?release=nobody.odr", "{}").body);
  EXPECT_EQ(none["error"]["message"], "no such release; there are city.odr, grid 2.odr");
  const auto index = nlohmann::json::parse(get("/api").body);
  EXPECT_EQ(index["releases"], nlohmann::json({"city.odr", "grid 2.odr"}));
  for (const auto& route : index["routes"]) {
    const std::string path = route["path"].get<std::string>();
    const std::string bare = path.substr(0, path.find('?'));
    EXPECT_EQ((route["method"] == "GET" ? get(bare) : post(bare, "{}")).status, 200) << path;
  }
}

TEST(Respond, ComparesTwoReleases) {
  const auto same = nlohmann::json::parse(post("/api/query?release=city.odr&compare=city.odr", "{}").body);
  EXPECT_EQ(same["compare"]["release"], "city.odr");
  EXPECT_EQ(same["answer"]["difference"]["estimate"], 0);
  EXPECT_EQ(post("/api/query?compare=nobody.odr", "{}").status, 404);
}

TEST(Respond, PagesOfOtherOriginsReadTheApiWhereTheyAreNamed) {
  const auto header = [](const HttpReply& reply, std::string_view name) {
    for (const auto& [key, value] : reply.headers) {
      if (name == key) return value;
    }
    return std::string();
  };
  HttpLimits named;
  named.origins = {"https://example.org"};
  const auto ask = [&](HttpMethod method, std::string_view target, std::string_view origin, const HttpLimits& limits) {
    return respond(*shelf(), {method, target, "localhost", "application/json", "{}", origin}, limits);
  };
  const HttpReply reply = ask(HttpMethod::post, "/api/query", "https://example.org", named);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(header(reply, "Access-Control-Allow-Origin"), "https://example.org");
  EXPECT_EQ(header(reply, "Vary"), "Origin");
  // A browser asks first; an error can be read too.
  const HttpReply first = ask(HttpMethod::options, "/api/query", "https://example.org", named);
  EXPECT_EQ(first.status, 204);
  EXPECT_EQ(header(first, "Access-Control-Allow-Headers"), "Content-Type");
  EXPECT_EQ(header(ask(HttpMethod::get, "/api/query", "https://example.org", named), "Access-Control-Allow-Origin"),
            "https://example.org");
  // Nobody else, nothing but the API, and by default nobody.
  for (const char* other : {"https://example.com", "https://example.org.evil.net", "http://example.org", "null", ""}) {
    EXPECT_EQ(header(ask(HttpMethod::post, "/api/query", other, named), "Access-Control-Allow-Origin"), "") << other;
    EXPECT_EQ(ask(HttpMethod::options, "/api/query", other, named).status, 405) << other;
  }
  EXPECT_EQ(header(ask(HttpMethod::get, "/", "https://example.org", named), "Access-Control-Allow-Origin"), "");
  EXPECT_EQ(ask(HttpMethod::options, "/", "https://example.org", named).status, 405);
  EXPECT_EQ(header(ask(HttpMethod::post, "/api/query", "https://example.org", {}), "Access-Control-Allow-Origin"), "");
  named.origins = {"*"};
  EXPECT_EQ(header(ask(HttpMethod::post, "/api/query", "https://a.b", named), "Access-Control-Allow-Origin"), "*");
}

TEST(Respond, KnowsItsPathsOnly) {
  EXPECT_EQ(get("/health").status, 200);
  const auto list = nlohmann::json::parse(get("/api/releases").body);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["stops"][0]["name"], "origin");
  for (const char* path :
       {"", "/x", "/api/", "//", "/../etc/passwd", "/%2e%2e/", "/city.odr/release.json", "/health/"}) {
    const HttpReply reply = get(path);
    EXPECT_EQ(reply.status, 404) << path;
    EXPECT_EQ(reply.body, "{\"error\":{\"message\":\"nothing here\"}}\n");
    EXPECT_EQ(reply.route, "other");
  }
  EXPECT_EQ(get("/api/query").status, 405);
  EXPECT_EQ(post("/health", "").status, 405);
}

TEST(Respond, SaysWhichReleasesProtectNobody) {
  Release open = sample::city();
  open.randomness = Randomness::repeatable("a");
  const std::shared_ptr<const Shelf> both = *make_shelf({"city.odr", "open.odr"}, {sample::city(), open});
  const auto list =
      nlohmann::json::parse(respond(*both, {HttpMethod::get, "/api/releases", "localhost:8080", "", ""}, {}).body);
  EXPECT_EQ(list[0]["private"], true);
  EXPECT_EQ(list[0]["randomness"], "system");
  EXPECT_EQ(list[1]["private"], false);
  EXPECT_EQ(list[1]["randomness"], "repeatable:a");
  EXPECT_TRUE(list[1]["guarantee"]["title"].get<std::string>().starts_with("No privacy"));
  const auto answer = [&](std::string_view target) {
    return nlohmann::json::parse(
        respond(*both, {HttpMethod::post, target, "localhost:8080", "application/json", "{}"}, {}).body)["answer"];
  };
  EXPECT_FALSE(answer("/api/query?release=city.odr").contains("not_private"));
  EXPECT_NE(answer("/api/query?release=open.odr")["not_private"].get<std::string>().find("(a): it protects nobody"),
            std::string::npos);
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
  const HttpRequest matrix{HttpMethod::post, "/api/query", "localhost", "application/json",
                           R"({"ask": "matrix", "tiles": 8})"};
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
  EXPECT_FALSE(
      may_take_long({HttpMethod::post, "/api/query", "", "", R"({"where": {"origin": {"circle": [1, 2, 3]}}})"}));
  EXPECT_FALSE(may_take_long({HttpMethod::get, "/", "", "", R"("ask")"}));
}

class RespondWithTiles : public testing::Test {
 protected:
  RespondWithTiles() {
    const std::string path = testing::TempDir() + "stopover-respond-" + std::to_string(::getpid()) + ".pmtiles";
    std::ofstream(path, std::ios::binary) << bytes_;
    const auto tiles = TileArchive::open(path);
    ::unlink(path.c_str());
    shelf_ = *make_shelf({"city.odr"}, {sample::city()}, *tiles);
    tag_ = shelf_->tiles->etag();
  }
  HttpReply ask(HttpRequest request, std::uint64_t most = 8 << 20) const {
    request.target = "/basemap.pmtiles";
    request.host = "localhost";
    HttpLimits limits;
    limits.part = most;
    return respond(*shelf_, request, limits);
  }
  HttpReply range(std::string_view text, std::uint64_t most = 8 << 20) const {
    HttpRequest request;
    request.range = text;
    return ask(request, most);
  }
  static std::string header(const HttpReply& reply, std::string_view name) {
    for (const auto& [key, value] : reply.headers) {
      if (key == name) return value;
    }
    return "";
  }

  const std::string bytes_ = sample::archive();
  std::shared_ptr<const Shelf> shelf_;
  std::string tag_;
};

TEST_F(RespondWithTiles, HandsOutParts) {
  const std::tuple<const char*, std::size_t, std::size_t> parts[] = {{"bytes=0-126", 0, 127},
                                                                     {"bytes=990-", 990, 10},
                                                                     {"bytes=990-5000", 990, 10},
                                                                     {"bytes=-10", 990, 10},
                                                                     {"bytes=-5000", 0, 1000}};
  for (const auto& [text, first, length] : parts) {
    const HttpReply reply = range(text);
    EXPECT_EQ(reply.status, 206) << text;
    EXPECT_EQ(reply.body, bytes_.substr(first, length)) << text;
    EXPECT_EQ(header(reply, "Content-Range"),
              "bytes " + std::to_string(first) + "-" + std::to_string(first + length - 1) + "/1000");
    EXPECT_EQ(header(reply, "ETag"), tag_);
    EXPECT_EQ(reply.route, "basemap");
  }
  const HttpReply whole = ask({});
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(whole.body, bytes_);
  EXPECT_EQ(header(whole, "Accept-Ranges"), "bytes");
}

TEST_F(RespondWithTiles, RefusesOtherParts) {
  for (const char* text :
       {"bytes=1000-", "bytes=1000-1001", "bytes=-0", "bytes=5-4", "bytes=0-1,5-6", "bytes=x", "lines=0-1"}) {
    const HttpReply reply = range(text);
    EXPECT_EQ(reply.status, 416) << text;
    EXPECT_EQ(header(reply, "Content-Range"), "bytes */1000");
  }
  EXPECT_EQ(range("bytes=0-99", 100).status, 206);
  EXPECT_EQ(range("bytes=0-100", 100).status, 416);
  EXPECT_EQ(ask({}, 999).status, 416);
  EXPECT_EQ(ask({}, 1000).status, 200);
}

TEST_F(RespondWithTiles, SaysHowLongItIs) {
  HttpRequest request;
  request.method = HttpMethod::head;
  request.range = "bytes=0-1,2-3";
  const HttpReply reply = ask(request, 10);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "");
  EXPECT_EQ(reply.length, 1000u);
  EXPECT_EQ(header(reply, "Accept-Ranges"), "bytes");
  request.method = HttpMethod::post;
  EXPECT_EQ(ask(request).status, 405);
}

TEST_F(RespondWithTiles, HeedsConditions) {
  HttpRequest request;
  request.range = "bytes=0-9";
  for (const std::string& same : {tag_, std::string("*"), "\"x\", " + tag_}) {
    request.if_match = same;
    EXPECT_EQ(ask(request).status, 206) << same;
  }
  for (const std::string& other : {std::string("\"x\""), "W/" + tag_, tag_.substr(1)}) {
    request.if_match = other;
    EXPECT_EQ(ask(request).status, 412) << other;
  }
  request.if_match = {};
  request.if_range = tag_;
  EXPECT_EQ(ask(request).status, 206);
  request.if_range = "\"x\"";
  EXPECT_EQ(ask(request).status, 200);
  EXPECT_EQ(ask(request).body, bytes_);
  EXPECT_EQ(ask(request, 999).status, 412);
  request.if_range = {};
  request.if_none_match = "\"x\"";
  EXPECT_EQ(ask(request).status, 206);
  const std::string weak = "W/" + tag_;
  request.if_none_match = weak;
  EXPECT_EQ(ask(request).status, 304);
  EXPECT_EQ(ask(request).body, "");
}

TEST_F(RespondWithTiles, IsThereOnlyWhereItWasGiven) {
  EXPECT_EQ(get("/basemap.pmtiles").status, 404);
  for (const char* path : {"/basemap.pmtiles/", "/basemap.PMTILES", "/x/basemap.pmtiles", "/basemap.pmtiles%00"}) {
    EXPECT_EQ(respond(*shelf_, {HttpMethod::get, path, "localhost", "", ""}, {}).status, 404) << path;
  }
  EXPECT_EQ(respond(*shelf_, {HttpMethod::get, "/basemap.pmtiles", "evil.example", "", ""}, {}).status, 421);
  if (shelf_->page.empty()) GTEST_SKIP() << "built without the page";
  EXPECT_NE(shelf_->page.find("connect-src 'self'"), std::string::npos);
  EXPECT_EQ(shelf()->page.find("connect-src"), std::string::npos);
}

TEST(Respond, CountsBracketsOutsideOfStrings) {
  EXPECT_EQ(json_depth("{\"a\":[1,[2]]}", 32), 3u);
  EXPECT_EQ(json_depth("\"[[[[\\\"[[\"", 32), 0u);
  EXPECT_EQ(json_depth("]]]][", 32), 1u);
  EXPECT_EQ(json_depth(std::string(100000, '['), 32), 33u);
}

}  // namespace
}  // namespace stopover
