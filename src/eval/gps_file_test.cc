#include "eval/gps_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace stopover {
namespace {

class GpsFile : public testing::Test {
 protected:
  explicit GpsFile(const char* name = "gps_file_test.csv") : path_(testing::TempDir() + name) {}
  ~GpsFile() override { std::remove(path_.c_str()); }
  void write(const char* text) { std::ofstream(path_) << text; }
  std::string path_;
  // A degree is 111.32 km at the equator: 100 cells of a hundredth of a degree around 0, 0.
  const MapSquare map_{0, 0, 111.32, 100};
};

TEST_F(GpsFile, PositionsFallIntoCells) {
  write("user,lat,lon\nx,0.001,0.001\nx,0.001,0.001\nx,-0.4999,0.4999\nx,0.6,0\nx,nothing,0\nx,0.1\n");
  const Result<Matrix> m = read_positions(path_, map_);
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(m->total(), 3u);
  ASSERT_EQ(m->keys().size(), 2u);
  EXPECT_EQ(m->keys_of_axes().cell(m->keys()[0], 0), 50u);
  EXPECT_EQ(m->keys_of_axes().cell(m->keys()[0], 1), 50u);
  EXPECT_EQ(m->counts()[0], 2u);
  EXPECT_EQ(m->keys_of_axes().cell(m->keys()[1], 0), 99u);  // east
  EXPECT_EQ(m->keys_of_axes().cell(m->keys()[1], 1), 0u);   // north
}

TEST_F(GpsFile, TripsBecomeTheirStops) {
  write(
      "trip_id,seq,lat,lon\n1,0,0.001,0.001\n1,1,0.011,0.001\n1,2,0.021,0.001\n1,3,0.031,0.001\n1,4,0.041,0.001\n"
      "2,0,0.1,0.1\n3,0,0.001,0.001\n3,1,5,5\n4,0,0.001,0.001\n4,1,0.001,0.001\n");
  const Result<Matrix> two = read_trip_stops(path_, map_, 2);
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(two->total(), 2u);  // trips 1 and 4
  ASSERT_EQ(two->keys().size(), 2u);
  EXPECT_EQ(two->keys_of_axes().cell(two->keys()[1], 3), 54u);
  const Result<Matrix> three = read_trip_stops(path_, map_, 3);
  EXPECT_EQ(three->total(), 1u);
  EXPECT_EQ(three->keys_of_axes().cell(three->keys()[0], 3), 52u);
  EXPECT_EQ(three->domain().stops().size(), 3u);
}

TEST_F(GpsFile, WrongFilesAreTold) {
  write("a,b\n1,2\n");
  EXPECT_EQ(read_positions(path_, map_).error().message, path_ + " has no column lat");
  write("lat,lon\n1,2\n");
  EXPECT_EQ(read_trip_stops(path_, map_, 2).error().message, path_ + " has no column trip_id");
  write("");
  EXPECT_EQ(read_positions(path_, map_).error().failure, Failure::bad_input);
  EXPECT_FALSE(read_positions(path_ + ".nothing", map_));
}

}  // namespace
}  // namespace stopover
