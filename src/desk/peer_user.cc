#include "desk/peer_user.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace stopover {

bool belongs_to_another(std::string_view table, std::uint16_t from, std::uint16_t to, unsigned user) {
  const std::string local = fmt::format("0100007F:{:04X}", from), remote = fmt::format("0100007F:{:04X}", to);
  std::istringstream lines{std::string(table)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, own, other, state, queues, timer, retransmits;
    unsigned owner = 0;
    if (!(words >> number >> own >> other >> state >> queues >> timer >> retransmits >> owner)) continue;
    if (own == local && other == remote && state == "01") return owner != user;
  }
  return false;
}

bool belongs_to_another(std::uint16_t from, std::uint16_t to) {
  std::ifstream file("/proc/net/tcp");
  if (!file) return false;
  return belongs_to_another(std::string(std::istreambuf_iterator<char>(file), {}), from, to, ::getuid());
}

}  // namespace stopover
