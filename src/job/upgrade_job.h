// A release of format 1 as one of format 2: the same content, readable by anything, with the hash that it had before.
#pragma once

#include <string>

#include "base/result.h"

namespace stopover {

struct Upgraded {
  std::string from;     // its content hash in format 1, which it keeps as `upgraded_from`
  std::string content;  // that of the new one
};

// Writes `output`, a new folder; `release`, a folder or a pack, stays as it is. Its signatures come along as signatures
// of before the upgrade, a note that it was superseded stays. Fails: usage for a release that is of format 2 already;
// output_exists; as read_release does; disk_full.
Result<Upgraded> upgrade(const std::string& release, const std::string& output, unsigned threads = 0);

}  // namespace stopover
