// UnitSpec: who is protected, as far as it was said.
#pragma once

#include <cstdint>
#include <optional>

#include "base/period.h"
#include "base/result.h"
#include "job/field_values.h"
#include "release/release.h"

namespace stopover {

struct UnitSpec {
  std::optional<Unit> unit;                         // unset: nobody said
  std::optional<std::uint32_t> max_trips_per_user;  // K; with unit user
  // Unit user: all that a person does in one period ("user-month"), with K trips in each; unset: all that is published.
  std::optional<PeriodKind> per = std::nullopt;

  // Whether the two go together: unit user has a bound, unit trip none; `why` says what the bound is for. Fails
  // (usage).
  Status check(std::string_view why) const;
  // As the kernel takes it: K trips of one unit. REQUIRES: check().
  std::uint32_t k() const { return max_trips_per_user.value_or(1); }
};

// Fields unit and max_trips_per_user.
void read_unit(FieldReader& fields, UnitSpec& spec);

}  // namespace stopover
