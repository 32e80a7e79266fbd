// PrivateFolder: a folder that only this user can look into, and that goes away with all that is in it: when its owner
// is done, or, if its owner was killed, when the next one of its kind is made in the same place.
//
//   Result<PrivateFolder> folder = PrivateFolder::make(temporary_place(), "stopover-spill-");     //
//   .../stopover-spill-<id>
//   write into folder->path(), by any means
//
// How a living owner is told from a dead one: the folder itself is locked (flock) as long as its owner lives, and the
// system takes the lock of a process that ends, however it ends. Who gets the lock of a folder may remove it. So a
// process number that is used again, a clock that was set back or a slow machine cannot lead to the removal of a folder
// in use. Where the disk has no such locks (some network file systems), nothing is removed.
//
// In a place that others can write to, too, only folders are removed that belong to this user, are no links and have
// exactly the name: what was asked for, then 32 hex digits. What is in them is removed by way of the open folder, so
// nobody can put another one in its place meanwhile.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace stopover {

class PrivateFolder {
 public:
  // PLACE/NAME<32 hex digits>, mode 0700, locked. First removes what dead owners left there under the same name (see
  // remove_leftovers). Fails (disk_full, bad_input).
  static Result<PrivateFolder> make(const std::string& place, const std::string& name);
  // The folder of that path, made where missing. For a name that is not up to us. Fails (locked) if another process has
  // it.
  static Result<PrivateFolder> at(const std::string& path);

  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&& other) noexcept;
  ~PrivateFolder();

  const std::string& path() const { return path_; }
  // Whoever has this descriptor open holds the lock too: a child that shall be waited for.
  int lock() const { return lock_; }
  // It stays when this object goes, unlocked: it was moved to where it belongs.
  void keep() { path_.clear(); }

 private:
  PrivateFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_ = -1;
};

// Removes the folders of dead owners in `place` whose names begin with `begin`, then have anything, then `end` and 32
// hex digits: begin "stopover-spill-", end "" or begin ".", end ".partial-". What cannot be removed stays, without a
// word.
void remove_leftovers(const std::string& place, std::string_view begin, std::string_view end);

// TMPDIR, whether it is there or not, or the system's own (P_tmpdir): rows go nowhere else.
std::string temporary_place();

}  // namespace stopover
