#include "job/output.h"

#include <fmt/format.h>

#include <filesystem>

namespace stopover {

Status check_output(FileSystem& files, const std::string& path, bool overwrite) {
  if (path.empty() || path.ends_with('/'))
    return Error{Failure::usage, fmt::format("-o needs the name of a file, not \"{}\"", path)};
  if (!overwrite && files.exists(path)) {
    return Error{Failure::output_exists,
                 fmt::format("{} is there already\n  Choose another name, or add `overwrite`.", path)};
  }
  if (!files.exists(parent_directory(path))) {
    return Error{Failure::usage,
                 fmt::format("there is no folder {} for {}\n  Make it first.", parent_directory(path), path)};
  }
  return {};
}

Result<PrivateFolder> partial_folder(const std::string& path) {
  const std::string place = parent_directory(path);
  remove_leftovers(place, ".", ".partial-");
  return PrivateFolder::make(place, fmt::format(".{}.partial-", std::filesystem::path(path).filename().string()));
}

Result<Output> Output::begin(FileSystem& files, const std::string& path, bool overwrite) {
  if (Status s = check_output(files, path, overwrite); !s) return s.error();
  Result<PrivateFolder> folder = partial_folder(path);
  if (!folder) return folder.error();
  Output output(files, std::move(*folder));
  output.final_ = path;
  output.partial_ = output.folder_.path() + "/" + std::filesystem::path(path).filename().string();
  output.overwrite_ = overwrite;
  return output;
}

Status Output::finish() {
  Status done = files_->fsync_path(partial_);
  if (done) done = overwrite_ ? files_->replace(partial_, final_) : files_->rename(partial_, final_);
  if (done) done = files_->fsync_dir(parent_directory(final_));
  return done;
}

}  // namespace stopover
