#include "disk/private_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/disk_full.h"

namespace stopover {
namespace {

constexpr std::size_t kIdDigits = 32;
constexpr int kAsFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string fresh_id() {
  std::array<unsigned char, kIdDigits / 2> bytes;
  STOPOVER_CHECK(getrandom(bytes.data(), bytes.size(), 0) == std::ssize(bytes), "the system gives no random bytes");
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

// Closes it at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  const int copy = openat(folder, ".", kAsFolder);
  if (copy < 0) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(copy), closedir);
  if (!entries) {
    close(copy);
    return names;
  }
  while (const dirent* entry = readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

void empty_folder(int folder) {
  for (const std::string& name : names_in(folder)) {
    if (unlinkat(folder, name.c_str(), 0) == 0) continue;
    const Descriptor below(openat(folder, name.c_str(), kAsFolder));
    if (below.get() < 0) continue;
    empty_folder(below.get());
    unlinkat(folder, name.c_str(), AT_REMOVEDIR);
  }
}

// Whether the name still leads to the open folder.
bool is_still(int parent, const std::string& name, int folder) {
  struct stat opened{}, named{};
  return fstat(folder, &opened) == 0 && fstatat(parent, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

bool is_ours(int folder) {
  struct stat facts{};
  return fstat(folder, &facts) == 0 && facts.st_uid == geteuid();
}

bool has_shape(std::string_view name, std::string_view begin, std::string_view end) {
  if (name.size() < begin.size() + end.size() + kIdDigits || !name.starts_with(begin)) return false;
  const std::string_view id = name.substr(name.size() - kIdDigits), before = name.substr(0, name.size() - kIdDigits);
  return before.ends_with(end) && (!end.empty() || before == begin) &&
         std::all_of(id.begin(), id.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

Error cannot_make(const std::string& path, int code) {
  return {write_failure(code), fmt::format("no private folder could be made at {}: {}\n  Make room, or name "
                                           "a folder that can be written to (TMPDIR for temporary ones).",
                                           path, std::strerror(code))};
}

}  // namespace

void remove_leftovers(const std::string& place, std::string_view begin, std::string_view end) {
  const Descriptor parent(open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.get() < 0) return;
  for (const std::string& name : names_in(parent.get())) {
    if (!has_shape(name, begin, end)) continue;
    const Descriptor folder(openat(parent.get(), name.c_str(), kAsFolder));
    if (folder.get() < 0 || !is_ours(folder.get()) || flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (!is_still(parent.get(), name, folder.get())) continue;
    empty_folder(folder.get());
    unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR);
  }
}

Result<PrivateFolder> PrivateFolder::make(const std::string& place, const std::string& name) {
  remove_leftovers(place, name, "");
  return at(place + "/" + name + fresh_id());
}

Result<PrivateFolder> PrivateFolder::at(const std::string& path) {
  // Between making and locking another process may take it for a leftover: then once more.
  for (int tries = 0; tries < 100; ++tries) {
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return cannot_make(path, errno);
    Descriptor folder(open(path.c_str(), kAsFolder));
    if (folder.get() < 0 && errno == ENOENT) continue;
    if (folder.get() < 0) return cannot_make(path, errno);
    if (flock(folder.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      usleep(10'000);
      continue;
    }
    if (!is_still(AT_FDCWD, path, folder.get())) continue;
    if (fchmod(folder.get(), 0700) != 0) return cannot_make(path, errno);
    return PrivateFolder(path, folder.release());
  }
  return Error{Failure::locked,
               fmt::format("{} is in use by another process\n  Wait until that one has ended, then try again.", path)};
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

PrivateFolder& PrivateFolder::operator=(PrivateFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

PrivateFolder::~PrivateFolder() {
  if (lock_ < 0) return;
  if (!path_.empty() && is_still(AT_FDCWD, path_, lock_)) {
    empty_folder(lock_);
    rmdir(path_.c_str());
  }
  close(lock_);
}

std::string temporary_place() {
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : P_tmpdir;
}

}  // namespace stopover
