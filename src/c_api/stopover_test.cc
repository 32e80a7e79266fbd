// stopover.h as a program in another language sees it: texts in, codes and texts out.
#include <stopover/stopover.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Replied {
  int code = -1;
  nlohmann::json json;
};

// Calls with a reply, takes and frees it.
template <typename Call>
Replied replied(const Call& call) {
  char* text = nullptr;
  Replied found;
  found.code = call(&text);
  EXPECT_NE(text, nullptr);
  if (text != nullptr) found.json = nlohmann::json::parse(text);
  stopover_free(text);
  return found;
}

using Job = int (*)(const char*, const stopover_observer*, char**);

Replied run(Job job, const nlohmann::json& fields, const stopover_observer* observer = nullptr) {
  return replied([&](char** reply) { return job(fields.dump().c_str(), observer, reply); });
}

class CApi : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "stopover_c_api_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::ofstream rows(folder_ / "trips.csv");
    rows << "o_lat,o_lng,d_lat,d_lng\n";
    for (int i = 0; i < 400; ++i) rows << 10 + 0.002 * i << ",20.1,10.9," << 20 + 0.002 * i << "\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  nlohmann::json fields(const std::string& output) const {
    return {{"input", path("trips.csv")}, {"shape_of", "trips"},   {"unit", "trip"}, {"bbox", {20, 10, 21, 11}},
            {"grid", {16, 16}},           {"epsilon", 1},          {"budget", 3},    {"ledger", path("city.ledger")},
            {"output", path(output)},     {"state", path("state")}};
  }
  stopover_release* opened(const std::string& name) const {
    stopover_release* release = nullptr;
    EXPECT_EQ(stopover_open(path(name).c_str(), &release, nullptr), STOPOVER_OK);
    return release;
  }

  std::filesystem::path folder_;
};

constexpr char kBelow[] = R"({"where": {"origin": {"bbox": [20, 10, 21, 10.5]}}})";

TEST_F(CApi, WhatIsPublishedCanBeOpenedAndAsked) {
  const Replied published = run(stopover_publish, fields("city.odr"));
  ASSERT_EQ(published.code, STOPOVER_OK) << published.json;
  EXPECT_TRUE(published.json.contains("who")) << published.json;
  stopover_release* city = opened("city.odr");
  ASSERT_NE(city, nullptr);

  const Replied info = replied([&](char** reply) { return stopover_info(city, reply); });
  EXPECT_EQ(info.code, STOPOVER_OK);
  EXPECT_EQ(info.json.at("epsilon"), 1) << info.json;

  // 250 of 400; the noise's scale is a few trips.
  const Replied answer = replied([&](char** reply) { return stopover_ask(city, kBelow, reply); });
  ASSERT_EQ(answer.code, STOPOVER_OK) << answer.json;
  EXPECT_NEAR(answer.json.at("estimate").get<double>(), 250, 100);

  std::vector<nlohmann::json> told(4);
  std::vector<std::thread> threads;
  for (nlohmann::json& one : told) {
    threads.emplace_back([&] { one = replied([&](char** reply) { return stopover_ask(city, kBelow, reply); }).json; });
  }
  for (std::thread& thread : threads) thread.join();
  for (const nlohmann::json& one : told) EXPECT_EQ(one, answer.json);

  const Replied same = replied([&](char** reply) { return stopover_compare(city, city, kBelow, reply); });
  EXPECT_EQ(same.json.at("difference").at("estimate"), 0) << same.json;

  const nlohmann::json as_map = {{"release", path("city.odr")}, {"as", "geojson"}, {"output", path("city.geojson")}};
  const Replied exported = run(stopover_export, as_map);
  EXPECT_EQ(exported.code, STOPOVER_OK) << exported.json;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "city.geojson"));
  stopover_close(city);
}

TEST_F(CApi, JobsThatSpendNothing) {
  const Replied inspected = run(stopover_inspect, {{"input", path("trips.csv")}});
  EXPECT_EQ(inspected.code, STOPOVER_OK) << inspected.json;
  EXPECT_EQ(inspected.json.at("private"), true);
  const Replied dry = run(stopover_dry_run, fields("city.odr"));
  EXPECT_EQ(dry.code, STOPOVER_OK) << dry.json;
  EXPECT_EQ(dry.json.at("private"), true);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "city.ledger"));
  const Replied planned = run(stopover_plan, {{"n", 100000}, {"formulas", true}, {"epsilon", {0.5}}});
  EXPECT_EQ(planned.code, STOPOVER_OK) << planned.json;
}

TEST_F(CApi, ErrorsNameTheFieldInTheWordsOfJson) {
  nlohmann::json wrong = fields("city.odr");
  wrong["epsilon"] = -1;
  Replied refused = run(stopover_publish, wrong);
  EXPECT_EQ(refused.code, STOPOVER_USAGE);
  EXPECT_EQ(refused.json.at("error").at("code"), STOPOVER_USAGE);
  EXPECT_EQ(refused.json.at("error").at("field"), "epsilon");
  const std::string message = refused.json.at("error").at("message");
  EXPECT_NE(message.find("\"epsilon\""), std::string::npos) << message;

  refused = replied([](char** reply) { return stopover_publish("{\"epsilon\": ", nullptr, reply); });
  EXPECT_EQ(refused.code, STOPOVER_BAD_INPUT);
  refused = replied([](char** reply) { return stopover_publish(nullptr, nullptr, reply); });
  EXPECT_EQ(refused.code, STOPOVER_USAGE);
  EXPECT_EQ(stopover_publish("{}", nullptr, nullptr), STOPOVER_USAGE);

  stopover_release* none = reinterpret_cast<stopover_release*>(this);
  refused = replied([&](char** error) { return stopover_open(path("no.odr").c_str(), &none, error); });
  EXPECT_EQ(refused.code, STOPOVER_BAD_INPUT);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(stopover_ask(nullptr, kBelow, nullptr), STOPOVER_USAGE);
  stopover_close(nullptr);
  stopover_free(nullptr);
}

TEST_F(CApi, NoKeyCanBeRepeated) {
  nlohmann::json given = fields("city.odr");
  given["test_key"] = "x";
  const Replied refused = run(stopover_publish, given);
  EXPECT_EQ(refused.code, STOPOVER_USAGE) << refused.json;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "city.odr"));
}

struct Heard {
  std::vector<std::string> phases;
  std::thread::id thread = std::this_thread::get_id();
  bool elsewhere = false;
  std::string stop_at;
};

int hear(void* context, int what, const char* text, int step, int) {
  Heard& heard = *static_cast<Heard*>(context);
  heard.elsewhere |= std::this_thread::get_id() != heard.thread;
  if (what != STOPOVER_PHASE) return 0;
  heard.phases.push_back(text);
  EXPECT_EQ(step, static_cast<int>(heard.phases.size()));
  return heard.stop_at == text;
}

TEST_F(CApi, PhasesAreToldOnTheCallersThread) {
  Heard heard;
  const stopover_observer observer = {hear, &heard, nullptr, 2};
  ASSERT_EQ(run(stopover_publish, fields("city.odr"), &observer).code, STOPOVER_OK);
  EXPECT_GE(heard.phases.size(), 4u);
  EXPECT_FALSE(heard.elsewhere);
}

TEST_F(CApi, AJobStopsWhenItIsTold) {
  Heard heard;
  heard.stop_at = "reading rows";
  const stopover_observer by_call = {hear, &heard, nullptr, 0};
  EXPECT_EQ(run(stopover_publish, fields("city.odr"), &by_call).code, STOPOVER_INTERRUPTED);
  const int stop = 1;
  const stopover_observer by_flag = {nullptr, nullptr, &stop, 0};
  EXPECT_EQ(run(stopover_publish, fields("city.odr"), &by_flag).code, STOPOVER_INTERRUPTED);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "city.odr"));
}

}  // namespace
