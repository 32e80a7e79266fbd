#include "job/open_release.h"

#include <functional>
#include <future>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "release_io/release_io.h"

namespace stopover {
namespace {

// Smaller tables are quicker indexed than shared.
constexpr std::size_t kManyRows = 200'000;

void at_once(std::span<const std::function<void()>> work) {
  std::vector<std::future<void>> others;
  for (const auto& piece : work.subspan(1)) others.push_back(std::async(std::launch::async, piece));
  work[0]();
  for (std::future<void>& other : others) other.get();
}

}  // namespace

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
  std::optional<Result<QueryEngine>> engine;
  Result<ReadRelease> read = read_for_answers(path, threads, [&](const Release& release) {
    const bool shared = threads != 1 && release.tables[0].rows() >= kManyRows;
    engine.emplace(QueryEngine::make(release, shared ? Together(at_once) : Together()));
  });
  if (!read) return read.error();
  if (!*engine) return engine->error();
  Result<ReleasePapers> papers = papers_of(path, read->release, read->content_sha256);
  if (!papers) return papers.error();
  return ReadyRelease{std::move(read->release), std::move(**engine), std::move(read->content_sha256),
                      std::move(*papers)};
}

Result<ReadyRelease> ReadyRelease::open(const std::string& path, const Observer& observer) {
  Result<ReadyRelease> ready = open(path, observer.threads);
  if (!ready) return ready;
  warn_unless_private(path, ready->release.randomness, observer);
  if (ready->papers.note) observer.warn(path + " was " + ready->papers.note->sentence());
  return ready;
}

}  // namespace stopover
