#include "cli/output.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace stopover {

Status check_output(FileSystem& files, const std::string& path, bool overwrite) {
  if (path.empty() || path.ends_with('/')) return Error{Failure::usage, fmt::format("-o needs the name of a file, not \"{}\"", path)};
  if (!overwrite && files.exists(path)) {
    return Error{Failure::output_exists, fmt::format("{} is there already\n  Choose another name, or add --overwrite.", path)};
  }
  if (!files.exists(parent_directory(path))) {
    return Error{Failure::usage, fmt::format("there is no folder {} for {}\n  Make it first.", parent_directory(path), path)};
  }
  return {};
}

Result<Output> Output::begin(FileSystem& files, const std::string& path, bool overwrite) {
  if (Status s = check_output(files, path, overwrite); !s) return s.error();
  Output output;
  output.files_ = &files;
  output.final_ = path;
  output.overwrite_ = overwrite;
  const std::string name = std::filesystem::path(path).filename().string();
  output.partial_ = fmt::format("{}/.{}.partial-{}", parent_directory(path), name, files.fresh_id());
  return output;
}

Output::Output(Output&& other) noexcept
    : files_(std::exchange(other.files_, nullptr)), final_(std::move(other.final_)), partial_(std::move(other.partial_)),
      overwrite_(other.overwrite_) {}

Output::~Output() {
  if (files_ != nullptr) (void)files_->remove_tree(partial_);
}

Status Output::finish() {
  Status done = files_->fsync_path(partial_);
  if (done) done = overwrite_ ? files_->replace(partial_, final_) : files_->rename(partial_, final_);
  if (done) done = files_->fsync_dir(parent_directory(final_));
  if (done) files_ = nullptr;
  return done;
}

}  // namespace stopover
