#include "publish/release_store.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "base/disk_full.h"
#include "disk/private_folder.h"
#include "ledger/file_system.h"
#include "release_io/release_io.h"

namespace stopover {
namespace {

class Files : public ReleaseStore {
 public:
  explicit Files(unsigned threads) : threads_(threads) {}

  Status close_folder(const std::string& folder) override {
    closed_.reset();
    remove_leftovers(parent_directory(folder), ".", ".partial-");
    Result<PrivateFolder> made = PrivateFolder::at(folder);
    if (!made) return made.error();
    closed_ = std::move(*made);
    return {};
  }

  // The mode that a folder would have here is seen from one: umask(2) cannot be asked without changing it for all
  // threads.
  Status open_folder(const std::string& folder) override {
    const std::string probe = folder + "/.mode";
    struct stat facts{};
    const bool seen =
        ::mkdir(probe.c_str(), 0777) == 0 && ::stat(probe.c_str(), &facts) == 0 && ::rmdir(probe.c_str()) == 0;
    if (seen && ::chmod(folder.c_str(), facts.st_mode & 0777) == 0) return {};
    return Error{write_failure(errno, Failure::internal),
                 fmt::format("cannot change who may read {}: {}", folder, std::strerror(errno))};
  }

  Result<std::vector<std::string>> write(const Release& release, const std::string& folder) override {
    if (Status s = write_release(release, folder, threads_); !s) return s.error();
    return release_files(release);
  }

  Result<std::string> verify(const Release& release, const std::string& folder) override {
    const Result<Release> again = read_release(folder, threads_);
    if (!again) return again.error();
    if (*again != release) {
      return Error{Failure::internal, fmt::format("{} does not hold what was written into it", folder)};
    }
    return content_sha256(release);
  }

  Result<std::string> content(const std::string& folder) override {
    const Result<Release> release = read_release(folder, threads_);
    if (!release) return release.error();
    return content_sha256(*release);
  }

  Result<std::string> ledger_head(const std::string& folder) override {
    const Result<Release> release = read_release(folder, threads_);
    if (!release) return release.error();
    return release->ledger_head;
  }

 private:
  unsigned threads_;
  std::optional<PrivateFolder> closed_;
};

}  // namespace

std::unique_ptr<ReleaseStore> release_store(unsigned threads) { return std::make_unique<Files>(threads); }

}  // namespace stopover
