// The explorer: one HTML text that shows releases and answers questions about them in any browser, from disk, without a
// network. Everything is inside: the packed releases, the query engine as WebAssembly, the script, the style.
//
//   Result<std::string> html = explorer_page({{"city.odr", *release}}, picture);
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "release/release.h"

namespace stopover {

struct PageRelease {
  std::string name;  // as it is shown
  const Release* release = nullptr;
  std::string superseded = {};  // "superseded on ... by ...: why", for after "it was"; "" where it stands
};

// What the page has of one release: all that is needed of it, much smaller.
struct PagePart {
  std::string name;
  std::string superseded;
  std::string not_private;  // why it protects nobody; "" where it does
  std::string about;        // what the page says of it, as JSON
  std::string pack;         // what it answers from, as base64
  Domain domain;
};

// Fails (bad_input) for a release that cannot be asked about boxes. REQUIRES: check_release passes.
Result<PagePart> page_part(const PageRelease& release);
// The page of finished parts. REQUIRES: at least one.
Result<std::string> explorer_page(std::span<const PagePart> parts, const std::string& picture, bool tiles);

// A release of more than kMostPageBoxes boxes is carried coarsened, and the page says so. `picture`: an SVG for
// browsers that cannot run the page; may be empty. `tiles`: the page draws the map tiles that its server has under
// basemap.pmtiles, beside it; only then may it load anything, and only from there. Fails (internal) where the program
// was built without the page, (bad_input) for a release that cannot be asked about boxes. REQUIRES: at least one
// release; check_release passes for each.
Result<std::string> explorer_page(std::span<const PageRelease> releases, const std::string& picture,
                                  bool tiles = false);

// What the page draws around the places of a release, as JSON: "land" (closed rings) and "borders" (lines), longitude
// and latitude in turn in ten-thousandths of a degree, the first pair as it is and then steps; "places" (name,
// longitude, latitude). "null" where there is nothing to draw.
std::string ground_text(const Release& release);

}  // namespace stopover
