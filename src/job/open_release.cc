#include "job/open_release.h"

#include <utility>

#include "release_io/release_io.h"

namespace stopover {

Result<Release> open_release(const std::string& path, const Observer& observer) {
  Result<Release> release = read_release(path, observer.threads);
  if (!release) return release;
  warn_unless_private(path, release->randomness, observer);
  const Result<ReleasePapers> papers = papers_of(path, *release);
  if (!papers) return papers.error();
  if (papers->note) observer.warn(path + " was " + papers->note->sentence());
  return release;
}

void warn_unless_private(const std::string& path, const Randomness& randomness, const Observer& observer) {
  if (!randomness.is_private()) observer.warn(path + " was " + randomness.warning());
}

Result<ReadyRelease> ReadyRelease::open(const std::string& path, unsigned threads) {
  Result<Release> release = read_release(path, threads);
  if (!release) return release.error();
  Result<std::string> content = content_sha256(*release);
  if (!content) return content.error();
  Result<QueryEngine> engine = QueryEngine::make(*release);
  if (!engine) return engine.error();
  Result<ReleasePapers> papers = papers_of(path, *release);
  if (!papers) return papers.error();
  return ReadyRelease{std::move(*release), std::move(*engine), std::move(*content), std::move(*papers)};
}

}  // namespace stopover
