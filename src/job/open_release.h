// How jobs and programs open a release that is there.
//
//   Result<Release> release = open_release("city.odr", observer);     // with a warning for one that protects nobody
//   Result<ReadyRelease> city = ReadyRelease::open("city.odr");       // ready for questions
#pragma once

#include <string>

#include "base/result.h"
#include "job/observer.h"
#include "query/query_engine.h"
#include "release/release.h"
#include "trust/release_papers.h"

namespace stopover {

// Warns of one that was superseded, too. Fails as read_release and papers_of do.
Result<Release> open_release(const std::string& path, const Observer& observer);
// Nothing for a private one.
void warn_unless_private(const std::string& path, const Randomness& randomness, const Observer& observer);

struct ReadyRelease {
  Release release;
  QueryEngine engine;
  std::string content;  // its content_sha256
  ReleasePapers papers;

  // Fails as read_release and QueryEngine::make do. Says nothing of one that protects nobody: replies and info_json do.
  static Result<ReadyRelease> open(const std::string& path, unsigned threads = 0);
  // With the warnings of open_release.
  static Result<ReadyRelease> open(const std::string& path, const Observer& observer);
};

}  // namespace stopover
