// ReleaseStore: how the publishing transaction puts a release into a folder and convinces itself that it is there.
//
// In production the files of release_io. An interface, so that a test can keep the files in a file system that crashes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "release/release.h"

namespace stopover {

class ReleaseStore {
 public:
  virtual ~ReleaseStore() = default;

  // Keeps all others out of the folder, before anything is written into it, and holds it as long as the store lives:
  // until it is moved away it is this process's (disk/private_folder.h). First removes such folders of killed processes
  // beside it. Fails (locked) if another process holds it.
  virtual Status close_folder(const std::string& folder) = 0;
  // Lets those in that this user's files usually let in, once the release may be seen.
  virtual Status open_folder(const std::string& folder) = 0;

  // Writes the release into the folder; the names of all files written, without the folder. Nothing needs to be durable
  // yet.
  virtual Result<std::vector<std::string>> write(const Release& release, const std::string& folder) = 0;

  // Reads the folder again and fails unless it holds exactly this release, which keeps its rules; its content hash (64
  // hex digits).
  virtual Result<std::string> verify(const Release& release, const std::string& folder) = 0;

  // The content hash of a published release. Fails (bad_input).
  virtual Result<std::string> content(const std::string& folder) = 0;
  // The ledger head that a published release carries. Fails (bad_input).
  virtual Result<std::string> ledger_head(const std::string& folder) = 0;
};

// `threads`: DEFAULT 0, all the machine's.
std::unique_ptr<ReleaseStore> release_store(unsigned threads = 0);

}  // namespace stopover
