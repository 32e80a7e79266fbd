// Any bytes as a packed release: refused, or a release that packs to the same bytes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "explore/release_pack.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stopover;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Result<Release> release = unpack_release(bytes);
  if (release) STOPOVER_CHECK(pack_release(*release) == bytes, "a pack is canonical");
  return 0;
}
