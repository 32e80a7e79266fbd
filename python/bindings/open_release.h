// OpenRelease: a release read from disk, ready to be asked from Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "job/open_release.h"
#include "query/answer.h"
#include "query/query_engine.h"
#include "release/release.h"

namespace stopover {

class OpenRelease {
 public:
  // Fails as ReadyRelease::open does.
  static Result<OpenRelease> open(const std::string& path, unsigned threads);

  const Release& release() const { return ready_.release; }
  const QueryEngine& engine() const { return ready_.engine; }
  const std::string& content() const { return ready_.content; }
  std::string info() const;
  std::string card() const;
  // Its text, and what the form asks for and nobody declared (job/info_form.h).
  using TextAndMissing = std::pair<std::string, std::vector<std::string>>;
  Result<TextAndMissing> info_as(const std::string& form, const std::string& url) const;
  std::string domain() const;
  Result<std::string> page() const;
  // Coast, borders and towns around its places, as JSON (page/page.h).
  std::string ground() const;
  // The map of every stop as GeoJSON; `tiles`: rectangles per side where the release has no map of its own.
  Result<std::string> stops(std::size_t tiles) const;

  // Rows of lo, hi, lo, hi, ... in half-open cells, the first of which is row number `first` (from 1) of a batch. Fails
  // as a batch's table does (query/batch.h). REQUIRES: as many rows as boxes.
  Status read_boxes(std::span<const std::int64_t> cells, std::size_t first, std::span<BoxQuery> boxes) const;

 private:
  OpenRelease(std::string path, ReadyRelease ready) : path_(std::move(path)), ready_(std::move(ready)) {}

  std::string path_;
  ReadyRelease ready_;
};

}  // namespace stopover
