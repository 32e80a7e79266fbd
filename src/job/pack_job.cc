#include "job/pack_job.h"

#include <filesystem>

#include "job/output.h"
#include "release_io/release_folder.h"

namespace stopover {

Result<std::uint64_t> pack(const std::string& release, const std::string& output, bool overwrite, unsigned threads) {
  const std::unique_ptr<FileSystem> files = posix_file_system();
  Result<Output> out = Output::begin(*files, output, overwrite);
  if (!out) return out.error();
  if (Status packed = pack_release(release, out->path(), threads); !packed) return packed.error();
  std::error_code failed;
  const std::uint64_t bytes = std::filesystem::file_size(out->path(), failed);
  if (Status done = out->finish(); !done) return done.error();
  return bytes;
}

}  // namespace stopover
