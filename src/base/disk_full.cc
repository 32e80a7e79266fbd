#include "base/disk_full.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace stopover {

bool is_disk_full(int code) { return code == ENOSPC || code == EDQUOT || code == EFBIG; }

bool is_disk_full(std::string_view duckdb_message) {
  if (duckdb_message.starts_with("Out of Memory Error")) {
    return duckdb_message.find("failed to offload data block") != std::string_view::npos;
  }
  if (!duckdb_message.starts_with("IO Error")) return false;
  for (const int code : {ENOSPC, EDQUOT, EFBIG}) {
    if (duckdb_message.find(std::string(": ") + std::strerror(code)) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace stopover
