// Rehearsal: what a publication would count and spend, without one. SECRET: it holds true counts, for the curator's
// eyes alone.
//
// Everything is checked that publish checks before it reserves (but witnesses), nothing is drawn, nothing is written:
// no ledger, no output, no head in the state folder. So what it says of the ledger holds until somebody else spends
// from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "publish/publish.h"

namespace stopover {

struct Rehearsal {
  struct Part {
    std::string name;         // "" where there is one
    std::uint64_t trips = 0;  // TRUE
    std::uint64_t cells = 0;  // TRUE: with a trip in them
  };
  std::vector<Part> parts;
  std::uint64_t trips = 0;  // of all parts
  bool new_ledger = false;
  Ticks budget = 0;  // of a series: for each period, as are the next two
  Ticks spent = 0;   // so far
  Ticks left = 0;    // after this publication
};

// `matrices` as for publish; of a series (a rule, and no periods yet) those of the first period, of the second, ...
Result<Rehearsal> rehearse(FileSystem& files, const PublishRequest& request, std::span<const Matrix> matrices);

}  // namespace stopover
