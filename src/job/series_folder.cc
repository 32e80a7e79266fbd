#include "job/series_folder.h"

#include <algorithm>
#include <system_error>

namespace stopover {

namespace fs = std::filesystem;

bool is_release_name(const fs::path& path) { return path.extension() == ".odr" || path.extension() == ".odrz"; }

SeriesFolder SeriesFolder::read(const std::string& path) {
  SeriesFolder folder;
  std::error_code failed;
  for (fs::directory_iterator entry(path, failed), end; !failed && entry != end; entry.increment(failed)) {
    const fs::path& at = entry->path();
    if (at.filename().string().starts_with('.')) continue;
    if (is_release_name(at)) {
      folder.releases.push_back(at.lexically_normal().string());
    } else if (std::error_code none; fs::is_directory(at, none)) {
      for (fs::directory_iterator inner(at, none), last; !none && inner != last; inner.increment(none)) {
        if (is_release_name(inner->path())) folder.parts.push_back(inner->path().lexically_normal().string());
      }
    }
  }
  folder.failed = static_cast<bool>(failed);
  std::sort(folder.releases.begin(), folder.releases.end());
  std::sort(folder.parts.begin(), folder.parts.end());
  return folder;
}

}  // namespace stopover
