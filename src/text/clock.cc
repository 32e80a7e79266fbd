#include "text/clock.h"

#include <fmt/chrono.h>

#include <chrono>

namespace stopover {

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

}  // namespace stopover
