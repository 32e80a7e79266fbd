// What the desk is asked and what it replies, without a socket.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stopover {

enum class DeskMethod { get, post, other };

struct DeskRequest {
  DeskMethod method = DeskMethod::get;
  std::string_view target;  // path and query
  std::string_view host, origin, cookie, fetch_site, marker, content_type;
  std::string_view body;
};

struct DeskReply {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// The value of a name in the query part of a target, with %41 and + undone; "" where it is not there.
std::string query_value(std::string_view target, std::string_view name);
// The target without it.
std::string_view path_of(std::string_view target);

}  // namespace stopover
