#include "ingest/place_columns.h"

#include <gtest/gtest.h>

#include "ingest/ingest_fixture.h"

namespace stopover {
namespace {

class PlacesLooked : public IngestTest {
 protected:
  Result<std::vector<PlaceColumns>> places(const std::string& csv, const std::string& lat, const std::string& lng,
                                           std::optional<DegreeBox> box = {}, bool comma = false) const {
    return place_columns({write("in.csv", csv), "", {}}, {{lat, lng}}, box, comma, {1, "", [] { return false; }});
  }
};

TEST_F(PlacesLooked, ColumnsThatAreSwappedAreFoundByWhatALatitudeCanBe) {
  const std::string csv = "lat,lon\n-118.2,34.1\n-118.3,34.0\n,34\nx,1\n-118.25,34.05\n";
  const PlaceColumns told = places(csv, "lat", "lon")->at(0);
  EXPECT_EQ(told.rows, 5u);
  EXPECT_EQ(told.missing, 2u);
  EXPECT_EQ(told.off_globe, 3u);
  EXPECT_EQ(told.sample.size(), 3u);
  EXPECT_TRUE(told.swapped(false));
  EXPECT_FALSE(places(csv, "lon", "lat")->at(0).swapped(false));
}

TEST_F(PlacesLooked, AndByTheBoxWhereBothCouldBeLatitudes) {
  const std::string paris = "lat,lon\n2.35,48.85\n2.36,48.86\n2.30,48.80\n";
  EXPECT_FALSE(places(paris, "lat", "lon")->at(0).swapped(false)) << "nothing tells";
  const DegreeBox box{2.2, 48.7, 2.5, 49.0};
  const PlaceColumns told = places(paris, "lat", "lon", box)->at(0);
  EXPECT_EQ(told.in_box, 0u);
  EXPECT_EQ(told.in_box_else, 3u);
  EXPECT_TRUE(told.swapped(true));
  EXPECT_FALSE(places(paris, "lon", "lat", box)->at(0).swapped(true));
}

TEST_F(PlacesLooked, NonsenseAndNothingAreNotSwapped) {
  EXPECT_FALSE(places("lat,lon\n", "lat", "lon")->at(0).swapped(false));
  EXPECT_FALSE(places("lat,lon\nnan,1e400\ninf,2\n999,999\n", "lat", "lon")->at(0).swapped(false));
  EXPECT_EQ(places("lat,lon\n\"34,5\",\"-118,2\"\n", "lat", "lon", {}, true)->at(0).sample.size(), 1u);
  EXPECT_FALSE(places("lat,lon\n1,2\n", "lat", "x"));
}

}  // namespace
}  // namespace stopover
