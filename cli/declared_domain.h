// The domain as it is declared on the command line. Nothing of it is ever taken from the data.
#pragma once

#include <string>

#include "base/result.h"
#include "domain/domain.h"

namespace stopover {

struct DomainFlags {
  std::string shape;  // 1000x1000x1000x1000
  std::string stops;  // origin,destination: the axes in equal groups; empty: every axis is a stop
  std::string bbox;   // W,S,E,N: each stop is a longitude and a latitude; empty: plain cells
};

// Fails (privacy) where something is missing or to be inferred ("auto"), (usage) on a bad value.
Result<Domain> declared_domain(const DomainFlags& flags);

}  // namespace stopover
