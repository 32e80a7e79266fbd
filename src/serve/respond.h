// What the server says to a request: a function of the shelf and the request's bytes, without sockets or clocks.
//
//   GET  /               the explorer's page, all releases in it
//   GET  /api            what there is: {"routes": [...], "releases": [NAME, ...]}
//   GET  /api/openapi.json   the same for programs: OpenAPI 3.1 (serve/openapi.h)
//   GET  /api/releases   [{"name": ..., "epsilon": ..., "guarantee": ..., "stops": ..., ...}, ...]
//   POST /api/query      a question as `stopover query --spec` takes it; ?release=NAME picks one, else the first;
//                        &compare=NAME asks another one, too. {"release": NAME, "content_sha256": ..., "answer": ...}
//   POST /api/series     a question to all releases of a period, as one series (question/series_json.h); where there
//                        are some. {"releases": [{"period": ..., "release": NAME, ...}, ...], "answer": ...}
//   GET  /health         {"status": "ok"}
//   GET  /basemap.pmtiles   the shelf's tiles, where it has some: one part of at most HttpLimits::part bytes, by Range.
//                        Everything has an ETag; If-Match, If-None-Match and If-Range are heeded.
//
// A question that cannot be answered gets 400 and {"error": {"code": ..., "message": ...}} with the reason, as the
// command line says it, and 422 where answering would take too long; everything else that is wrong gets a constant
// text. Pages of other origins may read /api where HttpLimits::origins names them; nowhere else, and by default none.
// Paths are compared, never opened; the one file that is read is the shelf's, which is open already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "question/patience.h"
#include "serve/shelf.h"

namespace stopover {

enum class HttpMethod { get, head, post, options, other };

struct HttpRequest {
  HttpMethod method = HttpMethod::get;
  std::string_view target;        // "/api/query?release=city.odr", as it came
  std::string_view host;          // the Host header
  std::string_view content_type;  // the Content-Type header
  std::string_view body;
  std::string_view origin = {};                                                   // the Origin header
  std::string_view range = {}, if_match = {}, if_none_match = {}, if_range = {};  // headers, "" where there is none
};

struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::string_view route = "other";                               // for the log: which of the above, never what came
  std::vector<std::pair<const char*, std::string>> headers = {};  // besides those of every reply
  std::optional<std::uint64_t> length = {};  // of the body that GET would have got, where `body` is not it
};

struct HttpLimits {
  std::size_t body = std::size_t{4} << 20;      // bytes
  std::size_t depth = 32;                       // of brackets within brackets
  std::uint64_t part = std::uint64_t{8} << 20;  // bytes of a file at once
  // The Host headers that are answered, without port: a page elsewhere must not reach the server under a name of its
  // own. Empty: any.
  std::vector<std::string> hosts = {"localhost", "127.0.0.1", "[::1]"};
  std::vector<std::string> origins = {};  // whose pages may read /api: "https://example.org"; "*": any
};

HttpReply respond(const Shelf& shelf, const HttpRequest& request, const HttpLimits& limits,
                  const Patience& patience = {});

// Whether answering may take longer than a moment: tables, and questions as long as a file of zones. A guess from a
// look at the text that is right for every question as people write it.
bool may_take_long(const HttpRequest& request);

// How deep brackets stand within brackets, outside of strings; no more than `most` + 1 is counted.
std::size_t json_depth(std::string_view text, std::size_t most);

}  // namespace stopover
