#include "ingest/public_flows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace stopover {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PublicFlowsTest : public testing::Test {
 protected:
  ~PublicFlowsTest() override { std::filesystem::remove(path_); }
  Result<PublicFlows> read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_public_flows(path_, domain_);
  }
  std::string refusal(const std::string& text) {
    const Result<PublicFlows> flows = read(text);
    return flows ? "it was read" : flows.error().message;
  }
  static Axis side(const char* name, AxisKind kind) { return {name, 10, kind, 0, 10, {}}; }

  std::string path_ = testing::TempDir() + "public_flows_test.csv";
  Domain domain_ = *Domain::make({side("x1", AxisKind::longitude), side("y1", AxisKind::latitude),
                                  side("x2", AxisKind::longitude), side("y2", AxisKind::latitude)},
                                 {{"origin", {0, 1}}, {"destination", {2, 3}}});
};

TEST_F(PublicFlowsTest, PlacesBecomeCells) {
  const Result<PublicFlows> flows = read(
      "name,weight,o_lat,o_lng,d_lat,d_lng\nA,2.5,1.5,2.5,3.5,4.5\nB,0,1,1,1,1\nC,1,11,1,1,1\n\"D\",7,0,0,9.9,9\n");
  ASSERT_TRUE(flows) << flows.error().message;
  EXPECT_THAT(flows->cells, ElementsAre(2, 1, 4, 3, 0, 0, 9, 9));
  EXPECT_THAT(flows->weights, ElementsAre(2.5, 7));
  EXPECT_EQ(flows->outside, 1U);
}

TEST_F(PublicFlowsTest, CellsByTheNamesOfAxes) {
  const Result<PublicFlows> flows = read("x1,y1,x2,y2,count\n1,2,3,4,5\n10,0,0,0,1\n");
  ASSERT_TRUE(flows) << flows.error().message;
  EXPECT_THAT(flows->cells, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(flows->weights, ElementsAre(5));
  EXPECT_THAT(read("x1,y1,x2,y2\n1,2,3,4\n")->weights, ElementsAre(1));
}

TEST_F(PublicFlowsTest, WhatIsWrongIsTold) {
  EXPECT_THAT(refusal("o_lat,o_lng,d_lat\n1,1,1\n"), HasSubstr("no column d_lng"));
  EXPECT_THAT(refusal("o_lat,o_lng,d_lat,d_lng,weight\n1,1,1,1,2\n1,1,1,1,-2\n"), HasSubstr("row 2: weight is \"-2\""));
  EXPECT_THAT(refusal("o_lat,o_lng,d_lat,d_lng,weight\n1,1,1,1,\n"), HasSubstr("not a number of trips"));
  EXPECT_THAT(refusal("o_lat,o_lng,d_lat,d_lng,weight\n1,1,1,1,1e308\n"), HasSubstr("weight is \"1e308\""));
  EXPECT_THAT(refusal("o_lat,o_lng,d_lat,d_lng\n1,here,1,1\n"), HasSubstr("o_lng is \"here\""));
  EXPECT_THAT(refusal("x1,y1,x2,y2\n1.5,2,3,4\n"), HasSubstr("not the number of a cell"));
  EXPECT_THAT(refusal("o_lat,o_lng,d_lat,d_lng\n50,8,50,8\n"), HasSubstr("none of the 1 rows"));
  EXPECT_THAT(refusal("o_lat,o_lng,d_lat,d_lng\n1e300,8,50,8\nnan,1,1,1\n"), HasSubstr("row 2"));
  EXPECT_THAT(refusal(""), HasSubstr("prior"));
  EXPECT_THAT(read_public_flows("no such file.csv", domain_).error().message, HasSubstr("no such file"));
  domain_ = *Domain::make(
      {side("x1", AxisKind::longitude), side("y1", AxisKind::latitude), {"hour", 24, AxisKind::number, 0, 24, {}}},
      {{"origin", {0, 1}}, {"hours", {2}}});
  EXPECT_THAT(refusal("o_lat,o_lng\n1,1\n"), HasSubstr("numbers of cells"));
}

}  // namespace
}  // namespace stopover
