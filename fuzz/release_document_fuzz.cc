// Any bytes in place of release.json are refused or are exactly what the document is written as.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "release_io/release_document.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stopover;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = decode_document(text);
  if (!document) return 0;
  const auto again = encode_document(*document);
  STOPOVER_CHECK(again && *again == text, "a document that is not written as it was read");
  return 0;
}
