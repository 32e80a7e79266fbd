#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace stopover {

void check_failed(const char* file, int line, const char* message) {
  std::fprintf(stderr, "stopover: broken invariant at %s:%d: %s\n", file, line, message);
  std::abort();
}

}  // namespace stopover
