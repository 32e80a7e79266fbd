#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "ledger/file_system.h"

namespace stopover {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

Error failed(std::string_view action, const std::string& path, int code = errno) {
  const Failure failure = code == EEXIST || code == ENOTEMPTY ? Failure::output_exists : write_failure(code);
  return {failure, fmt::format("cannot {} {}: {}", action, path, std::generic_category().message(code))};
}

class PosixFile : public AppendFile {
 public:
  static Result<std::unique_ptr<AppendFile>> open(const std::string& path, int flags, bool lock = false) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    if (fd < 0) return failed("open", path);
    std::unique_ptr<AppendFile> file(new PosixFile(path, fd));
    if (!lock || ::flock(fd, LOCK_EX | LOCK_NB) == 0) return file;
    if (errno != EWOULDBLOCK) return failed("lock", path);
    return Error{Failure::locked,
                 path + " is locked by another process\n  Wait until that one has ended (`wait 60`), then try again."};
  }
  ~PosixFile() override { ::close(fd_); }

  Result<std::string> read() override {
    std::string content;
    std::array<char, 65536> buffer;
    while (content.size() <= kMostBytes) {
      const ssize_t n = ::pread(fd_, buffer.data(), buffer.size(), static_cast<off_t>(content.size()));
      if (n < 0) return failed("read", path_);
      if (n == 0) return content;
      content.append(buffer.data(), static_cast<std::size_t>(n));
    }
    return Error{Failure::bad_input, fmt::format("cannot read {}: it is too large", path_)};
  }
  Status append(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0) return failed("write", path_);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
  }
  Status sync() override { return ::fsync(fd_) == 0 ? Status() : failed("fsync", path_); }

 private:
  PosixFile(const std::string& path, int fd) : path_(path), fd_(fd) {}
  std::string path_;
  int fd_;
};

class PosixFileSystem : public FileSystem {
 public:
  explicit PosixFileSystem(bool no_replace) : no_replace_(no_replace) {}

  std::string fresh_id() override {
    std::array<unsigned char, 16> bytes;
    STOPOVER_CHECK(::getrandom(bytes.data(), bytes.size(), 0) == 16, "the system gives no random bytes");
    return fmt::format("{:02x}", fmt::join(bytes, ""));
  }
  bool exists(const std::string& path) override {
    std::error_code code;
    return std::filesystem::symlink_status(path, code).type() != std::filesystem::file_type::not_found;
  }
  Result<std::unique_ptr<AppendFile>> open_append(const std::string& path) override {
    return PosixFile::open(path, O_RDWR | O_APPEND, true);
  }
  Result<std::string> read_file(const std::string& path) override {
    const auto file = PosixFile::open(path, O_RDONLY);
    if (!file) return file.error();
    return (*file)->read();
  }
  Status write_file(const std::string& path, std::string_view content) override {
    const auto file = PosixFile::open(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file) return file.error();
    const Status written = (*file)->append(content);
    return written ? (*file)->sync() : written;
  }
  Status fsync_path(const std::string& path) override {
    const auto file = PosixFile::open(path, O_RDONLY);
    if (!file) return file.error();
    return (*file)->sync();
  }
  Status fsync_dir(const std::string& path) override { return fsync_path(path); }
  Status rename(const std::string& from, const std::string& to) override {
    const char* const a = from.c_str();
    const char* const b = to.c_str();
    errno = EINVAL;
    bool ok = no_replace_ && ::renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_NOREPLACE) == 0;
    if (!ok && (errno == EINVAL || errno == ENOSYS)) {
      ok = ::link(a, b) == 0 && ::unlink(a) == 0;
      if (!ok && errno == EPERM) ok = exists(to) ? (errno = EEXIST, false) : ::rename(a, b) == 0;
    }
    return ok ? Status() : failed("move into place", to);
  }
  Status replace(const std::string& from, const std::string& to) override {
    return ::rename(from.c_str(), to.c_str()) == 0 ? Status() : failed("move into place", to);
  }
  Status make_directory(const std::string& path) override {
    std::error_code code;
    std::filesystem::create_directories(path, code);
    return code ? failed("make directory", path, code.value()) : Status();
  }
  Status remove_tree(const std::string& path) override {
    std::error_code code;
    std::filesystem::remove_all(path, code);
    return code ? failed("remove", path, code.value()) : Status();
  }

 private:
  bool no_replace_;
};

}  // namespace

std::unique_ptr<FileSystem> posix_file_system(bool no_replace) { return std::make_unique<PosixFileSystem>(no_replace); }

std::string parent_directory(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

}  // namespace stopover
