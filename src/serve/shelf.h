// Shelf: the releases that are served, ready for questions. Public data only: it has no way to rows or ledgers.
//
// Every release is read once when the shelf is made, which fails if one is bad. Its engine, by far the most of its
// memory, is made when it is first asked and kept while there is room (engine_store.h). The page carries the first
// releases as far as kMostPageBytes go; the others are answered by the API alone.
//
// A shelf never changes. Replacing a release makes a new shelf and swaps one pointer; whoever holds the old one goes on
// with it, so every answer belongs wholly to one state of the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/period.h"
#include "base/result.h"
#include "page/page.h"
#include "question/series_question.h"
#include "release/release.h"
#include "serve/engine_store.h"
#include "serve/tile_archive.h"
#include "trust/release_papers.h"

namespace stopover {

struct ShelfRelease {
  std::string name;  // city.odr
  std::string content_sha256;
  std::string about;  // a JSON object: what GET /api/releases says of it
  Domain domain;
  Randomness randomness;
  std::optional<Period> period;  // of a series
  // Fails (bad_input) where it is to be read again and is not what it was; the next shelf will know.
  std::function<Result<EngineStore::Engine>()> engine;
};

// The releases of a series, in order, and their engines, which stay while this does.
struct ShelfSeries {
  std::vector<const ShelfRelease*> releases;
  std::vector<EngineStore::Engine> held;
  std::vector<SeriesEngine> engines;
};

struct Shelf {
  std::vector<std::shared_ptr<const ShelfRelease>> releases;
  std::string page;                          // "" where the program has none
  std::shared_ptr<const TileArchive> tiles;  // the map under the page's; may be nullptr
  std::size_t on_page = 0;                   // so many of the first releases are on the page

  // nullptr when there is none of that name; the first for "".
  const ShelfRelease* find(std::string_view name) const;
  // Those of a period, in order. Empty where there are none, or two of one period or of days and months: these are no
  // series.
  std::vector<const ShelfRelease*> members() const;
  // The same with their engines. Fails as they do.
  Result<ShelfSeries> series() const;
};

// Of packed releases on a page; the first is there in any case.
constexpr std::size_t kMostPageBytes = std::size_t{64} << 20;
// Of engines that are kept.
constexpr std::size_t kShelfMemory = std::size_t{4} << 30;

// The releases in memory, all engines made. Fails (usage) on a name twice, else as explorer_page; a missing page is no
// failure. REQUIRES: as many names as releases, at least one; check_release passes for each; as many papers, or none.
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
  // `memory`: bytes that engines may take together; with `resident` (engine_store.h) the whole process.
  explicit ShelfLoader(std::vector<std::string> paths, std::string tiles = "", std::size_t memory = kShelfMemory,
                       std::function<std::size_t()> resident = {})
      : paths_(std::move(paths)),
        tiles_(std::move(tiles)),
        engines_(std::make_shared<EngineStore>(memory, std::move(resident))) {}

  // Fails as TileArchive::open and read_release.
  Result<std::shared_ptr<const Shelf>> load();
  // Takes up what was replaced since. A file that is gone or bad holds up no release: the archive before it stays. A
  // release that cannot be read holds up the others and the file until it can. The file is looked at only if it is as
  // in the call before, as nobody knows when whoever writes over it is done. REQUIRES: load() succeeded.
  ShelfChange reload();
  const EngineStore& engines() const { return *engines_; }

 private:
  // A release as it was read last.
  struct Read {
    std::string state;
    std::shared_ptr<const ShelfRelease> release;
    PagePart page;
  };

  Result<Read> read(const std::string& path) const;
  std::string release_state() const;
  std::string tile_state() const;
  Status open_tiles();
  Result<std::shared_ptr<const Shelf>> read_releases();

  std::vector<std::string> paths_;
  std::string tiles_, loaded_releases_, loaded_tiles_, seen_tiles_;
  std::shared_ptr<const TileArchive> archive_;
  std::shared_ptr<EngineStore> engines_;
  std::map<std::string, Read> read_;  // by path
};

}  // namespace stopover
