#include "publish/rehearsal.h"

#include <gtest/gtest.h>

#include "testing/fake_file_system.h"

namespace stopover {
namespace {

struct Stage {
  Stage() : files(1) {
    (void)files.make_directory("home");
    (void)files.fsync_dir("");
    const Mechanism* uniform = find_mechanism("uniform");
    request.epsilon = 10;
    request.output = "home/x.odr";
    request.ledger = "home/city.ledger";
    request.budget = 100;
    request.state_dir = "home/state";
    for (const std::uint64_t trips : {5, 7}) {
      MatrixBuilder builder(*Domain::of_shape({4, 4}));
      builder.add(std::array<std::uint32_t, 2>{1, 2}, trips);
      builder.add(std::array<std::uint32_t, 2>{3, 0}, 1);
      matrices.push_back(std::move(builder).build());
      request.parts.push_back({std::to_string(trips), uniform, *read_params(*uniform, {}), {}});
    }
  }
  Result<Rehearsal> run() { return rehearse(files, request, matrices); }

  FakeFileSystem files;
  PublishRequest request;
  std::vector<Matrix> matrices;
};

TEST(Rehearsal, TellsTrueCountsAndLeavesNoTrace) {
  Stage stage;
  const std::uint64_t steps = stage.files.steps();
  const Result<Rehearsal> told = stage.run();
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_EQ(told->parts.size(), 2u);
  EXPECT_EQ(told->parts[1].name, "7");
  EXPECT_EQ(told->parts[1].trips, 8u);
  EXPECT_EQ(told->parts[1].cells, 2u);
  EXPECT_EQ(told->trips, 14u);
  EXPECT_TRUE(told->new_ledger);
  EXPECT_EQ(told->budget, 100u);
  EXPECT_EQ(told->left, 90u);
  EXPECT_EQ(stage.files.steps(), steps) << "something was written";
  EXPECT_FALSE(stage.files.exists("home/city.ledger"));
  EXPECT_FALSE(stage.files.exists("home/state"));
}

TEST(Rehearsal, RefusesWhatPublishWould) {
  Stage stage;
  const auto refused = [&](Failure failure) {
    const Result<Rehearsal> told = stage.run();
    ASSERT_FALSE(told);
    EXPECT_EQ(told.error().failure, failure) << told.error().message;
  };
  stage.request.budget.reset();
  refused(Failure::usage);
  {
    Result<Ledger> ledger = Ledger::open(stage.files, "home/city.ledger", 100, "home/state");
    ASSERT_TRUE(ledger->reserve(85, "uniform", "-"));
  }
  const std::string before = stage.files.content("home/city.ledger");
  stage.request.epsilon = 15;
  EXPECT_EQ(stage.run()->left, 0u);
  EXPECT_EQ(stage.run()->spent, 85u);
  stage.request.epsilon = 16;
  refused(Failure::privacy);
  stage.request.epsilon = 15;
  stage.request.budget = 99;
  refused(Failure::privacy);
  stage.request.budget = 100;
  EXPECT_TRUE(stage.run());
  (void)stage.files.write_file("home/x.odr", "something");
  refused(Failure::output_exists);
  EXPECT_EQ(stage.files.content("home/city.ledger"), before);
}

}  // namespace
}  // namespace stopover
