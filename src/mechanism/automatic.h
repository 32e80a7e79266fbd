// What `--mechanism auto` picks, from public facts alone: the declared domain.
//
// One fixed choice per number of maps, or of tuples of zones, made on data that is not the data of the curator: nothing
// here looks at trips.
#pragma once

#include <string>

#include "domain/domain.h"
#include "mechanism/mechanism.h"

namespace stopover {

struct AutomaticChoice {
  const Mechanism* mechanism;
  std::string reason;  // one sentence, for the curator
};

AutomaticChoice choose_mechanism(const Domain& domain);

}  // namespace stopover
