#include "ingest/user_column.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

TEST(UserColumn, IsKnownByItsNameInAnySpelling) {
  for (const char* name :
       {"uid", "UID", "user_id", "UserId", "User ID", "userid", "user", "person_id", "rider_id", "member_id",
        "device_id", "customer_id", "account_id", "card_id", "cardHash", "client-no", "imei", "vehicle_id"}) {
    EXPECT_TRUE(looks_like_user(name)) << name;
  }
}

TEST(UserColumn, OtherNamesAreNot) {
  for (const char* name :
       {"", "id", "tid", "trip_id", "lat", "lng", "datetime", "seq", "purpose", "users_here", "user_type",
        "member_type", "card_type", "fluid", "station_id", "a0", "count", "_", "cable"}) {
    EXPECT_FALSE(looks_like_user(name)) << name;
  }
}

TEST(UserColumn, TheFirstOneIsNamed) {
  EXPECT_EQ(find_user_column({"lat", "Rider_ID", "uid"}), "Rider_ID");
  EXPECT_EQ(find_user_column({"lat", "lng"}), std::nullopt);
}

}  // namespace
}  // namespace stopover
