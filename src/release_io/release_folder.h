// ReleaseFolder: the files of a release, wherever they lie: in a folder NAME.odr, or in one file NAME.odrz (a pack: the
// same files in a ZIP archive, stored as they are), which is unpacked to a private place for as long as this lives.
//
//   Result<ReleaseFolder> folder = ReleaseFolder::open("city.odrz");
//   read folder->path() / "release.json"
#pragma once

#include <filesystem>
#include <optional>

#include "base/result.h"
#include "disk/private_folder.h"

namespace stopover {

class ReleaseFolder {
 public:
  // Fails: bad_input where there is neither, or a pack is damaged; disk_full.
  static Result<ReleaseFolder> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  bool is_pack() const { return unpacked_.has_value(); }

 private:
  std::filesystem::path path_;
  std::optional<PrivateFolder> unpacked_;
};

// Puts all files of a release's folder, signatures and notes too, into one file. The same files give the same bytes.
// Fails: as read_release does for what is no good release; usage for a pack, or one of more than 4 GiB; disk_full.
Status pack_release(const std::filesystem::path& release, const std::string& output, unsigned threads = 0);

}  // namespace stopover
