// CHECK(condition, message): an invariant that ends the process when broken, in every build type.
//
// For what can only be a mistake in this program. What a user can cause is a Result (result.h). The message must never
// hold a true count or a row: it goes to stderr.
#pragma once

namespace stopover {

// Prints `file:line: message` and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* message);

}  // namespace stopover

#define STOPOVER_CHECK(condition, message)                   \
  do {                                                       \
    if (!(condition)) [[unlikely]]                           \
      ::stopover::check_failed(__FILE__, __LINE__, message); \
  } while (false)
