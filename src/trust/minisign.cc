#include "trust/minisign.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <vector>

#include "base/bad_input.h"
#include "base/check.h"

namespace stopover {
namespace {

constexpr std::string_view kAlgorithm = "ED", kUntrusted = "untrusted comment: ", kTrusted = "trusted comment: ";

std::string blake2b(std::string_view message) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  STOPOVER_CHECK(EVP_Digest(message.data(), message.size(), reinterpret_cast<unsigned char*>(digest.data()), &size,
                            EVP_blake2b512(), nullptr) == 1,
                 "BLAKE2b is not to be had");
  digest.resize(size);
  return digest;
}

template <typename Bytes>
std::string_view text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string with_comment(const SignatureBytes& signature, const std::string& comment) {
  return std::string(text_of(signature)) + comment;
}

}  // namespace

std::string minisign(const SecretKey& key, std::string_view message, const std::string& comment) {
  const KeyId id = key.public_key().id;
  const SignatureBytes signature = key.sign(blake2b(message));
  std::string bytes(kAlgorithm);
  bytes += text_of(id);
  bytes += text_of(signature);
  return fmt::format("{}signature of key {}\n{}\n{}{}\n{}\n", kUntrusted, key_name(id), to_base64(bytes), kTrusted,
                     comment, to_base64(text_of(key.sign(with_comment(signature, comment)))));
}

Result<Minisignature> parse_minisignature(std::string_view text, const std::string& what) {
  std::vector<std::string_view> lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  const Error bad = bad_input(what + " is not a signature as minisign writes them");
  if (lines.size() != 4 || !text.empty()) return bad;
  std::string bytes, comment_bytes;
  if (!lines[0].starts_with(kUntrusted) || !lines[2].starts_with(kTrusted) || !from_base64(lines[1], 74, bytes) ||
      !from_base64(lines[3], 64, comment_bytes) || !bytes.starts_with(kAlgorithm)) {
    return bad;
  }
  Minisignature read;
  std::copy_n(bytes.begin() + 2, read.key.size(), read.key.begin());
  std::copy_n(bytes.begin() + 10, read.signature.size(), read.signature.begin());
  read.comment = lines[2].substr(kTrusted.size());
  std::copy_n(comment_bytes.begin(), read.comment_signature.size(), read.comment_signature.begin());
  return read;
}

bool is_signed_by(const Minisignature& signature, const PublicKey& key, std::string_view message) {
  return signature.key == key.id && is_signature(key, blake2b(message), signature.signature) &&
         is_signature(key, with_comment(signature.signature, signature.comment), signature.comment_signature);
}

}  // namespace stopover
