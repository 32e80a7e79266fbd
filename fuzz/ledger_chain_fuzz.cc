// Any bytes in place of a ledger are refused or are a chain whose sums are right.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "ledger/ledger_chain.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stopover;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto chain = read_chain(text, "fuzz.ledger")) {
    STOPOVER_CHECK(!chain->records.empty() && chain->spent <= chain->budget(), "more spent than there was");
    STOPOVER_CHECK(chain->reserved <= chain->spent, "more reserved than spent");
  }
  if (const auto head = parse_head(text)) {
    STOPOVER_CHECK(format_head(*head) == text, "a head that format_head does not write");
  }
  return 0;
}
