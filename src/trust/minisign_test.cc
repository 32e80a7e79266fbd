#include "trust/minisign.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

// Of RFC 8032, section 7.1, test 1: the seed as PKCS #8, and what it signs of the empty message.
constexpr const char* kRfcKey =
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE "
    "KEY-----\n";

TEST(SigningKey, SignsAsTheStandardSays) {
  const Result<SecretKey> key = SecretKey::parse(kRfcKey, "key");
  ASSERT_TRUE(key) << key.error().message;
  const PublicKey open = key->public_key();
  EXPECT_EQ(open.bytes[0], 0xd7);
  EXPECT_EQ(open.bytes[31], 0x1a);
  const SignatureBytes signature = key->sign("");
  EXPECT_EQ(signature[0], 0xe5);
  EXPECT_EQ(signature[63], 0x0b);
  EXPECT_TRUE(is_signature(open, "", signature));
  EXPECT_FALSE(is_signature(open, "x", signature));
  EXPECT_EQ(key->pem(), kRfcKey);
}

TEST(SigningKey, TextsGoBothWays) {
  const Result<SecretKey> key = SecretKey::make();
  ASSERT_TRUE(key);
  const PublicKey open = key->public_key();
  EXPECT_NE(SecretKey::make()->public_key(), open);
  const std::string text = public_key_text(open);
  EXPECT_EQ(*parse_public_key(text, "x"), open);
  EXPECT_EQ(*read_public_key(text.substr(text.find('\n') + 1, 56)), open);
  EXPECT_EQ(SecretKey::parse(key->pem(), "x")->public_key(), open);
  EXPECT_EQ(key_name({1, 2, 3, 4, 5, 6, 7, 0xab}), "AB07060504030201");
  for (const std::string bad : {"", "RW", "no key at all\n", "untrusted comment: x\nRWQ=\n"}) {
    EXPECT_EQ(parse_public_key(bad, "x").error().failure, Failure::bad_input) << bad;
    EXPECT_EQ(SecretKey::parse(bad, "x").error().failure, Failure::bad_input) << bad;
  }
  EXPECT_FALSE(SecretKey::read("/nowhere/x.key"));
  EXPECT_FALSE(read_public_key("/nowhere/x.pub"));
}

TEST(Minisign, EveryChangedByteIsSeen) {
  const Result<SecretKey> key = SecretKey::make(), other = SecretKey::make();
  const std::string message = "a statement\n", text = minisign(*key, message, "a comment");
  const Result<Minisignature> read = parse_minisignature(text, "x");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->comment, "a comment");
  EXPECT_TRUE(is_signed_by(*read, key->public_key(), message));
  EXPECT_FALSE(is_signed_by(*read, key->public_key(), message + " "));
  EXPECT_FALSE(is_signed_by(*read, other->public_key(), message));
  PublicKey named = other->public_key();  // another key by the same name
  named.id = key->public_key().id;
  EXPECT_FALSE(is_signed_by(*read, named, message));
  const std::size_t first = text.find('\n') + 1;  // the comment before is not trusted
  for (std::size_t i = first; i < text.size(); ++i) {
    for (const char flip : {'\1', '\4', '\x20'}) {
      std::string bad = text;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      const Result<Minisignature> forged = parse_minisignature(bad, "x");
      if (forged) EXPECT_FALSE(is_signed_by(*forged, key->public_key(), message)) << i;
    }
  }
  EXPECT_FALSE(parse_minisignature(text + "\n", "x"));
  EXPECT_FALSE(parse_minisignature(text.substr(0, text.size() - 1), "x"));
}

}  // namespace
}  // namespace stopover
