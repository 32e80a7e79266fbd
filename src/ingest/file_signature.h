// FileSignature: what a file is by its first bytes, whatever it is called. For messages: a name that does not fit is
// the most usual reason why a file cannot be read.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace stopover {

enum class FileSignature { none, gzip, zstd, parquet, zip, bzip2, xz };

FileSignature signature_of(std::string_view first_bytes);
// "gzip", "a ZIP or Excel file", ...
std::string_view to_string(FileSignature signature);

// Fails (bad_input) when the file is not a whole Parquet file: its first and last bytes say so before anything else is
// read.
Status check_parquet(const std::string& path);

}  // namespace stopover
