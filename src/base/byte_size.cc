#include "base/byte_size.h"

#include <charconv>
#include <string_view>

namespace stopover {

Result<std::uint64_t> parse_bytes(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (failed != std::errc() || (unit != "MB" && unit != "GB") || number > kMegabyte) {
    return Error{Failure::usage, "`memory_limit` must be a size in MB or GB such as 4GB, not \"" + text + "\""};
  }
  return number * kMegabyte * (unit == "GB" ? 1000 : 1);
}

}  // namespace stopover
