// Regions as they are typed: circle:LAT,LNG,KM and its likes, the same on the command line, in a question's JSON, in
// Python and in the page's address. What follows "kind:" is in the kind's row (region_kind.h); "anywhere" is the whole
// stop.
//
//   polygon:LNG LAT,LNG LAT,...   one ring; the last point joins the first, which may stand there again
//   zone:A|zone:B                 in one of them
//   zone:A & time:07:00-09:00     in both
//   zone:A - circle:37.8,-122.4,1 in the first and not in the second
//
// & and - bind alike, from the left, and closer than |; brackets say otherwise. Spaces around them do not matter. A
// name may hold the same letters: they join only where a region or a bracket follows.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "question/patience.h"
#include "question/region.h"

namespace stopover {

// Where polygon: is followed by something else than points it names a file, for whoever has files: the area that is in
// it, or why there is none.
using AreaFile = std::function<Result<Shape>(const std::string& path)>;

// Fails (usage) naming the text; as `file` does; (bad_input) where a polygon crosses itself. Without `file` a file is
// refused.
Result<RegionTree> region_of_text(std::string_view text, const Patience& patience = {}, const AreaFile& file = nullptr);

// "zone:A > zone:B": regions one after the other. Fails as region_of_text does.
Result<std::vector<RegionTree>> regions_in_order(std::string_view text, const Patience& patience = {},
                                                 const AreaFile& file = nullptr);

// As it is typed, with at most 12 significant digits. An area of more than one ring, which cannot be typed, is
// "polygon:..." .
std::string text_of(const RegionTree& region);

}  // namespace stopover
