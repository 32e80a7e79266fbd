#include "cli/private_page.h"

#include <nlohmann/json.hpp>

#include "base/split.h"

namespace stopover {

std::string private_page(std::string_view text) {
  std::string page;
  for (const std::string& line : split(text, '\n')) {
    if (!page.empty()) page += '\n';
    page += line.empty() ? "private:" : "private: " + line;
  }
  return page;
}

std::string facts_json(const PrivateFacts& facts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, count] : facts) json[name] = count;
  return json.dump();
}

}  // namespace stopover
