// write_file: a text or a block of bytes as a file, with an error that knows a full disk.
//
// What holds true counts is made for Readers::owner: mode 0600 from its first moment, whatever the umask, so that there
// is no time at which others could open it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace stopover {

enum class Readers { usual, owner };

// Makes the file, or replaces what it holds. Fails (disk_full, bad_input).
Status write_file(const std::string& path, std::string_view content, Readers readers = Readers::usual);

// An empty file of mode 0600, for another writer (DuckDB) that opens it by name. A file of that name is replaced, not
// emptied: whoever has the old one open does not see the new one. Fails (disk_full, bad_input).
Status make_private_file(const std::string& path);

}  // namespace stopover
