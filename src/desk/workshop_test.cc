#include "desk/workshop.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

namespace stopover {
namespace {

JobView ended(const Workshop& workshop, const std::string& id) {
  for (;;) {
    const std::optional<JobView> view = workshop.look(id, 0);
    if (!view || !view->running) return view.value_or(JobView{});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(Workshop, PassesOnWhatAWorkerTells) {
  ::signal(SIGPIPE, SIG_IGN);
  Workshop workshop("/bin/sh",
                    {"-c", "read order; echo '{\"phase\":\"a\"}'; echo nonsense; echo \"{\\\"result\\\":$order}\""});
  const std::string id = *workshop.start("plan", "[7]\n");
  const JobView view = ended(workshop, id);
  EXPECT_EQ(view.result, "[7]");
  EXPECT_EQ(view.error, "");
  ASSERT_EQ(view.told.size(), 1u);
  EXPECT_NE(view.told[0].find("\"phase\":\"a\""), std::string::npos);
  EXPECT_TRUE(workshop.look(id, 1)->told.empty());
  EXPECT_FALSE(workshop.look("none", 0));
}

TEST(Workshop, AWorkerThatDiesLeavesASentence) {
  ::signal(SIGPIPE, SIG_IGN);
  Workshop killed("/bin/sh", {"-c", "kill -9 $$"});
  EXPECT_NE(ended(killed, *killed.start("publish", "{}")).error.find("signal 9"), std::string::npos);
  Workshop silent("/bin/sh", {"-c", "exit 3"});
  EXPECT_NE(ended(silent, *silent.start("publish", "{}")).error.find("without a word"), std::string::npos);
  Workshop none("/no/such/program", {});
  const Result<std::string> id = none.start("publish", "{}");
  EXPECT_TRUE(!id || !ended(none, *id).error.empty());
}

TEST(Workshop, StopsWhenAskedAndRunsOneAloneOfAKind) {
  ::signal(SIGPIPE, SIG_IGN);
  Workshop workshop("/bin/sh", {"-c", "exec sleep 600"});
  const std::string id = *workshop.start("publish", "{}", true);
  EXPECT_FALSE(workshop.start("publish", "{}", true));
  EXPECT_TRUE(workshop.busy());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(workshop.start("plan", "{}"));
  EXPECT_FALSE(workshop.start("plan", "{}")) << "four at a time";
  EXPECT_TRUE(workshop.cancel(id));
  EXPECT_NE(ended(workshop, id).error.find("\"code\":130"), std::string::npos);
  EXPECT_FALSE(workshop.cancel(id));
  workshop.stop();
  EXPECT_FALSE(workshop.busy());
}

}  // namespace
}  // namespace stopover
