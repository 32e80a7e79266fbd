// TimeZone: a zone's offsets from UTC, written out, so that they can be put into SQL. All engines then agree on them,
// whatever their own lists of zones say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "duck/duck.h"

namespace stopover {

class TimeZone {
 public:
  // UTC.
  TimeZone() = default;
  // "America/New_York"; fails (usage) on a name that is not in the time zone database.
  static Result<TimeZone> named(DuckSession& duck, const std::string& name);

  // Expressions over milliseconds, 1970 to 2099. A local time that comes twice is its first, one that is skipped counts
  // on with the offset before.
  std::string to_local(const std::string& utc_ms) const;
  std::string to_utc(const std::string& local_ms) const;
  // The first one of a number.
  std::int64_t local(std::int64_t utc_ms) const;

 private:
  struct Change {
    std::int64_t at_ms, offset_ms;  // from this moment (UTC) on
  };
  std::string offset(const std::string& ms, const std::vector<Change>& changes, std::size_t begin,
                     std::size_t end) const;
  std::vector<Change> changes_ = {{0, 0}};  // the first one's moment does not matter
};

}  // namespace stopover
