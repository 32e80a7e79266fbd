// Which fields of a job the page may fill in, and that every path among them is one of the desk's folders.
#pragma once

#include <string>

#include "base/result.h"
#include "desk/folders.h"
#include "geo/json_fwd.h"

namespace stopover {

// The fields with their paths made whole. Fails (usage) on a job or field that the page cannot have, (privacy) on a
// path outside the folders, and on `sql` where it was not allowed.
Result<Json> checked_fields(const std::string& job, const Json& fields, const Folders& folders, bool allow_sql);

}  // namespace stopover
