#include "geo/h3_cover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "geo/geojson.h"

namespace stopover {
namespace {

using Ids = std::vector<std::string>;

// Of a box from Oakland to San Francisco, as H3's own library (4.5.0) has them with "overlap" containment.
TEST(H3CoverTest, AgreesWithH3) {
  const Result<Ids> cells = h3_cover({-122.6, 37.6, -122.3, 37.9}, 5, 1000);
  ASSERT_TRUE(cells) << cells.error().message;
  EXPECT_EQ(*cells, (Ids{"85283083fffffff", "85283087fffffff", "8528308ffffffff", "85283093fffffff", "85283097fffffff",
                         "8528342ffffffff", "8528354bfffffff", "8528355bfffffff"}));
}

// How many, the first and the last, from the same library: a town, the equator, about a pentagon, the south, large
// cells.
TEST(H3CoverTest, AgreesWithH3InManyPlaces) {
  const struct {
    DegreeBox box;
    int resolution;
    std::size_t cells;
    const char *first, *last;
  } known[] = {{{-122.6, 37.6, -122.3, 37.9}, 8, 1232, "8828308001fffff", "882835596dfffff"},
               {{-1, -1, 1, 1}, 5, 303, "8574ed83fffffff", "85755ddbfffffff"},
               {{10, 64, 11, 65}, 4, 11, "8408001ffffffff", "8408067ffffffff"},
               {{10, 64, 11, 65}, 6, 281, "860800007ffffff", "860806777ffffff"},
               {{-75, -55, -70, -50}, 4, 144, "84cf101ffffffff", "84df6edffffffff"},
               {{18.3, -34, 18.5, -33.8}, 7, 107, "87ad36000ffffff", "87ad36b9effffff"},
               {{139.6, 35.6, 139.8, 35.8}, 6, 22, "862f5a227ffffff", "862f5bdb7ffffff"},
               {{5, 47, 15, 55}, 3, 75, "831965fffffffff", "831fb1fffffffff"},
               {{-0.1, 51.4, 0.1, 51.6}, 2, 1, "82194ffffffffff", "82194ffffffffff"}};
  for (const auto& [box, resolution, count, first, last] : known) {
    const Result<Ids> cells = h3_cover(box, resolution, 100'000);
    ASSERT_TRUE(cells) << cells.error().message;
    ASSERT_EQ(cells->size(), count) << first;
    EXPECT_TRUE(std::is_sorted(cells->begin(), cells->end()));
    EXPECT_EQ(cells->front(), first);
    EXPECT_EQ(cells->back(), last);
    EXPECT_EQ(std::set<std::string>(cells->begin(), cells->end()).size(), count);
  }
}

TEST(H3CoverTest, SaysWhenThereAreTooMany) {
  const Result<Ids> cells = h3_cover({-122.6, 37.6, -122.3, 37.9}, 9, 1000);
  ASSERT_FALSE(cells);
  EXPECT_NE(cells.error().message.find("more than 1000 cells of H3's resolution 9"), std::string::npos);
}

TEST(H3CoverTest, GeoJsonHasTheirBorders) {
  const Result<std::string> text = h3_geojson({"8928308280fffff"});
  ASSERT_TRUE(text);
  const Result<Shape> shape = shape_of_geojson(*text, "a cell");
  ASSERT_TRUE(shape) << shape.error().message;
  EXPECT_EQ(shape->polygons.size(), 1);
  EXPECT_FALSE(h3_geojson({"nonsense"}));
}

}  // namespace
}  // namespace stopover
