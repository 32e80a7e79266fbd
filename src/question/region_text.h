// Regions as they are typed: circle:LAT,LNG,KM and its likes, the same on the command line, in a question's JSON, in
// Python and in the page's address. What follows "kind:" is in the kind's row (region_kind.h); "anywhere" is the whole
// stop.
//
//   polygon:LNG LAT,LNG LAT,...   one ring; the last point joins the first, which may stand there again
#pragma once

#include <functional>
#include <string>
#include <string_view>

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

// A leaf as it is typed, with at most 12 significant digits; parts of an all_of are joined by " and ", of an any_of by
// " or ". An area of more than one ring, which cannot be typed, is "polygon:..." .
std::string text_of(const RegionTree& region);

}  // namespace stopover
