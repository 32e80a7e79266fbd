#include "job/private_page.h"

#include "base/split.h"
#include "text/paper.h"

namespace stopover {
namespace {

constexpr std::size_t kTextWidth = 80 - 9;  // beside the mark

}  // namespace

std::string private_page(std::string_view text) {
  std::string page;
  const auto add = [&](const std::string& line) {
    if (!page.empty()) page += '\n';
    page += line.empty() ? "private:" : "private: " + line;
  };
  for (const std::string& line : split(text, '\n')) {
    if (line.size() <= kTextWidth) {
      add(line);
    } else {
      for (const std::string& part : split(wrapped(line, kTextWidth, 2), '\n')) add(part);
    }
  }
  return page;
}

}  // namespace stopover
