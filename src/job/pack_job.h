// pack: a release's folder as one file.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace stopover {

// How many bytes it has. Fails as Output::begin and pack_release do.
Result<std::uint64_t> pack(const std::string& release, const std::string& output, bool overwrite, unsigned threads = 0);

}  // namespace stopover
