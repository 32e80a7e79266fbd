#include "serve/byte_range.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

TEST(ByteRange, ReadsOnePart) {
  EXPECT_EQ(parse_byte_range("bytes=0-0", 10), (ByteRange{0, 1}));
  EXPECT_EQ(parse_byte_range("bytes=2-5", 10), (ByteRange{2, 4}));
  EXPECT_EQ(parse_byte_range("bytes=9-9", 10), (ByteRange{9, 1}));
  EXPECT_EQ(parse_byte_range("Bytes=0-3", 10), (ByteRange{0, 4}));
  EXPECT_EQ(parse_byte_range("bytes= 0-3 ", 10), (ByteRange{0, 4}));
}

TEST(ByteRange, CutsOffWhatLiesBeyondTheEnd) {
  EXPECT_EQ(parse_byte_range("bytes=4-", 10), (ByteRange{4, 6}));
  EXPECT_EQ(parse_byte_range("bytes=4-10", 10), (ByteRange{4, 6}));
  EXPECT_EQ(parse_byte_range("bytes=0-18446744073709551615", 10), (ByteRange{0, 10}));
  EXPECT_EQ(parse_byte_range("bytes=0-99999999999999999999999999", 10), (ByteRange{0, 10}));
}

TEST(ByteRange, CountsFromTheEnd) {
  EXPECT_EQ(parse_byte_range("bytes=-3", 10), (ByteRange{7, 3}));
  EXPECT_EQ(parse_byte_range("bytes=-10", 10), (ByteRange{0, 10}));
  EXPECT_EQ(parse_byte_range("bytes=-99999999999999999999999", 10), (ByteRange{0, 10}));
}

TEST(ByteRange, IsNothingElse) {
  for (const char* text : {"",           "bytes",       "bytes=",      "bytes=-",     "bytes=--1",
                           "bytes=-0",   "bytes=10-",   "bytes=10-12", "bytes=5-4",   "bytes=0-1,3-4",
                           "bytes=0-1,", "bytes=,0-1",  "bytes=a-b",   "bytes=0x1-2", "bytes=1-2-3",
                           "bytes=+1-2", "bytes=1 - 2", "bytes 0-1",   "items=0-1",   "bytes=99999999999999999999999-",
                           "0-1"}) {
    EXPECT_FALSE(parse_byte_range(text, 10)) << text;
  }
  for (const char* text : {"bytes=0-0", "bytes=0-", "bytes=-1"}) EXPECT_FALSE(parse_byte_range(text, 0)) << text;
}

}  // namespace
}  // namespace stopover
