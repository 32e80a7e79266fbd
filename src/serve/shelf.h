// Shelf: the releases that are served, ready for questions. Public data only: it has no way to rows or ledgers.
//
// A shelf never changes. Replacing a release makes a new shelf and swaps one pointer; whoever holds the old one goes on
// with it, so every answer belongs wholly to one state of the disk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/query_engine.h"
#include "release/release.h"

namespace stopover {

struct ShelfRelease {
  std::string name;  // city.odr
  std::string content_sha256;
  std::string about;  // a JSON object: what GET /api/releases says of it
  QueryEngine engine;
};

struct Shelf {
  std::vector<std::shared_ptr<const ShelfRelease>> releases;
  std::string page;  // "" where the program has none

  // nullptr when there is none of that name; the first for "".
  const ShelfRelease* find(std::string_view name) const;
};

// The releases in memory. Fails (usage) on a name twice, else as explorer_page; a missing page is no failure.
// REQUIRES: as many names as releases, at least one; check_release passes for each.
Result<std::shared_ptr<const Shelf>> make_shelf(const std::vector<std::string>& names, const std::vector<Release>& releases);

// NAME.odr directories and the shelf they make.
class ShelfLoader {
 public:
  explicit ShelfLoader(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  // Fails as read_release.
  Result<std::shared_ptr<const Shelf>> load();
  // Whether a release was put in another's place since the last load() (or try to).
  bool stale() const;

 private:
  std::string state() const;

  std::vector<std::string> paths_;
  std::string loaded_;
};

}  // namespace stopover
