// Folders: the folders of this machine that the desk may look into, named when it was started, and its own, the only
// one that it writes to.
//
//   own/drafts own/releases own/ledgers own/zones own/exports
//
// A path from the page is made absolute with all links followed, and must then lie in one of them; `..`, a link that
// leads out, a folder that merely begins alike are turned away with the same words, whether there is something or not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stopover {

struct FolderEntry {
  std::string name, path;
  std::string kind;  // "folder", "release", "series", "ledger", "rows", "zones"
  std::uint64_t bytes = 0;
};

class Folders {
 public:
  // Makes the desk's own folder (readable by this user alone) and those in it. Fails (bad_input) on a folder that is
  // not there, (disk_full).
  static Result<Folders> open(const std::vector<std::string>& data, const std::string& own);

  const std::vector<std::string>& data() const { return data_; }
  const std::string& own() const { return own_; }
  std::string own(std::string_view part) const { return own_ + "/" + std::string(part); }

  // A file or folder that is there, to be read. Fails (privacy) where it is not in one of the folders.
  Result<std::string> readable(const std::string& path) const;
  // One to be made, in the desk's own folder; `anywhere`: in any of them (a ledger that is there already).
  Result<std::string> writable(const std::string& path, bool anywhere = false) const;

  // What is in a folder that a curator may choose; folders first, hidden ones left out. At most 2,000. Fails as
  // readable.
  Result<std::vector<FolderEntry>> list(const std::string& folder) const;
  // All that is of this kind ("release", "series", "ledger") in the desk's own folder and at the top of the others.
  std::vector<FolderEntry> found(std::string_view kind) const;

 private:
  bool inside(const std::string& path, bool own_only) const;

  std::vector<std::string> data_;
  std::string own_;
};

// A name for a file that the page may choose: letters, digits, dots, dashes, underscores and blanks, not beginning with
// a dot, at most 80 characters; fails (usage) for any other.
Result<std::string> plain_name(const std::string& name);

}  // namespace stopover
