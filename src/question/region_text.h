// Regions as they are typed: circle:LAT,LON,KM and its likes, turned into the JSON that region.h reads.
//
//   circle:LAT,LON,KM      all within KM kilometres (also circle:lat=..,lon=..,km=..)
//   bbox:W,S,E,N           degrees
//   zone:NAME              an area of the zones
//   box:LO:HI,LO:HI        half-open cells of the stop's axes, in their order
//   cells:X/Y,X/Y,...      single cells (cells:X,X,... for a stop of one axis)
//   time:HH:MM-HH:MM,...   hours may exceed 24; 22:00-02:00 goes over midnight
//   category:A,B,...       labels of an axis
//   range:LO:HI            coordinates of the stop's one axis of numbers or time
//   anywhere
// (polygon:FILE is the command line's business: a file becomes {"polygon": its GeoJSON} there.)
#pragma once

#include <string_view>

#include "base/result.h"
#include "question/json.h"

namespace stopover {

// Fails (usage) naming the text.
Result<Json> region_of_text(std::string_view text);

}  // namespace stopover
