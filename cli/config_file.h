// ConfigFile: flags from a TOML file, each with the line it stands on.
//
//   threads = 2                     section "", name "threads"
//   [publish]
//   axis = ["weekday", "time-of-day"]
//
// What the names mean is not known here: see Cli.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace stopover {

struct ConfigFlag {
  enum class Kind { truth, value, list };

  std::string section, name;  // section "": before the first one
  Kind kind = Kind::value;
  std::vector<std::string> values;  // numbers as they are written; of a truth "true" or "false"
  std::size_t line = 0;
};

struct ConfigSection {
  std::string name;
  std::size_t line = 0;
};

struct ConfigFile {
  std::string path;
  std::vector<ConfigSection> sections;
  std::vector<ConfigFlag> flags;

  // "city.toml:3"
  std::string place(std::size_t line) const;
};

// Fails (bad_input) on a file that cannot be read or is not TOML, (usage) on values that no flag can have. Messages
// begin with file and line.
Result<ConfigFile> read_config(const std::string& path);

}  // namespace stopover
