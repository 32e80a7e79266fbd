// Keys to sign releases with: Ed25519 (RFC 8032), by OpenSSL. Public keys are texts as minisign has them, so that
// anybody checks a signature with minisign alone; the secret key is a file that OpenSSL reads (PKCS #8, PEM).
//
//   Result<SecretKey> key = SecretKey::make();
//   write key->pem() where nobody else can read, public_key_text(key->public_key()) where everybody can
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stopover {

using KeyId = std::array<unsigned char, 8>;
using SignatureBytes = std::array<unsigned char, 64>;

// "1A2B3C4D5E6F7081": as minisign shows it.
std::string key_name(const KeyId& id);

struct PublicKey {
  KeyId id{};  // what tells keys apart; here the first bytes of the SHA-256 of `bytes`, elsewhere anything
  std::array<unsigned char, 32> bytes{};
  bool operator==(const PublicKey&) const = default;
};

// Two lines: a comment, then base64 of "Ed", the id and the key.
std::string public_key_text(const PublicKey& key);
// The same, or its second line alone; `what` is named in errors (bad_input).
Result<PublicKey> parse_public_key(std::string_view text, const std::string& what);
// A file, or the line itself (RW...). Fails (bad_input).
Result<PublicKey> read_public_key(const std::string& file_or_line);

class SecretKey {
 public:
  // A new one, from the system's randomness. Fails (internal).
  static Result<SecretKey> make();
  // Fails (bad_input) on anything but a PEM of an Ed25519 key that is not encrypted.
  static Result<SecretKey> parse(const std::string& pem, const std::string& what);
  static Result<SecretKey> read(const std::string& path);

  SecretKey(SecretKey&&) noexcept;
  SecretKey& operator=(SecretKey&&) noexcept;
  ~SecretKey();

  PublicKey public_key() const;
  std::string pem() const;
  // Deterministic.
  SignatureBytes sign(std::string_view message) const;

 private:
  struct State;
  explicit SecretKey(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Whether the owner of the key signed exactly this.
bool is_signature(const PublicKey& key, std::string_view message, const SignatureBytes& signature);

// Base64 with padding, without line breaks. decode: false for anything else, or another size than `size`.
std::string to_base64(std::string_view bytes);
bool from_base64(std::string_view text, std::size_t size, std::string& bytes);

}  // namespace stopover
