// What the desk does, as one would type it: the command line and the Python of a job, made from the very fields that
// the job is given.
#pragma once

#include <string>
#include <string_view>

#include "geo/json_fwd.h"

namespace stopover {

struct ShownScript {
  std::string command_line, python;
};

// `job`: publish, rehearse, inspect, plan, export, explorer, card, verify, ledger. Of any other both are empty.
ShownScript shown_script(std::string_view job, const Json& fields);

}  // namespace stopover
