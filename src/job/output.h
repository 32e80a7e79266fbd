// Output: a file appears whole under its name or not at all.
//
//   Result<Output> out = Output::begin(files, "answers.csv", overwrite);     // exit 6 if it is there
//   write to out->path() by any means
//   return out->finish();                                                    // else what was written is removed
//
// Until then it lies in a folder beside its place that nobody else can look into, .NAME.partial-<id>; what a killed
// process left there is removed by the next one that writes into the same place (disk/private_folder.h).
#pragma once

#include <string>

#include "base/result.h"
#include "disk/private_folder.h"
#include "ledger/file_system.h"

namespace stopover {

// Fails (output_exists) when there is something of that name and it may not be replaced, (usage) when the name is empty
// or its folder does not exist.
Status check_output(FileSystem& files, const std::string& path, bool overwrite);

// The private folder beside `path` in which it is made.
Result<PrivateFolder> partial_folder(const std::string& path);

class Output {
 public:
  // REQUIRES: `files` outlives it.
  static Result<Output> begin(FileSystem& files, const std::string& path, bool overwrite);

  // Has the final name, in the private folder.
  const std::string& path() const { return partial_; }
  Status finish();

 private:
  Output(FileSystem& files, PrivateFolder folder) : files_(&files), folder_(std::move(folder)) {}
  FileSystem* files_;
  PrivateFolder folder_;
  std::string final_, partial_;
  bool overwrite_ = false;
};

}  // namespace stopover
