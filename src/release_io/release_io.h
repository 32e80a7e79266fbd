// The release on disk: a directory NAME.odr with release.json and one Parquet file per table; from format 2 on also
// what makes it open anywhere: datapackage.json (release_io/data_package.h) and GeoParquet of its places
// (release_io/geo_file.h).
//
//   Status written = write_release(release, private_directory);  // then the publisher syncs, verifies and renames it
//   Result<Release> release = read_release("city.odr");          // damaged in any byte: bad_input
//   Result<Randomness> ok = verify_release("city.odr");          // all of it, again: check_failed
//
// All of that in one file, NAME.odrz, is read as well (release_io/release_folder.h).
//
// docs/internals/release_format.md is the specification; scripts/verify_release.py checks the same rules independently.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "release/release.h"

namespace stopover {

// SHA-256 of the public content, the same for every encoding of the same release; what `info` shows and the ledger
// keeps. Fails (usage) on names that are not UTF-8.
Result<std::string> content_sha256(const Release& release);

// The names of the files that write_release makes, some in a folder ("maps/map1.parquet"): the tables, what follows
// from them, release.json.
std::vector<std::string> release_files(const Release& release);

// Writes the files of a release into an existing, empty directory. Same release and same library: same bytes, for any
// number of threads. Syncs nothing, cleans up nothing on failure: the directory is the caller's, private until it is
// renamed. Fails: usage on names that cannot be stored, internal when writing fails (a full disk).
// DEFAULT: threads = 0, all the machine's.
Status write_release(const Release& release, const std::filesystem::path& directory, unsigned threads = 0);

// Reads a release and makes sure that it is whole: hashes of all files and contents, strict structure, and
// check_release. What it returns can be used without further care. Every failure is bad_input and names the file.
Result<Release> read_release(const std::filesystem::path& path, unsigned threads = 0);

// A release for answers, and its content_sha256.
struct ReadRelease {
  Release release;
  std::string content_sha256;
};

// As read_release, in half the time: of every table only the columns that its content hash is about, as those that
// follow from them give no answers (verify_release looks at them). As soon as the rows can be walked (check_walkable),
// `meanwhile` is called with the release while another thread checks the rest; what it made is void where this fails.
// REQUIRES: meanwhile keeps no reference and throws nothing.
Result<ReadRelease> read_for_answers(const std::filesystem::path& path, unsigned threads,
                                     const std::function<void(const Release&)>& meanwhile);

// What verify_release lets pass.
enum class Accept {
  private_only,  // releases that protect somebody: their randomness was the system's
  repeatable,    // those made with a key that can be repeated, too
};

// Whether the directory is exactly what write_release makes of the release in it: everything read_release demands; no
// other file; a pack is what packing its files gives; if this program wrote it (same version, same DuckDB), the same
// bytes when written again; and randomness that may pass, which is what it returns. Fails: bad_input when there is no
// release to look at, check_failed with the reason when there is one and it is wrong.
Result<Randomness> verify_release(const std::filesystem::path& path, unsigned threads = 0,
                                  Accept accept = Accept::private_only);

}  // namespace stopover
