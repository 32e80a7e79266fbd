// The explorer's page of releases that were read from disk.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "page/page.h"
#include "release/release.h"

namespace stopover {

// "city.odr" of "some/where/city.odr/".
std::string release_title(const std::string& path);

// `superseded`: as PageRelease has it, one per release. Fails as explorer_page does. REQUIRES: as many paths and texts
// as releases, at least one.
Result<std::string> html_page(const std::vector<std::string>& paths, const std::vector<Release>& releases,
                              const std::vector<std::string>& superseded);

// For browsers that cannot run the page; "" where the stops are not maps.
std::string static_picture(const Release& release);

}  // namespace stopover
