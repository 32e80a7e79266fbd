// Output: a file appears whole under its name or not at all.
//
//   Result<Output> out = Output::begin(files, "answers.csv", overwrite);     // exit 6 if it is there
//   write to out->path() by any means
//   return out->finish();                                                    // else what was written is removed
#pragma once

#include <string>

#include "base/result.h"
#include "ledger/file_system.h"

namespace stopover {

// Fails (output_exists) when there is something of that name and it may not be replaced, (usage) when the name is empty or
// its folder does not exist.
Status check_output(FileSystem& files, const std::string& path, bool overwrite);

class Output {
 public:
  // REQUIRES: `files` outlives it.
  static Result<Output> begin(FileSystem& files, const std::string& path, bool overwrite);
  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  ~Output();

  // A name beside the final one.
  const std::string& path() const { return partial_; }
  Status finish();

 private:
  Output() = default;
  FileSystem* files_ = nullptr;
  std::string final_, partial_;
  bool overwrite_ = false;
};

}  // namespace stopover
