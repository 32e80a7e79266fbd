// Any text is refused or is a box inside the domain, in cells and in coordinates.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "query/box_query.h"

namespace {

void check_inside(const stopover::Domain& domain, const stopover::BoxQuery& query) {
  STOPOVER_CHECK(query.axes == domain.d(), "a box with other axes than the domain");
  for (std::size_t i = 0; i < query.axes; ++i) {
    STOPOVER_CHECK(query.lo[i] >= 0 && query.hi[i] <= static_cast<double>(domain.axis(i).cells), "a box sticks out");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stopover;
  static const Domain domain = *Domain::of_shape({32, 1, 1000, 7});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto box = parse_box(domain, text)) check_inside(domain, *box);
  if (const auto range = parse_range(domain, text)) check_inside(domain, *range);
  return 0;
}
