// What stays in memory, and what goes before the next release is read.
#include "serve/engine_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "release/sample_release.h"

namespace stopover {
namespace {

Result<QueryEngine> engine() { return QueryEngine::make(sample::grid(16)); }

TEST(EngineStore, TheLimitIsForAllOfTheProcess) {
  const std::size_t one = bytes_of(*engine());
  const std::size_t rest = 20 * one, limit = rest + 10 * one;
  std::size_t held = 0;
  EngineStore store(limit, [&] { return rest + held; });
  for (int i = 0; i < 40; ++i) {
    const auto opened = store.get(fmt::format("r{}", i), [&]() -> Result<QueryEngine> {
      // Its release is read now: that needs room as well.
      EXPECT_LE(rest + store.bytes() + (i > 0 ? 2 * one : 0), limit);
      return engine();
    });
    ASSERT_TRUE(opened);
    held = store.bytes();
    EXPECT_LE(rest + held, limit);
  }
  EXPECT_EQ(store.engines(), 9u);
  store.spare(4 * one);
  EXPECT_EQ(store.engines(), 6u);
}

TEST(EngineStore, WhereTheRestIsTooMuchTheOneAskedStays) {
  EngineStore store(1000, [] { return std::size_t{1} << 40; });
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(store.get(fmt::format("r{}", i), engine));
    EXPECT_EQ(store.engines(), 1u);
  }
  ASSERT_TRUE(store.get("r4", engine));
  EXPECT_EQ(store.opened(), 5u) << "it is still there";
}

TEST(EngineStore, OneReleaseAtATimeIsRead) {
  EngineStore store(std::size_t{1} << 30);
  std::atomic<int> reading = 0, most = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        const auto opened = store.get(fmt::format("r{}", i), [&]() -> Result<QueryEngine> {
          const int now = ++reading;
          if (now > most) most = now;
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          --reading;
          return engine();
        });
        EXPECT_TRUE(opened);
      });
    }
  }
  EXPECT_EQ(most, 1);
  EXPECT_EQ(store.engines(), 4u);
}

TEST(EngineStore, TheSystemTellsWhatTheProcessTakes) { EXPECT_GT(resident_bytes(), 1'000'000u); }

}  // namespace
}  // namespace stopover
