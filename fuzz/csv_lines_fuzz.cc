// Any row is cut into fields or refused; fields that are quoted and joined are cut into the same fields again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "ingest/csv_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stopover;
  std::vector<std::string> fields;
  if (!split_csv({reinterpret_cast<const char*>(data), size}, fields)) return 0;
  std::string line;
  for (const std::string& field : fields) line += (&field == fields.data() ? "" : ",") + quote_csv(field);
  std::vector<std::string> again;
  STOPOVER_CHECK(split_csv(line, again), "what quote_csv wrote is refused");
  STOPOVER_CHECK(again == fields, "fields changed by being quoted");
  return 0;
}
