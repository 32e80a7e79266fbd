#include "publish/release_store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "release_io/release_document.h"
#include "release_io/release_io.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

class Files : public ReleaseStore {
 public:
  explicit Files(unsigned threads) : threads_(threads) {}

  Status close_folder(const std::string& folder) override { return set_mode(folder, fs::perms::owner_all); }

  Status open_folder(const std::string& folder) override {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return set_mode(folder, static_cast<fs::perms>(0777 & ~mask));
  }

  Result<std::vector<std::string>> write(const Release& release, const std::string& folder) override {
    if (Status s = write_release(release, folder, threads_); !s) return s.error();
    std::vector<std::string> names = {"release.json"};
    for (const Table& table : release.tables) names.push_back(table_file_name(table));
    return names;
  }

  Result<std::string> verify(const Release& release, const std::string& folder) override {
    const Result<Release> again = read_release(folder, threads_);
    if (!again) return again.error();
    if (*again != release) {
      return Error{Failure::internal, fmt::format("{} does not hold what was written into it", folder)};
    }
    return content_sha256(release);
  }

  Result<std::string> ledger_head(const std::string& folder) override {
    const Result<Release> release = read_release(folder, threads_);
    if (!release) return release.error();
    return release->ledger_head;
  }

 private:
  static Status set_mode(const std::string& folder, fs::perms mode) {
    std::error_code failed;
    fs::permissions(folder, mode, failed);
    if (!failed) return {};
    return Error{Failure::internal, fmt::format("cannot change who may read {}: {}", folder, failed.message())};
  }

  unsigned threads_;
};

}  // namespace

std::unique_ptr<ReleaseStore> release_store(unsigned threads) { return std::make_unique<Files>(threads); }

}  // namespace stopover
