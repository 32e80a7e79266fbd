#include "question/zones.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

std::string polygon(const std::string& rings) { return R"({"type": "Polygon", "coordinates": [)" + rings + "]}"; }

std::string zones(const std::string& properties) {
  std::string all;
  for (int i = 0; i < 3; ++i) {
    std::string p = properties;
    while (p.find('#') != std::string::npos) p.replace(p.find('#'), 1, std::to_string(i));
    const std::string x = std::to_string(i), e = std::to_string(i + 1);
    all += std::string(i ? "," : "") + R"({"type": "Feature", "properties": )" + p + R"(, "geometry": )" +
           polygon("[[" + x + ",0],[" + e + ",0],[" + e + ",1],[" + x + ",1],[" + x + ",0]]") + "}";
  }
  return R"({"type": "FeatureCollection", "features": [)" + all + "]}";
}

TEST(ZonesTest, NamesComeFromProperties) {
  EXPECT_EQ(Zones::of_geojson(zones(R"({"name": "Z#"})"), "z")->all()[2].name, "Z2");
  EXPECT_EQ(Zones::of_geojson(zones(R"({"id": 7#})"), "z")->all()[1].name, "71");
  EXPECT_EQ(Zones::of_geojson(zones(R"({"name": "same", "borough": "B#"})"), "z", "borough")->all()[0].name, "B0");
  EXPECT_EQ(Zones::of_geojson(zones("{}"), "z")->all()[2].name, "3");
}

TEST(ZonesTest, FeaturesOfOneNameAreJoinedOnlyIfThatIsMeant) {
  const std::string same = zones(R"({"name": "same"})");
  const Result<Zones> guessed = Zones::of_geojson(same, "z.geojson");
  ASSERT_FALSE(guessed);
  EXPECT_EQ(guessed.error().failure, Failure::bad_input);
  EXPECT_TRUE(guessed.error().message.starts_with("z.geojson: features 1 and 2 are both called \"same\""));
  EXPECT_NE(guessed.error().message.find("`zone_name name`"), std::string::npos);
  const Result<Zones> joined = Zones::of_geojson(same, "z", "name");
  ASSERT_EQ(joined->all().size(), 1u);
  EXPECT_NEAR(area(joined->all()[0].shape), 3, 1e-12);
}

TEST(ZonesTest, BadZones) {
  const auto message = [](const std::string& text, const char* property = "") {
    const Result<Zones> z = Zones::of_geojson(text, "zones.geojson", property);
    return z ? std::string("fine") : z.error().message;
  };
  EXPECT_NE(message("nope").find("not valid JSON"), std::string::npos);
  EXPECT_NE(message(polygon("[[0,0],[1,0],[1,1],[0,0]]")).find("FeatureCollection"), std::string::npos);
  EXPECT_NE(message(zones(R"({"name": "Z#"})"), "nmae").find("Did you mean name"), std::string::npos);
  EXPECT_NE(message(R"({"type": "FeatureCollection", "features": []})").find("no feature"), std::string::npos);
  const std::string crossed =
      R"({"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "Bow"}, "geometry": )" +
      polygon("[[0,0],[2,2],[2,0],[0,2],[0,0]]") + "}]}";
  EXPECT_NE(message(crossed).find("zone \"Bow\" (feature 1) crosses itself"), std::string::npos);
  EXPECT_NE(Zones::of_geojson(zones(R"({"name": "Mission#"})"), "z")
                ->get("Mision1")
                .error()
                .message.find("Did you mean Mission1"),
            std::string::npos);
}

}  // namespace
}  // namespace stopover
