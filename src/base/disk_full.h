// Whether something could not be written for want of room. Decided here and nowhere else, so that a full disk is exit
// code 8 (Failure::disk_full) whoever meets it.
#pragma once

#include <string_view>

#include "base/result.h"

namespace stopover {

// By errno of a failed write: no space, no quota, or a limit on the size of files (RLIMIT_FSIZE).
bool is_disk_full(int code);
// By the first line of what DuckDB says. Only its errors of input and output count, and that its folder for what does
// not fit in memory cannot grow: no text in the data can look like a full disk.
bool is_disk_full(std::string_view duckdb_message);

// disk_full, or what it is called otherwise. DEFAULT: bad_input.
inline Failure write_failure(int code, Failure otherwise = Failure::bad_input) {
  return is_disk_full(code) ? Failure::disk_full : otherwise;
}

// What went wrong, told in other words than `cause`'s: but a full disk stays one, and an interrupt needs no other
// words.
inline Error passed_on(const Error& cause, Error told) {
  if (cause.failure == Failure::disk_full) told.failure = cause.failure;
  return cause.failure == Failure::interrupted ? cause : told;
}

}  // namespace stopover
