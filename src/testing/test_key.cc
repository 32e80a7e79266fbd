#include "testing/test_key.h"

#include <openssl/sha.h>

#include <string>

#include "base/check.h"

namespace stopover {

ReleaseKey test_key(std::string_view name) {
  const std::string text = "stopover test key " + std::string(name);
  ReleaseKey key;
  STOPOVER_CHECK(SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), key.bytes.data()) != nullptr,
                 "SHA-256 failed");
  return key;
}

}  // namespace stopover
