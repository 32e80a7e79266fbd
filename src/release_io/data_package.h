// datapackage.json: what makes a release's folder a Data Package (https://datapackage.org, version 1 as frictionless
// reads it): title, day, and for every Parquet file its path, hash and the type and meaning of each column.
//
// It follows from release.json and the files; `verify` makes it again and compares.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "release_io/release_document.h"
#include "release_io/table_file.h"

namespace stopover {

inline constexpr const char* kDataPackage = "datapackage.json";

// A file that is listed.
struct PackagedFile {
  std::string path;   // in the release's folder
  std::string title;  // a few words
  std::string sha256;
  std::vector<FileColumn> columns;
};

// Fails (usage) on a name that is not UTF-8.
Result<std::string> data_package_text(const ReleaseDocument& document, const std::vector<PackagedFile>& files);

}  // namespace stopover
