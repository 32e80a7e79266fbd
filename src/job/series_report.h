// What a series is, in words and as JSON.
#pragma once

#include <string>

#include "job/open_series.h"
#include "text/paper.h"

namespace stopover {

// {"series": PATH, "kind": "month", "releases": [{"period": "2019-01", "path": ..., "info": info_json of it}, ...],
// "notes": [...]}
std::string series_json(const OpenSeries& series);

// A line for each release, and what each of them promises.
std::string series_text(const OpenSeries& series, const Paper& paper);

}  // namespace stopover
