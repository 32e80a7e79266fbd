// A ZIP archive of files as they are (method "stored", APPNOTE.TXT 6.3): anything that knows ZIP opens it, and the same
// files give the same bytes: names in order, no times, no owners.
//
//   Status packed = write_stored_zip("city.odr", {"release.json", "maps/map1.parquet"}, "city.odrz");
//   Status there = unpack_stored_zip("city.odrz", private_folder);
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace stopover {

// Whether the file begins as a ZIP archive does.
bool is_zip(const std::string& path);

// Fails: usage where a file, or all together, have more than 4 GiB, or there are more than 65,535; bad_input where one
// cannot be read; disk_full. REQUIRES: names of at most 65,535 bytes, relative, with '/' between folders.
Status write_stored_zip(const std::string& folder, std::vector<std::string> names, const std::string& output);

// Puts the archive's files into a folder that is there. Strict: what is compressed, damaged, too large or named so that
// it would leave the folder is refused (bad_input), as are names that stand twice. At most one folder deep.
Status unpack_stored_zip(const std::string& archive, const std::string& folder);

}  // namespace stopover
