// Requests as the server takes them: target, host, type and body, parted by newlines, on a shelf of two releases.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lines.h"
#include "release/sample_release.h"
#include "serve/respond.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stopover;
  static const std::shared_ptr<const Shelf> shelf =
      *make_shelf({"city.odr", "maps.odr"}, {sample::city(), sample::maps()});
  Lines lines(data, size);
  HttpRequest request;
  request.target = lines.next();
  request.host = lines.next();
  request.content_type = lines.next();
  request.body = lines.rest;
  for (const HttpMethod method : {HttpMethod::get, HttpMethod::post}) {
    request.method = method;
    const HttpReply reply = respond(*shelf, request, {});
    STOPOVER_CHECK(reply.status >= 200 && reply.status < 500 && !reply.body.empty(), "every request has its reply");
  }
  return 0;
}
