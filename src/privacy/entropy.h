// ReleaseKey: the one secret from which all randomness of a release comes.
//
// Drawn from the operating system after the budget is reserved, kept in memory only, never stored, never derived from a
// seed: a second run draws another key and pays again. There is no other source of keys in this library (tests have
// their own in src/testing, which the published program does not link).
#pragma once

#include <array>
#include <cstdint>

#include "base/result.h"

namespace stopover {

struct ReleaseKey {
  std::array<std::uint8_t, 32> bytes{};
  ~ReleaseKey();  // wipes the bytes; every copy wipes its own
};

// 32 bytes of getrandom(2); waits until the system's pool is ready. Fails (Failure::internal) where the call does not
// work.
Result<ReleaseKey> draw_release_key();

}  // namespace stopover
