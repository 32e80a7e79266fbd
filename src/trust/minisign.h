// A signature in a file, as minisign (https://jedisct1.github.io/minisign) writes and checks them:
//
//   untrusted comment: <anything>
//   base64("ED", id of the key, Ed25519 signature of the BLAKE2b-512 of the message)
//   trusted comment: <one line, which is signed too>
//   base64(Ed25519 signature of the first signature and that comment)
//
//   minisign -Vm statement.txt -x 1A2B3C4D5E6F7081.minisig -p city.pub
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "trust/signing_key.h"

namespace stopover {

struct Minisignature {
  KeyId key{};
  SignatureBytes signature{};
  std::string comment;
  SignatureBytes comment_signature{};
};

// `comment`: one line.
std::string minisign(const SecretKey& key, std::string_view message, const std::string& comment);

// Fails (bad_input) on anything but such a text; `what` is named. The older kind "Ed", without a hash, is not read.
Result<Minisignature> parse_minisignature(std::string_view text, const std::string& what);

// Whether the key's owner signed this message and the comment. The ids must agree.
bool is_signed_by(const Minisignature& signature, const PublicKey& key, std::string_view message);

}  // namespace stopover
