#define OPENSSL_SUPPRESS_DEPRECATED  // SHA256_Init and friends: 0.1 us; SHA256() looks its algorithm up: 0.5 us
#include "privacy/stream.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <bit>
#include <type_traits>

namespace stopover {
namespace {

static_assert(std::endian::native == std::endian::little, "words would differ between machines");

// The first byte of every hash input, so that no stream key is a path.
enum class Tag : std::uint8_t { root = 1, child = 2, stream = 3 };

// SHA-256 of the tag and the fields, each in full length and little-endian.
template <typename... Fields>
NodePath hash(Tag tag, const Fields&... fields) {
  static_assert((std::has_unique_object_representations_v<Fields> && ...));
  std::array<std::uint8_t, 1 + (sizeof(Fields) + ...)> input{static_cast<std::uint8_t>(tag)};
  std::uint8_t* at = input.data() + 1;
  ((std::memcpy(at, &fields, sizeof(Fields)), at += sizeof(Fields)), ...);
  SHA256_CTX state;
  NodePath out;
  SHA256_Init(&state);
  SHA256_Update(&state, input.data(), input.size());
  SHA256_Final(out.data(), &state);
  OPENSSL_cleanse(&state, sizeof(state));
  OPENSSL_cleanse(input.data(), input.size());
  return out;
}

const EVP_CIPHER* aes_256_ctr() {
  static const EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, "AES-256-CTR", nullptr);
  STOPOVER_CHECK(cipher != nullptr, "OpenSSL has no AES-256-CTR");
  return cipher;
}

}  // namespace

NodePath root_path(std::uint32_t view) { return hash(Tag::root, view); }

NodePath child_path(const NodePath& parent, std::uint32_t split_call, std::uint64_t index) {
  return hash(Tag::child, parent, split_call, index);
}

Stream::Stream(const ReleaseKey& key, const StreamLabel& label) : cipher_(EVP_CIPHER_CTX_new()) {
  STOPOVER_CHECK(cipher_ != nullptr, "out of memory");
  rekey(key, label);
}

Stream::~Stream() {
  EVP_CIPHER_CTX_free(cipher_);
  OPENSSL_cleanse(buffer_.data(), dirty_);
}

void Stream::rekey(const ReleaseKey& key, const StreamLabel& label) {
  constexpr std::array<std::uint8_t, 16> kCounter{};
  const ReleaseKey stream_key{hash(Tag::stream, key.bytes, label.node, label.call, label.purpose)};
  const EVP_CIPHER* cipher = EVP_CIPHER_CTX_get0_cipher(cipher_) == nullptr ? aes_256_ctr() : nullptr;
  STOPOVER_CHECK(EVP_EncryptInit_ex2(cipher_, cipher, stream_key.bytes.data(), kCounter.data(), nullptr) == 1,
                 "AES-256-CTR cannot be keyed");
  at_ = end_ = 0;
}

void Stream::refill() {
  static constexpr std::array<std::uint8_t, kLargestBlock> kZeros{};
  end_ = end_ == 0 ? kFirstBlock : std::min(4 * end_, kLargestBlock);
  int written = 0;
  const int size = static_cast<int>(end_);
  STOPOVER_CHECK(EVP_EncryptUpdate(cipher_, buffer_.data(), &written, kZeros.data(), size) == 1 && written == size,
                 "AES-256-CTR failed");
  dirty_ = std::max(dirty_, end_);
  at_ = 0;
}

}  // namespace stopover
