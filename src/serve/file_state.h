// FileState: a text that changes when a file is replaced or written over: where it is, how long, and when it was last
// changed. Writes of the same length within one tick of the file system's clock are not told apart.
#pragma once

#include <fmt/format.h>
#include <sys/stat.h>

#include <string>

namespace stopover {

inline std::string file_state(const struct stat& s) {
  return fmt::format("{}.{}.{}.{}.{}", s.st_dev, s.st_ino, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

}  // namespace stopover
