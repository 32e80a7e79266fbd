#include "ingest/trip_request.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

TEST(Frames, ReadsWindowsPastMidnight) {
  const auto frames = parse_frames("morning=05:00-10:00,night=22:00-28:00");
  ASSERT_TRUE(frames);
  EXPECT_EQ((*frames)[1].name, "night");
  EXPECT_EQ((*frames)[1].since, 22 * 3'600'000);
  EXPECT_EQ((*frames)[1].until, 28 * 3'600'000);
}

TEST(Frames, RefusesWhatCannotBe) {
  for (const char* text : {"", "a", "a=1:00-2:00", "a=05:00-04:00", "a=05:00-05:00", "a=05:00-49:00", "a=00:00-24:01",
                           "a=05:60-07:00", "a=05:00-07:00,a=08:00-09:00", "a=05:00-07:00,b=06:59-09:00",
                           "night=22:00-28:00,dawn=03:00-05:00", "a=24:00-25:00,b=00:30-00:40", "x y=05:00-06:00"}) {
    const auto frames = parse_frames(text);
    ASSERT_FALSE(frames) << text;
    EXPECT_EQ(frames.error().failure, Failure::usage) << text;
  }
  EXPECT_TRUE(parse_frames("night=22:00-28:00,dawn=04:00-05:00"));
}

TEST(DegreeBox, IsDeclared) {
  EXPECT_EQ(parse_bounding_box("auto").error().failure, Failure::privacy);
  EXPECT_NE(parse_bounding_box("auto").error().message.find("tells where the outermost trip was"), std::string::npos);
  for (const char* text : {"", "1,2,3", "1,2,3,nan", "3,2,1,4", "-181,0,0,1", "0,0,1,91", "0,0,1,1,"}) {
    ASSERT_FALSE(parse_bounding_box(text)) << text;
    EXPECT_EQ(parse_bounding_box(text).error().failure, Failure::usage) << text;
  }
  EXPECT_TRUE(parse_bounding_box("-74.42,40.40,-73.59,41.03"));
}

TEST(Grid, IsDeclared) {
  for (const char* text : {"", "10", "10x", "0x5", "10x10x10", "-1x5"}) EXPECT_FALSE(parse_grid(text)) << text;
  EXPECT_EQ(parse_grid("1000x500")->second, 500U);
}

TEST(ExtraAxis, IsDeclared) {
  for (const char* text : {"", "hour", "time-of-day:0", "weekday:7", "category:", "category:p",
                           "category:p=", "category:p=a,a", "category:p=*,a"}) {
    EXPECT_FALSE(parse_extra_axis(text)) << text;
  }
  EXPECT_EQ(parse_extra_axis("time-of-day:48")->cells, 48U);
  EXPECT_EQ(parse_extra_axis("category:p=a,b,*")->cells, 3U);
}

TEST(TripDomain, NamesStopsAndAxes) {
  TripRequest request;
  request.box = {-10, 40, 10, 60};
  request.columns = 100;
  request.rows = 50;
  request.model = StopModel::od_vias;
  request.vias = 1;
  request.axes = {*parse_extra_axis("category:p=home,*")};
  const Result<Domain> domain = trip_domain(request);
  ASSERT_TRUE(domain);
  EXPECT_EQ(domain->shape_text(), "100x50x2x100x50x2x100x50x2");
  EXPECT_EQ(domain->stops()[1], (Stop{"via1", {3, 4, 5}}));
  EXPECT_EQ(domain->axis(3).kind, AxisKind::longitude);
  EXPECT_EQ(domain->axis(4).lower, 40);
  EXPECT_EQ(domain->axis(5).labels, (std::vector<std::string>{"home", "other"}));
}

}  // namespace
}  // namespace stopover
