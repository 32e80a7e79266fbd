#include "job/upgrade_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/usage_error.h"
#include "job/output.h"
#include "release_io/release_folder.h"
#include "release_io/release_io.h"
#include "trust/release_papers.h"

namespace stopover {

Result<Upgraded> upgrade(const std::string& release, const std::string& output, unsigned threads) {
  std::string name = output;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  const std::unique_ptr<FileSystem> files = posix_file_system();
  if (Status s = check_output(*files, name, false); !s) return s.error();
  Result<Release> read = read_release(release, threads);
  if (!read) return read.error();
  if (read->format != 1) {
    return usage_error(fmt::format("{} is of format {} already\n  Only a release of format 1 can be upgraded.", release,
                                   read->format));
  }
  const Result<ReleasePapers> papers = papers_of(release, *read);
  if (!papers) return papers.error();
  const Result<std::string> from = content_sha256(*read);
  if (!from) return from.error();
  read->format = Release::kFormat;
  read->upgraded_from = *from;
  std::erase_if(read->params, [](const auto& param) { return param.first == "test_key"; });  // now in `randomness`
  const Result<std::string> content = content_sha256(*read);
  if (!content) return content.error();
  const Result<PrivateFolder> place = partial_folder(name);
  if (!place) return place.error();
  const std::string partial = place->path() + "/" + std::filesystem::path(name).filename().string();
  if (Status s = files->make_directory(partial); !s) return s.error();
  if (Status s = write_release(*read, partial, threads); !s) return s.error();
  const Result<ReleaseFolder> old = ReleaseFolder::open(release);
  if (!old) return old.error();
  if (Status s = keep_papers(old->path(), partial); !s) return s.error();
  if (Result<Randomness> ok = verify_release(partial, threads, Accept::repeatable); !ok) return ok.error();
  std::error_code none;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(partial, none)) {
    const std::string path = entry.path().string();
    if (Status s = entry.is_directory(none) ? files->fsync_dir(path) : files->fsync_path(path); !s) return s.error();
  }
  if (Status s = files->fsync_dir(partial); !s) return s.error();
  if (Status s = files->rename(partial, name); !s) return s.error();
  if (Status s = files->fsync_dir(parent_directory(name)); !s) return s.error();
  return Upgraded{*from, *content};
}

}  // namespace stopover
