#include "disk/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/disk_full.h"

namespace stopover {
namespace {

Error cannot_write(const std::string& path, int code) {
  return {write_failure(code), fmt::format("cannot write {}: {}", path, std::strerror(code))};
}

Result<int> open_new(const std::string& path, Readers readers) {
  const bool owner = readers == Readers::owner;
  if (owner && unlink(path.c_str()) != 0 && errno != ENOENT) return cannot_write(path, errno);
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (owner ? O_EXCL : O_TRUNC), owner ? 0600 : 0666);
  if (fd < 0) return cannot_write(path, errno);
  return fd;
}

}  // namespace

Status write_file(const std::string& path, std::string_view content, Readers readers) {
  const Result<int> fd = open_new(path, readers);
  if (!fd) return fd.error();
  Status done;
  while (done && !content.empty()) {
    const ssize_t n = write(*fd, content.data(), content.size());
    if (n >= 0) {
      content.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      done = cannot_write(path, errno);
    }
  }
  if (close(*fd) != 0 && done) done = cannot_write(path, errno);
  return done;
}

Status make_private_file(const std::string& path) { return write_file(path, "", Readers::owner); }

}  // namespace stopover
