#include "privacy/entropy.h"

#include <openssl/crypto.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>

namespace stopover {

ReleaseKey::~ReleaseKey() { OPENSSL_cleanse(bytes.data(), bytes.size()); }

Result<ReleaseKey> draw_release_key() {
  ReleaseKey key;
  std::size_t filled = 0;
  while (filled < key.bytes.size()) {
    const ssize_t got = getrandom(key.bytes.data() + filled, key.bytes.size() - filled, 0);
    if (got > 0) {
      filled += static_cast<std::size_t>(got);
    } else if (got == 0 || errno != EINTR) {
      return Error{Failure::internal, std::string("getrandom failed: ") + std::strerror(errno) +
                                          "\n  No noise can be drawn on this system, so nothing was published."};
    }
  }
  return key;
}

}  // namespace stopover
