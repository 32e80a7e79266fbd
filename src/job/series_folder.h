// SeriesFolder: what lies in a folder of releases by periods, by names alone.
//
//   city/2019-01.odr          one release of a period
//   city/2019-01/weekday.odr  one of several
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stopover {

struct SeriesFolder {
  std::vector<std::string> releases;  // NAME.odr and NAME.odrz in the folder itself, by name
  std::vector<std::string> parts;     // those in folders within it, by name
  bool failed = false;                // it could not be read to its end

  static SeriesFolder read(const std::string& path);
};

// Whether a path has the name of a release.
bool is_release_name(const std::filesystem::path& path);

}  // namespace stopover
