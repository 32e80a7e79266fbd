// Requests as the server takes them: target, host, type and body, parted by newlines, on a shelf of two releases.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "release/sample_release.h"
#include "serve/respond.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stopover;
  static const std::shared_ptr<const Shelf> shelf = *make_shelf({"city.odr", "maps.odr"}, {sample::city(), sample::maps()});
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto line = [&] {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view text = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return text;
  };
  HttpRequest request;
  request.target = line();
  request.host = line();
  request.content_type = line();
  request.body = rest;
  for (const HttpMethod method : {HttpMethod::get, HttpMethod::post}) {
    request.method = method;
    const HttpReply reply = respond(*shelf, request, {});
    STOPOVER_CHECK(reply.status >= 200 && reply.status < 500 && !reply.body.empty(), "every request has its reply");
  }
  return 0;
}
