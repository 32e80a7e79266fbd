// Of which period a release is, as its parameters tell.
#pragma once

#include <optional>
#include <string>

#include "base/period.h"
#include "release/release.h"

namespace stopover {

// "2019-01", or "2019-01..2019-12" of one release of several; "" where it is of none.
inline std::string period_text(const Release& release) {
  for (const auto& [name, value] : release.params) {
    if (name == "period") return value;
  }
  return "";
}

// Nothing where it is of none, or of several in one.
inline std::optional<Period> period_of(const Release& release) { return parse_period(period_text(release)); }

}  // namespace stopover
