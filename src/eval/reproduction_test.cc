#include "eval/reproduction.h"

#include <gtest/gtest.h>

#include <set>

#include "eval/findings.h"
#include "eval/report.h"

namespace stopover {
namespace {

// What the paper would have measured if all its findings held: errors by a formula.
double synthetic_error(const Scene& scene, const std::string& mechanism, double epsilon, const std::string& workload) {
  double error = 10 / epsilon;
  const int d = scene.d;
  if (mechanism == "identity" || mechanism == "mkm") error *= 100;
  if (mechanism == "eug") error *= 2;
  const bool middle = scene.figure == Figure::gaussian && scene.knob > 0.02 && scene.knob < 0.4;
  if (mechanism == "daf-entropy") error *= middle ? 1.0 / d : 1.05 / d;
  if (mechanism == "daf-homogeneity") error *= middle ? 1.2 / d : 1.25 / d;
  if (scene.figure == Figure::zipf) error *= scene.knob;
  if (workload.ends_with("cov1")) error *= 10;
  if (workload.ends_with("cov5")) error *= 2;
  if (scene.group == "city-a-2d" && mechanism == "ebp") error *= 0.4;
  if (scene.group == "city-b-2d" && mechanism == "ebp") error *= 0.3;
  if (scene.group == "city-c-2d" && mechanism == "ebp") error *= 0.2;
  return error;
}

class Paper : public testing::Test {
 protected:
  Paper() : scenes_(reproduction_scenes({})) {
    for (const Scene& scene : scenes_) {
      for (const std::string& mechanism : scene.mechanisms) {
        for (const std::string& epsilon : scene.epsilons) {
          const auto add = [&](const std::string& workload, const char* metric, double value) {
            rows_.push_back({scene.data, mechanism, epsilon, workload, 0, metric, value});
          };
          for (const std::string& workload : scene.workloads) {
            add(workload, "mre_plain", synthetic_error(scene, mechanism, std::stod(epsilon), workload));
          }
          add("-", "partitions", 1000);
          add("-", "publish_seconds", mechanism.starts_with("daf") ? 1 : 100);
          add("-", "entropy_cells", scene.group == "city-a-2d" ? 9 : scene.group == "city-b-2d" ? 11 : 13);
        }
      }
    }
  }
  std::vector<Scene> scenes_;
  std::vector<ResultRow> rows_;
};

TEST_F(Paper, ScenesHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Scene& scene : scenes_) EXPECT_TRUE(names.insert(scene.data).second) << scene.data;
  EXPECT_GT(scenes_.size(), 50u);
  const std::vector<Scene> real =
      reproduction_scenes({.quick = false, .data_folder = "folder", .seed = 1, .also = {"ag"}});
  EXPECT_EQ(real.back().group, "new-york-4d");
  EXPECT_EQ(real.back().mechanisms.back(), "ag");
}

TEST_F(Paper, AllFindingsAreConfirmedWhereTheyHold) {
  for (const Finding& f : paper_findings(rows_, scenes_))
    EXPECT_EQ(f.verdict, Verdict::confirmed) << f.claim << ": " << f.measured;
}

TEST_F(Paper, FindingsAreRefutedWhereTheyDoNot) {
  for (ResultRow& row : rows_) {
    if (row.metric != "entropy_cells" && row.metric != "partitions") row.value = 1 / row.value;
    if (row.metric == "entropy_cells") row.value = -row.value;
    if (row.mechanism == "mkm" && row.metric == "partitions") row.value = 10;
  }
  std::size_t confirmed = 0;
  for (const Finding& f : paper_findings(rows_, scenes_)) confirmed += f.verdict == Verdict::confirmed;
  EXPECT_LE(confirmed, 1u);  // upside down twice, the entropies of the cities fit again
}

TEST_F(Paper, NothingMeasuredIsNothingClaimed) {
  for (const Finding& f : paper_findings({}, scenes_)) EXPECT_EQ(f.verdict, Verdict::unclear) << f.claim;
}

TEST_F(Paper, TheReportHasEveryFigureAndNoScript) {
  const std::vector<NamedPlot> plots = reproduction_plots(rows_, scenes_);
  std::set<std::string> names;
  for (const NamedPlot& plot : plots) EXPECT_TRUE(names.insert(plot.name).second) << plot.name;
  for (const char* name : {"gaussian-2d-eps0.1", "gaussian-6d-eps0.5", "zipf-4d-eps0.1", "dimensions",
                           "city-a-2d-random-all", "city-a-2d-random", "city-c-4d-dcov5", "city-b-4d-size"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  const std::vector<Finding> findings = paper_findings(rows_, scenes_);
  const std::string html = report_html(rows_, scenes_, findings, plots, {}, {"how", 1, true});
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("href="), std::string::npos);
  for (const Finding& f : findings) EXPECT_NE(html.find(f.claim.substr(0, 20)), std::string::npos);
  EXPECT_NE(html.find("Denver (paper)"), std::string::npos);
}

TEST(Reproduction, ASceneRuns) {
  Scene scene = reproduction_scenes({})[0];
  scene.mechanisms = {"ebp"};
  scene.epsilons = {"0.1"};
  scene.queries = 10;
  std::size_t rows = 0;
  const auto skipped = run_scene(scene, {}, 1, {}, [&](std::span<const ResultRow> some, const ExperimentProgress&) {
    rows += some.size();
    return Status();
  });
  ASSERT_TRUE(skipped) << skipped.error().message;
  EXPECT_GT(rows, 10u);
  EXPECT_EQ(runs_left(scene, {}), 1u);
}

}  // namespace
}  // namespace stopover
