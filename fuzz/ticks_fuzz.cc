// Any text is refused or is a budget that survives being written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/ticks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stopover;
  const auto ticks = parse_epsilon({reinterpret_cast<const char*>(data), size});
  if (!ticks) return 0;
  STOPOVER_CHECK(*ticks > 0 && *ticks <= kMaxTicks, "a budget out of range was accepted");
  const auto again = parse_epsilon(format_epsilon(*ticks));
  STOPOVER_CHECK(again && *again == *ticks, "a budget changed by being written");
  return 0;
}
