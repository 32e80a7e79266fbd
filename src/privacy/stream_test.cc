#include "privacy/stream.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <new>
#include <set>
#include <string_view>
#include <vector>

#include "testing/test_key.h"

namespace stopover {
namespace {

void append(std::vector<std::uint8_t>& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

NodePath sha256(const std::vector<std::uint8_t>& input) {
  NodePath out;
  SHA256(input.data(), input.size(), out.data());
  return out;
}

std::vector<std::uint64_t> words(const ReleaseKey& key, const StreamLabel& label, std::size_t n) {
  Stream stream(key, label);
  std::vector<std::uint64_t> out(n);
  for (auto& word : out) word = stream.next64();
  return out;
}

// The definition in stream.h, written down a second time.
TEST(Stream, IsAesCtrUnderTheHashedLabel) {
  const ReleaseKey key = test_key("stream");
  const StreamLabel label{child_path(root_path(3), 5, 7), 0x01020304, 0xa0b0c0d0};
  std::vector<std::uint8_t> input{3};
  input.insert(input.end(), key.bytes.begin(), key.bytes.end());
  input.insert(input.end(), label.node.begin(), label.node.end());
  append(input, label.call, 4);
  append(input, label.purpose, 4);
  const NodePath stream_key = sha256(input);

  constexpr int kBytes = 40'000;  // through all block sizes
  const std::vector<unsigned char> zeros(kBytes), counter(16);
  std::vector<unsigned char> expected(kBytes);
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  int written = 0;
  ASSERT_EQ(EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nullptr, stream_key.data(), counter.data()), 1);
  ASSERT_EQ(EVP_EncryptUpdate(context, expected.data(), &written, zeros.data(), kBytes), 1);
  EVP_CIPHER_CTX_free(context);

  const std::vector<std::uint64_t> got = words(key, label, kBytes / 8);
  EXPECT_EQ(std::memcmp(got.data(), expected.data(), kBytes), 0);
}

TEST(NodePath, IsTheHashOfItsEncoding) {
  std::vector<std::uint8_t> input{1};
  append(input, 9, 4);
  const NodePath root = sha256(input);
  EXPECT_EQ(root_path(9), root);
  input.assign(1, 2);
  input.insert(input.end(), root.begin(), root.end());
  append(input, 0x11223344, 4);
  append(input, 0x5566778899aabbcc, 8);
  EXPECT_EQ(child_path(root, 0x11223344, 0x5566778899aabbcc), sha256(input));
}

TEST(NodePath, DiffersByEveryPart) {
  std::set<NodePath> paths;
  for (std::uint32_t view = 0; view < 4; ++view) {
    paths.insert(root_path(view));
    for (std::uint32_t call = 0; call < 4; ++call) {
      for (std::uint64_t index : {0ull, 1ull, 2ull, 1ull << 32, 1ull << 63}) {
        paths.insert(child_path(root_path(view), call, index));
      }
    }
  }
  EXPECT_EQ(paths.size(), 4u + 4 * 4 * 5);
}

TEST(Stream, SameLabelSameWords) {
  const StreamLabel label{root_path(1), 2, 3};
  EXPECT_EQ(words(test_key("a"), label, 1000), words(test_key("a"), label, 1000));
}

TEST(Stream, DiffersByKeyAndEveryPartOfTheLabel) {
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  for (const char* name : {"a", "b"}) {
    for (std::uint32_t view = 0; view < 3; ++view) {
      for (std::uint32_t call : {0u, 1u, 256u, 1u << 31}) {
        for (std::uint32_t purpose : {0u, 1u, 256u, 1u << 31}) {
          for (std::uint64_t word : words(test_key(name), {root_path(view), call, purpose}, 10)) {
            seen.insert(word);
            ++drawn;
          }
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), drawn) << "a word was seen twice in 960 (chance 2^-45)";
}

// No word of a stream, and so no noise, stays in memory when it ends.
TEST(Stream, IsWiped) {
  alignas(Stream) unsigned char memory[sizeof(Stream)];
  auto* stream = new (memory) Stream(test_key("wiped"), {root_path(0), 1, 1});
  std::vector<std::uint64_t> drawn(600);
  for (std::uint64_t& word : drawn) word = stream->next64();
  const auto holds_words = [&] {
    const std::string_view bytes(reinterpret_cast<const char*>(memory), sizeof memory);
    return std::ranges::any_of(drawn, [&](const std::uint64_t& word) {
      return bytes.find(std::string_view(reinterpret_cast<const char*>(&word), sizeof word)) != std::string_view::npos;
    });
  };
  EXPECT_TRUE(holds_words());
  stream->~Stream();
  EXPECT_FALSE(holds_words());
}

TEST(Stream, RekeyedIsAsNew) {
  const ReleaseKey key = test_key("a");
  const StreamLabel label{root_path(1), 2, 3};
  Stream stream(key, {});
  for (int used : {0, 1, 17, 1000}) {
    for (int i = 0; i < used; ++i) stream.next64();
    stream.rekey(key, label);
    for (std::uint64_t word : words(key, label, 700)) ASSERT_EQ(stream.next64(), word);
  }
}

TEST(Stream, BytesAreTheWordsInOrder) {
  const ReleaseKey key = test_key("a");
  Stream bytes(key, {});
  for (std::uint64_t word : words(key, {}, 600)) {
    for (int i = 0; i < 8; ++i) ASSERT_EQ(bytes.next<std::uint8_t>(), static_cast<std::uint8_t>(word >> (8 * i)));
  }
}

TEST(Stream, NoByteIsHandedOutTwiceWhenWidthsMix) {
  const ReleaseKey key = test_key("a");
  Stream mixed(key, {});
  mixed.next<std::uint8_t>();
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 3000; ++i) EXPECT_TRUE(seen.insert(mixed.next64()).second);
}

}  // namespace
}  // namespace stopover
