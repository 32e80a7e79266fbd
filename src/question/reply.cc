#include "question/reply.h"

#include <algorithm>
#include <array>

#include "base/nearest.h"
#include "base/usage_error.h"

namespace stopover {
namespace {

const std::array<std::string, 6> kAsks = {"count", "share", "top", "given", "matrix", "totals"};

}  // namespace

std::string_view to_string(Ask ask) { return kAsks[static_cast<std::size_t>(ask)]; }

Result<Ask> parse_ask(std::string_view text) {
  const auto found = std::find(kAsks.begin(), kAsks.end(), text);
  if (found != kAsks.end()) return static_cast<Ask>(found - kAsks.begin());
  return usage_error("\"ask\" is \"" + std::string(text) + "\"\n  It must be one of " + list_names(kAsks) + "." +
                     did_you_mean(text, kAsks));
}

}  // namespace stopover
