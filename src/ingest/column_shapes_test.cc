#include "ingest/column_shapes.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "ingest/ingest_fixture.h"
#include "ingest/trip_statistics.h"

namespace stopover {
namespace {

TEST(ColumnShapes, ShowHowAValueIsWrittenAndNotWhatItIs) {
  EXPECT_EQ(value_shape("37.7749"), "99.9999");
  EXPECT_EQ(value_shape("Ab-12 \xc3\xa9!"), "Aa-99 x!");
  EXPECT_EQ(value_shape("2024-02-01T08:30:00Z"), "9999-99-99A99:99:99A");
  EXPECT_EQ(value_shape("\t"), "?");
  EXPECT_EQ(value_shape(std::string(40, '7')), std::string(28, '9') + "...");
  EXPECT_EQ(value_shape(""), "");
}

class Looking : public IngestTest {
 protected:
  std::string shapes_of(const std::string& input) const {
    const Result<std::vector<ColumnShape>> columns = column_shapes({input, "", {}}, {1, "", [] { return false; }});
    if (!columns) return columns.error().message;
    std::string text;
    for (const ColumnShape& column : *columns)
      text += fmt::format("{} {} {}\n", column.name, column.type, fmt::join(column.shapes, " "));
    return text;
  }
};

TEST_F(Looking, NamesTypesAndShapesOfEveryKindOfFile) {
  const std::string csv = "uid,lat,when\nu12,1.5,2024-01-01\nv3,,2024-01-02\nu44,22.25,soon\n";
  EXPECT_EQ(shapes_of(write("in.csv", csv)),
            "uid VARCHAR a99 a9\nlat VARCHAR 9.9 (none) 99.99\nwhen VARCHAR 9999-99-99 aaaa\n");
  const std::string lines = "{\"uid\":7,\"lat\":1.5}\nno object\n{\"lat\":null,\"more\":[1]}\n";
  EXPECT_EQ(shapes_of(write("in.jsonl", lines)), "uid VARCHAR 9 (none)\nlat VARCHAR 9.9 (none)\nmore VARCHAR (none)\n");
  EXPECT_EQ(shapes_of(write("empty.jsonl", "")), "");
  EXPECT_NE(shapes_of(path("none.csv")).find("No such file"), std::string::npos);
}

TEST_F(Looking, TripsPerUserAndWhatABoundWouldKeep) {
  // u0 has one trip of 2 stops, u1 two of 3, u2 three of 4, u3 four of 5; and one trip that leaves the box.
  names_.seq = "seq";
  std::string text = "uid,tid,seq,lat,lng\n";
  for (int user = 0; user < 4; ++user) {
    for (int trip = 0; trip <= user; ++trip) {
      for (int stop = 0; stop < user + 2; ++stop) text += fmt::format("u{},{},{},1.5,{}.5\n", user, trip, stop, stop);
    }
  }
  text += "u0,9,0,1.5,1.5\nu0,9,1,1.5,500\n";
  Result<Ingest> in = open(write("in.csv", text));
  ASSERT_TRUE(in) << in.error().message;
  const Result<TripStatistics> told = trip_statistics(*in);
  ASSERT_TRUE(told) << told.error().message;
  ASSERT_TRUE(told->users);
  EXPECT_EQ(told->users->users, 4u);
  EXPECT_EQ(told->users->trips, 10u);
  EXPECT_EQ(told->users->trips_per_user.front(), 1u);
  EXPECT_EQ(told->users->trips_per_user[3], 2u);
  EXPECT_EQ(told->users->trips_per_user.back(), 4u);
  using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(told->users->kept, (Pairs{{1, 4}, {2, 7}, {4, 10}}));
  EXPECT_EQ(told->trips_by_stops, (Pairs{{2, 2}, {3, 2}, {4, 3}, {5, 4}}));
  EXPECT_FALSE(told->stays);
}

TEST_F(Looking, StaysOfPings) {
  request_.shape = RowShape::pings;
  std::string text = "uid,datetime,lat,lng\n";
  for (int user = 0; user < 3; ++user) {
    for (int minute = 0; minute < 30; minute += 5)
      text += fmt::format("u{},2024-01-01 08:{:02}:00,1.5,1.5\n", user, minute);
  }
  Result<Ingest> in = open(write("in.csv", text));
  ASSERT_TRUE(in) << in.error().message;
  const Result<TripStatistics> told = trip_statistics(*in);
  ASSERT_TRUE(told) << told.error().message;
  ASSERT_TRUE(told->stays);
  EXPECT_EQ(told->stays->pings, 18u);
  EXPECT_EQ(told->stays->stays, 3u);
  EXPECT_EQ(told->stays->users, 3u);
  EXPECT_EQ(told->stays->median_minutes, 25u);
  EXPECT_EQ(told->users->trips, 0u) << "one stay is no trip";
}

}  // namespace
}  // namespace stopover
