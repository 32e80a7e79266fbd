// FileSystem: the few operations on disk that the ledger and the publish transaction are built from.
//
// An interface, so that tests can end the world at every one of its calls (testing/fake_file_system.h). What must
// survive a loss of power is said with fsync_path and fsync_dir and never assumed: a new file, a rename or a removal is
// durable only after fsync_dir of the directory that holds the name, bytes only after fsync.
//
//   std::unique_ptr<FileSystem> files = posix_file_system();
//   if (Status s = files->make_directory(build); !s) return s.error();
//   ... write into build/ by any means ...
//   fsync_path of every file, fsync_dir(build), then the one step that makes it visible:
//   if (Status s = files->rename(build, "city.odr"); !s) return s.error();   // never replaces
//   if (Status s = files->fsync_dir(parent_directory("city.odr")); !s) return s.error();
//
// Errors name the path and the system's reason. Their kind is Failure::output_exists where a name that must be free is
// taken, Failure::locked where a lock is held by another, Failure::disk_full where there is no room, and
// Failure::bad_input for everything else.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/disk_full.h"

namespace stopover {

// An existing file, locked, open for reading and appending. Closing (destruction) gives the lock back.
class AppendFile {
 public:
  virtual ~AppendFile() = default;

  // The whole content.
  virtual Result<std::string> read() = 0;

  // Writes all of `bytes` at the end, or fails with some prefix of them written.
  virtual Status append(std::string_view bytes) = 0;

  // fsync: on success everything read or appended so far survives a loss of power. After a failure nothing is known.
  virtual Status sync() = 0;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // 128 random bits of the system as 32 hex digits: names that collide with nobody's.
  virtual std::string fresh_id() = 0;

  // False only if there is surely nothing of that name: true for a dangling link, and where one may not look.
  virtual bool exists(const std::string& path) = 0;

  // Takes the file's exclusive lock (flock) without waiting: Failure::locked if another process, or another AppendFile
  // of this one, holds it.
  virtual Result<std::unique_ptr<AppendFile>> open_append(const std::string& path) = 0;

  virtual Result<std::string> read_file(const std::string& path) = 0;

  // Creates or empties the file, writes `content`, fsyncs it (its name needs fsync_dir).
  virtual Status write_file(const std::string& path, std::string_view content) = 0;

  virtual Status fsync_path(const std::string& path) = 0;
  virtual Status fsync_dir(const std::string& path) = 0;

  // Moves a file or directory to a name that must be free, in one step. On a file system without RENAME_NOREPLACE a
  // file is linked and unlinked (still atomic); a directory is looked for first, then renamed: there another process
  // that makes the same name in between is an error only if what it made is a file or a directory with something in it.
  virtual Status rename(const std::string& from, const std::string& to) = 0;

  // Moves a file over whatever file has the name, in one step.
  virtual Status replace(const std::string& from, const std::string& to) = 0;

  // The directory and those above it, where missing; one that is there is no error.
  virtual Status make_directory(const std::string& path) = 0;

  // The file or directory with all in it; nothing there is no error.
  virtual Status remove_tree(const std::string& path) = 0;
};

// The real disk. `no_replace` false: `rename` behaves as on a file system without RENAME_NOREPLACE. DEFAULT: true.
// Files of more than 256 MiB are not read.
std::unique_ptr<FileSystem> posix_file_system(bool no_replace = true);

// The directory that holds the name: "a/b" gives "a", "b" gives ".", "/b" gives "/". REQUIRES: no slash at the end.
std::string parent_directory(const std::string& path);

}  // namespace stopover
