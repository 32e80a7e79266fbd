// Shelf: the releases that are served, ready for questions. Public data only: it has no way to rows or ledgers.
//
// A shelf never changes. Replacing a release makes a new shelf and swaps one pointer; whoever holds the old one goes on
// with it, so every answer belongs wholly to one state of the disk.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/period.h"
#include "base/result.h"
#include "query/query_engine.h"
#include "question/series_question.h"
#include "release/release.h"
#include "serve/tile_archive.h"
#include "trust/release_papers.h"

namespace stopover {

struct ShelfRelease {
  std::string name;  // city.odr
  std::string content_sha256;
  std::string about;  // a JSON object: what GET /api/releases says of it
  QueryEngine engine;
  std::optional<Period> period{};  // of a series
};

struct Shelf {
  std::vector<std::shared_ptr<const ShelfRelease>> releases;
  std::string page;                          // "" where the program has none
  std::shared_ptr<const TileArchive> tiles;  // the map under the page's; may be nullptr

  // nullptr when there is none of that name; the first for "".
  const ShelfRelease* find(std::string_view name) const;
  // Those of a period, in order; they point into this. Empty where there are none, or two of one period or of days and
  // months: these are no series.
  std::vector<SeriesEngine> series() const;
};

// The releases in memory. Fails (usage) on a name twice, else as explorer_page; a missing page is no failure.
// REQUIRES: as many names as releases, at least one; check_release passes for each; as many papers, or none.
Result<std::shared_ptr<const Shelf>> make_shelf(const std::vector<std::string>& names,
                                                const std::vector<Release>& releases,
                                                std::shared_ptr<const TileArchive> tiles = nullptr,
                                                const std::vector<ReleasePapers>& papers = {});

// What came of looking at the disk again.
struct ShelfChange {
  std::shared_ptr<const Shelf> shelf;  // nullptr: the one before goes on
  std::vector<Error> refused;          // what is new on disk and cannot be read; told once a change
};

// NAME.odr directories, a PMTiles file ("" for none), and the shelf they make.
class ShelfLoader {
 public:
  explicit ShelfLoader(std::vector<std::string> paths, std::string tiles = "")
      : paths_(std::move(paths)), tiles_(std::move(tiles)) {}

  // Fails as TileArchive::open and read_release.
  Result<std::shared_ptr<const Shelf>> load();
  // Takes up what was replaced since. A file that is gone or bad holds up no release: the archive before it stays. A
  // release that cannot be read holds up the others and the file until it can. The file is looked at only if it is as
  // in the call before, as nobody knows when whoever writes over it is done. REQUIRES: load() succeeded.
  ShelfChange reload();

 private:
  std::string release_state() const;
  std::string tile_state() const;
  Status open_tiles();
  Result<std::shared_ptr<const Shelf>> read_releases();

  std::vector<std::string> paths_;
  std::string tiles_, loaded_releases_, loaded_tiles_, seen_tiles_;
  std::shared_ptr<const TileArchive> archive_;
};

}  // namespace stopover
