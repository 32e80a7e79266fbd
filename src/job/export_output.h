// ExportOutput: where an export goes. Everything appears whole or not at all; what was there before stays until then.
//
//   Result<ExportOutput> out = ExportOutput::begin(files, "flows.csv", Form::file_and_card, overwrite);   // exit 6
//   write to out->path() by any means                       // a file, or a folder that is there
//   return out->finish(card);
//
//   file           the card is inside; one rename
//   file_and_card  FILE.card.json beside it, with the SHA-256 of FILE: the card is put in its place first, so that a
//                  file whose card does not fit its hash tells that something came in between
//   folder         several files and card.json in a folder; with `overwrite` only a folder that an export made is
//                  replaced, in one step where the system can (RENAME_EXCHANGE)
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "job/output.h"
#include "ledger/file_system.h"

namespace stopover {

class ExportOutput {
 public:
  enum class Form { file, file_and_card, folder };

  // Fails as check_output does, for the card too. REQUIRES: `files` outlives it.
  static Result<ExportOutput> begin(FileSystem& files, const std::string& path, Form form, bool overwrite);

  // Of the file or folder to fill.
  const std::string& path() const { return partial_; }
  // `card`: JSON text; not used by Form::file.
  Status finish(const std::string& card);
  // What there is afterwards.
  std::vector<std::string> names() const;

 private:
  ExportOutput(FileSystem& files, PrivateFolder folder) : files_(&files), folder_(std::move(folder)) {}
  Status finish_folder(const std::string& card);
  Status put(const std::string& from, const std::string& to);

  FileSystem* files_;
  PrivateFolder folder_;  // holds what is being made, and what was replaced
  Form form_ = Form::file;
  std::string final_, partial_;
  bool overwrite_ = false;
};

}  // namespace stopover
