#include "job/unit_spec.h"

#include <fmt/format.h>

#include "base/usage_error.h"

namespace stopover {

Status UnitSpec::check(std::string_view why) const {
  if (unit.value_or(Unit::trip) == Unit::trip) {
    if (!max_trips_per_user) return {};
    return usage_error(
        "`max_trips_per_user` goes with `unit user`\n  With `unit trip` one trip is protected, not a person.");
  }
  if (max_trips_per_user) return {};
  return usage_error(fmt::format("`unit user` needs `max_trips_per_user`\n  {}", why));
}

void read_unit(FieldReader& fields, UnitSpec& spec) {
  fields.parsed("unit", spec.unit, [&](const std::string& text) -> Result<Unit> {
    constexpr std::string_view kUser = "user-";
    if (text.starts_with(kUser) && (spec.per = parse_period_kind(text.substr(kUser.size())))) return Unit::user;
    const Result<Unit> unit = parse_unit(text);
    if (unit) return *unit;
    return usage_error(fmt::format(
        "`unit` must be user (a person), user-day, user-week, user-month, user-quarter or trip, not \"{}\"", text));
  });
  fields.whole("max_trips_per_user", spec.max_trips_per_user, 1, 1'000'000);
}

}  // namespace stopover
