// A release of millions of boxes as a page can carry it: fewer, larger boxes, each with the sum of those it was divided
// into.
//
// An inner row of a table has a count of its own and the sum of its children's estimates, so leaving out whole families
// leaves a release that says the same more coarsely. Families are kept from the root down, those with most trips first:
// where many trips are, boxes stay small. Likely intervals were learned for the answers of the whole release, which are
// better than these, so they go; bounds and noise stay true.
#pragma once

#include <cstddef>
#include <optional>

#include "release/release.h"

namespace stopover {

// The most boxes (rows of table 0, inner ones too) of a release that a page carries whole; as many it carries of a
// larger one.
constexpr std::size_t kMostPageBoxes = 100'000;

// Nothing where there are no more than `most` rows, or no families to leave out (cells). check_release passes for it.
// REQUIRES: check_release passes for the release.
std::optional<Release> coarsened(const Release& release, std::size_t most = kMostPageBoxes);

}  // namespace stopover
