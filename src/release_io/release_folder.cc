#include "release_io/release_folder.h"

#include <fmt/format.h>

#include <vector>

#include "base/bad_input.h"
#include "disk/stored_zip.h"
#include "release_io/release_io.h"

namespace stopover {

namespace fs = std::filesystem;

Result<ReleaseFolder> ReleaseFolder::open(const fs::path& path) {
  ReleaseFolder folder;
  folder.path_ = path;
  std::error_code none;
  if (fs::is_directory(path, none)) return folder;
  if (!fs::is_regular_file(path, none)) {
    return bad_input(
        fmt::format("there is no release at {}\n  A release is a folder such as NAME.odr with a release.json in it, or "
                    "one file NAME.odrz.",
                    path.string()));
  }
  if (!is_zip(path.string())) {
    return bad_input(
        fmt::format("{0} is a file, not a release\n  A release is a folder such as NAME.odr, or one file NAME.odrz. A "
                    "ledger is looked at with: stopover ledger {0}",
                    path.string()));
  }
  Result<PrivateFolder> made = PrivateFolder::make(temporary_place(), "stopover-pack-");
  if (!made) return made.error();
  if (Status unpacked = unpack_stored_zip(path.string(), made->path()); !unpacked) {
    Error error = unpacked.error();
    error.message = fmt::format("{}: {}", path.string(), error.message);
    return error;
  }
  folder.path_ = made->path();
  folder.unpacked_ = std::move(*made);
  return folder;
}

Status pack_release(const fs::path& release, const std::string& output, unsigned threads) {
  std::error_code failed;
  if (fs::is_regular_file(release, failed) && is_zip(release.string())) {
    return Error{Failure::usage, fmt::format("{} is packed already\n  Copy it.", release.string())};
  }
  if (Result<Release> read = read_release(release, threads); !read) return read.error();
  std::vector<std::string> names;
  for (fs::recursive_directory_iterator at(release, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().lexically_relative(release).generic_string();
    if (at->is_symlink() || !(at->is_regular_file() || at->is_directory())) {
      return bad_input(fmt::format("{}: {} is not a plain file", release.string(), name));
    }
    if (at->is_regular_file()) names.push_back(name);
  }
  if (failed) return bad_input(fmt::format("{} cannot be listed: {}", release.string(), failed.message()));
  return write_stored_zip(release.string(), std::move(names), output);
}

}  // namespace stopover
