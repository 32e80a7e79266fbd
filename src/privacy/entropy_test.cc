#include "privacy/entropy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>

#include "testing/test_key.h"

namespace stopover {
namespace {

TEST(Entropy, KeysDifferAndAreNotEmpty) {
  const Result<ReleaseKey> a = draw_release_key(), b = draw_release_key();
  ASSERT_TRUE(a);
  ASSERT_TRUE(b);
  EXPECT_NE(a->bytes, b->bytes);
  for (const auto* key : {&*a, &*b}) {
    EXPECT_LT(std::ranges::count(key->bytes, 0), 16);
    EXPECT_LT(std::count(key->bytes.begin() + 16, key->bytes.end(), 0), 10) << "only the first half was filled";
  }
}

TEST(Entropy, KeysAreWiped) {
  alignas(ReleaseKey) unsigned char memory[sizeof(ReleaseKey)];
  auto* key = new (memory) ReleaseKey(test_key("wiped"));
  EXPECT_NE(std::ranges::count(memory, 0), 32);
  key->~ReleaseKey();
  EXPECT_EQ(std::ranges::count(memory, 0), 32);
}

TEST(TestKey, IsTheDocumentedHash) {
  // printf 'stopover test key a' | sha256sum
  const std::array<std::uint8_t, 4> start{0xb0, 0x0d, 0xa1, 0x46};
  EXPECT_TRUE(std::equal(start.begin(), start.end(), test_key("a").bytes.begin()));
  EXPECT_NE(test_key("a").bytes, test_key("b").bytes);
}

}  // namespace
}  // namespace stopover
