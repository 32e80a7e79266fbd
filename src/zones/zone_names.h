// What users call the columns and properties of a zone's id, the likeliest first.
#pragma once

#include <array>

namespace stopover {

inline constexpr std::array kIdNames = {
    "id",      "ID",      "zone_id",    "ZONE_ID",    "zone",         "ZONE",    "Zone",    "taz",   "TAZ",
    "TAZ_ID",  "taz_id",  "station_id", "STATION_ID", "stop_id",      "STOP_ID", "station", "GEOID", "geoid",
    "GEOID20", "GEOID10", "LocationID", "locationid", "h3",           "h3_cell", "h3_id",   "cell",  "code",
    "CODE",    "name",    "NAME",       "Name",       "station_name", "nhood"};

}  // namespace stopover
