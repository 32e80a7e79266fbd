// Whose connection it is: every user of a machine can reach a port of 127.0.0.1.
#pragma once

#include <cstdint>
#include <string_view>

namespace stopover {

// Whether the connection from `from` to `to`, both ports of 127.0.0.1, belongs to another user than this process. False
// where the system does not tell (there is no /proc/net/tcp).
bool belongs_to_another(std::uint16_t from, std::uint16_t to);

// The same from the text of /proc/net/tcp; `user` is ours.
bool belongs_to_another(std::string_view table, std::uint16_t from, std::uint16_t to, unsigned user);

}  // namespace stopover
