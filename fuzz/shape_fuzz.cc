// Any text is refused or is a shape that survives being written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "domain/domain.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stopover;
  const auto shape = Domain::parse_shape({reinterpret_cast<const char*>(data), size});
  if (!shape) return 0;
  const auto domain = Domain::of_shape(*shape);
  if (!domain) return 0;
  const auto again = Domain::parse_shape(domain->shape_text());
  STOPOVER_CHECK(again && *again == *shape, "a shape changed by being written");
  return 0;
}
