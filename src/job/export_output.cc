#include "job/export_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>

#include <filesystem>

#include "disk/sha256.h"
#include "exports/export_card.h"

namespace stopover {
namespace {

constexpr std::string_view kCardName = "card.json";

std::string card_path(const std::string& path) { return path + ".card.json"; }
std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// Whether a folder may be replaced: it has a card and plain files only.
bool made_by_export(const std::string& folder) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(folder + "/" + std::string(kCardName), failed)) return false;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (!entry.is_regular_file(failed)) return false;
  }
  return !failed;
}

}  // namespace

Result<ExportOutput> ExportOutput::begin(FileSystem& files, const std::string& path, Form form, bool overwrite) {
  std::string name = path;
  while (form == Form::folder && name.size() > 1 && name.ends_with('/')) name.pop_back();
  if (Status s = check_output(files, name, overwrite); !s) return s.error();
  if (form == Form::file_and_card) {
    if (Status s = check_output(files, card_path(name), overwrite); !s) return s.error();
  }
  std::error_code failed;
  const bool is_folder = std::filesystem::is_directory(name, failed);
  const bool there = files.exists(name);
  if (there && form == Form::folder && !made_by_export(name)) {
    return Error{Failure::output_exists,
                 fmt::format("{} is there already and was not made by an export\n  Choose another name.", name)};
  }
  if (is_folder && form != Form::folder) {
    return Error{Failure::output_exists, fmt::format("{} is a folder\n  Choose another name.", name)};
  }
  Result<PrivateFolder> folder = partial_folder(name);
  if (!folder) return folder.error();
  ExportOutput output(files, std::move(*folder));
  output.form_ = form;
  output.final_ = name;
  output.overwrite_ = overwrite;
  output.partial_ = output.folder_.path() + "/" + name_of(name);
  if (form == Form::folder) {
    if (Status s = files.make_directory(output.partial_); !s) return s.error();
  }
  return output;
}

std::vector<std::string> ExportOutput::names() const {
  if (form_ == Form::file_and_card) return {final_, card_path(final_)};
  return {final_};
}

Status ExportOutput::put(const std::string& from, const std::string& to) {
  return overwrite_ ? files_->replace(from, to) : files_->rename(from, to);
}

Status ExportOutput::finish_folder(const std::string& card) {
  if (Status s = files_->write_file(partial_ + "/" + std::string(kCardName), card + "\n"); !s) return s;
  for (const auto& entry : std::filesystem::directory_iterator(partial_)) {
    if (Status s = files_->fsync_path(entry.path().string()); !s) return s;
  }
  if (Status s = files_->fsync_dir(partial_); !s) return s;
  if (!overwrite_ || !files_->exists(final_)) return files_->rename(partial_, final_);
  if (renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, final_.c_str(), RENAME_EXCHANGE) != 0) {
    const std::string old = folder_.path() + "/old " + name_of(final_);
    if (Status s = files_->rename(final_, old); !s) return s;
    if (Status s = files_->rename(partial_, final_); !s) {
      (void)files_->rename(old, final_);
      return s;
    }
  }
  return {};
}

Status ExportOutput::finish(const std::string& card) {
  Status done;
  if (form_ == Form::folder) {
    done = finish_folder(card);
  } else {
    done = files_->fsync_path(partial_);
    if (done && form_ == Form::file_and_card) {
      const Result<std::string> hash = sha256_of_file(partial_);
      if (!hash) return hash.error();
      done = files_->write_file(card_path(partial_), card_beside(card, name_of(final_), *hash));
      if (done) done = put(card_path(partial_), card_path(final_));
    }
    if (done) done = put(partial_, final_);
  }
  if (done) done = files_->fsync_dir(parent_directory(final_));
  return done;
}

}  // namespace stopover
