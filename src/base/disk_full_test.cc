#include "base/disk_full.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace stopover {
namespace {

TEST(DiskFull, ByErrno) {
  for (const int code : {ENOSPC, EDQUOT, EFBIG}) EXPECT_EQ(write_failure(code), Failure::disk_full);
  for (const int code : {0, EACCES, EIO, EROFS, EPIPE})
    EXPECT_EQ(write_failure(code, Failure::internal), Failure::internal);
}

TEST(DiskFull, ByWhatDuckDBSays) {
  EXPECT_TRUE(is_disk_full("IO Error: Could not write file \"/x/c.parquet\": No space left on device"));
  EXPECT_TRUE(is_disk_full("IO Error: Could not write file \"/x/c.parquet\": File too large"));
  EXPECT_TRUE(
      is_disk_full("Out of Memory Error: failed to offload data block of size 192.0 KiB (0 bytes/0 bytes used)."));
  EXPECT_FALSE(is_disk_full("Out of Memory Error: failed to allocate data of size 1.0 MiB (60.0 MiB/60.0 MiB used)"));
  EXPECT_FALSE(is_disk_full("IO Error: Could not write file \"/x/c.parquet\": Permission denied"));
}

TEST(DiskFull, NotByWhatARowHolds) {
  EXPECT_FALSE(is_disk_full("Conversion Error: Could not convert string ': No space left on device' to INT32"));
  EXPECT_FALSE(is_disk_full("Invalid Input Error: failed to offload data block"));
}

TEST(PassedOn, KeepsInterruptsAndFullDisks) {
  const Error told{Failure::bad_input, "in other words"};
  EXPECT_EQ(passed_on({Failure::disk_full, ""}, told).failure, Failure::disk_full);
  EXPECT_EQ(passed_on({Failure::interrupted, "interrupted"}, told).failure, Failure::interrupted);
  EXPECT_EQ(passed_on({Failure::interrupted, "interrupted"}, told).message, "interrupted");
  EXPECT_EQ(passed_on({Failure::internal, ""}, told).failure, Failure::bad_input);
  EXPECT_EQ(passed_on({Failure::disk_full, ""}, told).message, "in other words");
}

}  // namespace
}  // namespace stopover
