#include "trust/signing_key.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/bad_input.h"
#include "base/check.h"

namespace stopover {
namespace {

constexpr std::string_view kAlgorithm = "Ed";
constexpr std::size_t kMostKeyBytes = 100'000;

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Key = std::unique_ptr<EVP_PKEY, FreeKey>;

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

template <typename Bytes>
std::string_view text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Instead of asking at the terminal, which OpenSSL does by itself.
int no_password(char*, int, int, void*) { return -1; }

Result<std::string> small_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostKeyBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (!file.eof() || text.empty()) return bad_input("cannot read a key from " + path);
  return text;
}

KeyId id_of(const std::array<unsigned char, 32>& key) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  STOPOVER_CHECK(EVP_Digest(key.data(), key.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1,
                 "SHA-256 is not to be had");
  KeyId id;
  std::copy_n(digest.begin(), id.size(), id.begin());
  return id;
}

}  // namespace

std::string key_name(const KeyId& id) {
  std::string name;
  for (auto byte = id.rbegin(); byte != id.rend(); ++byte) name += fmt::format("{:02X}", *byte);
  return name;
}

std::string to_base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int n =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes_of(bytes), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(n));
  return text;
}

bool from_base64(std::string_view text, std::size_t size, std::string& bytes) {
  if (text.size() != (size + 2) / 3 * 4) return false;
  bytes.assign(text.size() / 4 * 3, '\0');
  const int n =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), bytes_of(text), static_cast<int>(text.size()));
  if (n != static_cast<int>(bytes.size())) return false;
  bytes.resize(size);
  return to_base64(bytes) == text;
}

std::string public_key_text(const PublicKey& key) {
  std::string bytes(kAlgorithm);
  bytes += text_of(key.id);
  bytes += text_of(key.bytes);
  return fmt::format("untrusted comment: minisign public key {}\n{}\n", key_name(key.id), to_base64(bytes));
}

Result<PublicKey> parse_public_key(std::string_view text, const std::string& what) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  const std::string_view line = text.substr(text.rfind('\n') + 1);
  std::string bytes;
  if (!from_base64(line, 42, bytes) || !bytes.starts_with(kAlgorithm)) {
    return bad_input(fmt::format(
        "{} is not a public key\n  Give the file NAME.pub that stopover key made, or its second line.", what));
  }
  PublicKey key;
  std::copy_n(bytes.begin() + 2, key.id.size(), key.id.begin());
  std::copy_n(bytes.begin() + 10, key.bytes.size(), key.bytes.begin());
  return key;
}

Result<PublicKey> read_public_key(const std::string& file_or_line) {
  std::string bytes;
  if (from_base64(file_or_line, 42, bytes)) return parse_public_key(file_or_line, file_or_line);
  const Result<std::string> text = small_text(file_or_line);
  if (!text) return text.error();
  return parse_public_key(*text, file_or_line);
}

struct SecretKey::State {
  Key key;
};

SecretKey::SecretKey(std::unique_ptr<State> state) : state_(std::move(state)) {}
SecretKey::SecretKey(SecretKey&&) noexcept = default;
SecretKey& SecretKey::operator=(SecretKey&&) noexcept = default;
SecretKey::~SecretKey() = default;

Result<SecretKey> SecretKey::make() {
  Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  if (key == nullptr) return Error{Failure::internal, "OpenSSL makes no Ed25519 key"};
  return SecretKey(std::make_unique<State>(State{std::move(key)}));
}

Result<SecretKey> SecretKey::parse(const std::string& pem, const std::string& what) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  if (key == nullptr || EVP_PKEY_id(key.get()) != EVP_PKEY_ED25519) {
    return bad_input(fmt::format(
        "{} is not a secret key to sign with\n  stopover key new makes one: an Ed25519 key as PEM, not encrypted.",
        what));
  }
  return SecretKey(std::make_unique<State>(State{std::move(key)}));
}

Result<SecretKey> SecretKey::read(const std::string& path) {
  const Result<std::string> text = small_text(path);
  if (!text) return text.error();
  return parse(*text, path);
}

PublicKey SecretKey::public_key() const {
  PublicKey key;
  std::size_t size = key.bytes.size();
  STOPOVER_CHECK(EVP_PKEY_get_raw_public_key(state_->key.get(), key.bytes.data(), &size) == 1, "a key without public");
  key.id = id_of(key.bytes);
  return key;
}

std::string SecretKey::pem() const {
  const Bio bio(BIO_new(BIO_s_mem()));
  STOPOVER_CHECK(
      PEM_write_bio_PKCS8PrivateKey(bio.get(), state_->key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
      "OpenSSL writes no key");
  char* begin = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &begin);
  return {begin, static_cast<std::size_t>(size)};
}

SignatureBytes SecretKey::sign(std::string_view message) const {
  const Context context(EVP_MD_CTX_new());
  SignatureBytes signature;
  std::size_t size = signature.size();
  const bool ready = EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, state_->key.get()) == 1;
  STOPOVER_CHECK(
      ready && EVP_DigestSign(context.get(), signature.data(), &size, bytes_of(message), message.size()) == 1,
      "OpenSSL does not sign");
  return signature;
}

bool is_signature(const PublicKey& key, std::string_view message, const SignatureBytes& signature) {
  const Key point(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.bytes.data(), key.bytes.size()));
  const Context context(EVP_MD_CTX_new());
  if (point == nullptr || EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, point.get()) != 1)
    return false;
  return EVP_DigestVerify(context.get(), signature.data(), signature.size(), bytes_of(message), message.size()) == 1;
}

}  // namespace stopover
