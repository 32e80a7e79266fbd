#include "serve/respond.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "question/question_json.h"
#include "question/series_json.h"
#include "serve/openapi.h"

namespace stopover {
namespace {

constexpr const char* kTileType = "application/vnd.pmtiles";

HttpReply refused(int status, std::string_view words, std::string_view route = "other") {
  return {status, "application/json", fmt::format("{{\"error\":{{\"message\":\"{}\"}}}}\n", words), route};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(16 * high + low);
    i += 2;
  }
  return out;
}

// What stands in a query text: the release, and one to compare it with.
struct Parameters {
  std::string release;
  std::optional<std::string> compare;
};

// Nothing when another name or a bad escape stands there.
std::optional<Parameters> parameters_of(std::string_view query) {
  constexpr std::string_view kRelease = "release=", kCompare = "compare=";
  Parameters found;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view part = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const bool release = part.starts_with(kRelease);
    if (!release && !part.starts_with(kCompare)) return std::nullopt;
    std::optional<std::string> value = percent_decoded(part.substr((release ? kRelease : kCompare).size()));
    if (!value) return std::nullopt;
    if (release) {
      found.release = std::move(*value);
    } else {
      found.compare = std::move(value);
    }
  }
  return found;
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// With the names that there are: never what came.
HttpReply no_such_release(const Shelf& shelf) {
  std::string names;
  for (const auto& release : shelf.releases) names += (names.empty() ? "" : ", ") + release->name;
  return {404, "application/json",
          fmt::format("{{\"error\":{{\"message\":{}}}}}\n", quoted("no such release; there are " + names)), "query"};
}

bool known_host(std::string_view host, const std::vector<std::string>& hosts) {
  if (hosts.empty()) return true;
  const std::size_t bracket = host.find(']');
  const std::size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const std::string_view name = host.substr(0, colon);
  return std::find(hosts.begin(), hosts.end(), name) != hosts.end();
}

// Why a question is not even read; nothing where it is.
std::optional<HttpReply> unread(const HttpRequest& request, const HttpLimits& limits, std::string_view route) {
  const std::string_view type = request.content_type.substr(0, request.content_type.find(';'));
  if (type != "application/json") return refused(415, "send the question as application/json", route);
  if (request.body.size() > limits.body) return refused(413, "the question is too long", route);
  if (json_depth(request.body, limits.depth) > limits.depth)
    return refused(400, "the question is nested too deeply", route);
  return std::nullopt;
}

HttpReply failed(const Error& error, std::string_view route) {
  return {error.failure == Failure::interrupted ? 422 : 400, "application/json", json_of(error) + "\n", route};
}

// Its files are no longer those that the shelf was made of; the server will have noticed in a second or two.
HttpReply replaced(std::string_view route) {
  return refused(503, "the release is being replaced; ask again in a moment", route);
}

// A question to all releases of a period, as one series.
HttpReply ask_all(const Shelf& shelf, const HttpRequest& request, const HttpLimits& limits, const Patience& patience) {
  if (std::optional<HttpReply> reply = unread(request, limits, "series")) return *std::move(reply);
  if (shelf.members().empty()) return refused(404, "no series is served: one release of each period", "series");
  const Result<SeriesQuestion> question = series_question_of_json(request.body, patience);
  if (!question) return failed(question.error(), "series");
  const Result<ShelfSeries> series = shelf.series();
  if (!series) return replaced("series");
  const Result<SeriesReply> reply = ask_series(series->engines, *question, patience);
  if (!reply) return failed(reply.error(), "series");
  nlohmann::ordered_json of = nlohmann::ordered_json::array();
  for (const ShelfRelease* one : series->releases) {
    of.push_back({{"period", one->period->name()}, {"release", one->name}, {"content_sha256", one->content_sha256}});
  }
  return {200, "application/json",
          fmt::format("{{\"releases\":{},\"answer\":{}}}\n",
                      of.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), json_of(*reply)),
          "series"};
}

HttpReply query(const Shelf& shelf, const HttpRequest& request, std::string_view parameters, const HttpLimits& limits,
                const Patience& patience) {
  if (std::optional<HttpReply> reply = unread(request, limits, "query")) return *std::move(reply);
  const std::optional<Parameters> named = parameters_of(parameters);
  const ShelfRelease* release = named ? shelf.find(named->release) : nullptr;
  const ShelfRelease* other = named && named->compare ? shelf.find(*named->compare) : nullptr;
  if (release == nullptr || (named->compare && other == nullptr)) return no_such_release(shelf);
  const Result<EngineStore::Engine> engine = release->engine();
  if (!engine) return replaced("query");
  const Result<EngineStore::Engine> second = other == nullptr ? engine : other->engine();
  if (!second) return replaced("query");
  const Result<std::string> reply =
      ask_question(**engine, request.body, other == nullptr ? nullptr : second->get(), patience);
  if (!reply) return failed(reply.error(), "query");
  const std::string compared = other == nullptr
                                   ? ""
                                   : fmt::format("\"compare\":{{\"release\":{},\"content_sha256\":\"{}\"}},",
                                                 quoted(other->name), other->content_sha256);
  return {200, "application/json",
          fmt::format("{{\"release\":{},\"content_sha256\":\"{}\",{}\"answer\":{}}}\n", quoted(release->name),
                      release->content_sha256, compared, *reply),
          "query"};
}

// Whether a list of entity tags, as in If-Match, has this one.
bool lists(std::string_view tags, std::string_view tag, bool weak) {
  while (!tags.empty()) {
    const std::size_t end = std::min(tags.find(','), tags.size());
    std::string_view one = tags.substr(0, end);
    tags.remove_prefix(std::min(end + 1, tags.size()));
    while (!one.empty() && (one.front() == ' ' || one.front() == '\t')) one.remove_prefix(1);
    while (!one.empty() && (one.back() == ' ' || one.back() == '\t')) one.remove_suffix(1);
    if (weak && one.starts_with("W/")) one.remove_prefix(2);
    if (one == "*" || one == tag) return true;
  }
  return false;
}

HttpReply tiles(const TileArchive& archive, const HttpRequest& request, const HttpLimits& limits) {
  const auto with_tag = [&](HttpReply reply) {
    reply.headers.emplace_back("ETag", archive.etag());
    reply.headers.emplace_back("Accept-Ranges", "bytes");
    return reply;
  };
  const auto changed = [&] { return with_tag(refused(412, "the basemap is another one now", "basemap")); };
  const auto out_of_range = [&](std::string_view words) {
    HttpReply reply = with_tag(refused(416, words, "basemap"));
    reply.headers.emplace_back("Content-Range", fmt::format("bytes */{}", archive.size()));
    return reply;
  };
  if (!request.if_match.empty() && !lists(request.if_match, archive.etag(), false)) return changed();
  if (!request.if_none_match.empty() && lists(request.if_none_match, archive.etag(), true))
    return with_tag({304, kTileType, "", "basemap"});
  if (request.method == HttpMethod::head) {
    HttpReply reply = with_tag({200, kTileType, "", "basemap"});
    reply.length = archive.size();
    return reply;
  }
  const bool other = !request.if_range.empty() && request.if_range != archive.etag();
  const bool whole = request.range.empty() || other;
  if (whole && archive.size() > limits.part)
    return other ? changed() : out_of_range("ask for a part of the basemap, by Range");
  const std::optional<ByteRange> part =
      whole ? ByteRange{0, archive.size()} : parse_byte_range(request.range, archive.size());
  if (!part) return out_of_range("the basemap has no such part");
  if (part->length > limits.part) return out_of_range("ask for a shorter part of the basemap");
  std::string bytes;
  if (!archive.read(*part, bytes)) return changed();
  HttpReply reply = with_tag({whole ? 200 : 206, kTileType, std::move(bytes), "basemap"});
  if (!whole)
    reply.headers.emplace_back(
        "Content-Range", fmt::format("bytes {}-{}/{}", part->first, part->first + part->length - 1, archive.size()));
  return reply;
}

// What there is, for whoever comes without the guide.
std::string api_index(const Shelf& shelf) {
  nlohmann::ordered_json routes = {
      {{"method", "GET"}, {"path", "/api"}, {"gives", "this list"}},
      {{"method", "GET"}, {"path", "/api/openapi.json"}, {"gives", "the same for programs, as OpenAPI 3.1"}},
      {{"method", "GET"}, {"path", "/api/releases"}, {"gives", "the releases and what they promise"}},
      {{"method", "POST"},
       {"path", "/api/query?release=NAME&compare=NAME"},
       {"takes", "a question, application/json"},
       {"gives", "its answer; of the first release unless one is named"}},
      {{"method", "GET"}, {"path", "/health"}, {"gives", "that the server is there"}}};
  if (!shelf.members().empty()) {
    routes.push_back({{"method", "POST"},
                      {"path", "/api/series"},
                      {"takes", "a question to a series, application/json"},
                      {"gives", "its answer over all releases of a period"}});
  }
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const auto& release : shelf.releases) names.push_back(release->name);
  const nlohmann::ordered_json all = {{"routes", routes}, {"releases", names}};
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string release_list(const Shelf& shelf) {
  std::string text = "[";
  for (const auto& release : shelf.releases) text.append(text.size() > 1 ? "," : "").append(release->about);
  return text + "]\n";
}

}  // namespace

std::size_t json_depth(std::string_view text, std::size_t most) {
  std::size_t depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size() && deepest <= most; ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

bool may_take_long(const HttpRequest& request) {
  constexpr std::size_t kLong = 32 * 1024;
  if (request.method == HttpMethod::post && request.target.starts_with("/api/series")) return true;
  return request.method == HttpMethod::post && request.target.starts_with("/api/query") &&
         (request.body.size() > kLong || request.body.find("\"ask\"") != std::string_view::npos);
}

namespace {

// The origin that a reply may be read by; "" where it is none of those that were named.
std::string_view allowed_origin(const HttpRequest& request, const HttpLimits& limits) {
  if (request.origin.empty()) return {};
  for (const std::string& origin : limits.origins) {
    if (origin == "*" || origin == request.origin) return origin;
  }
  return {};
}

std::string_view path_of(const HttpRequest& request) {
  return request.target.substr(0, std::min(request.target.find('?'), request.target.size()));
}

HttpReply respond_to(const Shelf& shelf, const HttpRequest& request, const HttpLimits& limits,
                     const Patience& patience) {
  if (!known_host(request.host, limits.hosts)) return refused(421, "this server does not answer under that name");
  const std::size_t mark = std::min(request.target.find('?'), request.target.size());
  const std::string_view path = path_of(request);
  const std::string_view parameters = request.target.substr(std::min(mark + 1, request.target.size()));
  const bool reads = request.method == HttpMethod::get || request.method == HttpMethod::head;
  if (path == "/api/query") {
    if (request.method != HttpMethod::post) return refused(405, "questions are sent by POST", "query");
    return query(shelf, request, parameters, limits, patience);
  }
  if (path == "/api/series") {
    if (request.method != HttpMethod::post) return refused(405, "questions are sent by POST", "series");
    return ask_all(shelf, request, limits, patience);
  }
  const bool asks_tiles = path == "/basemap.pmtiles" && shelf.tiles != nullptr;
  if (path != "/" && path != "/api" && path != "/api/openapi.json" && path != "/api/releases" && path != "/health" &&
      !asks_tiles)
    return refused(404, "nothing here");
  if (!reads) return refused(405, "this is read by GET");
  if (asks_tiles) return tiles(*shelf.tiles, request, limits);
  if (path == "/health") return {200, "application/json", "{\"status\":\"ok\"}\n", "health"};
  if (path == "/api") return {200, "application/json", api_index(shelf), "api"};
  if (path == "/api/openapi.json") return {200, "application/json", openapi_text(), "api"};
  if (path == "/api/releases") return {200, "application/json", release_list(shelf), "releases"};
  if (shelf.page.empty()) return refused(404, "this program was built without the explorer's page", "page");
  return {200, "text/html; charset=utf-8", shelf.page, "page"};
}

}  // namespace

HttpReply respond(const Shelf& shelf, const HttpRequest& request, const HttpLimits& limits, const Patience& patience) {
  const std::string_view path = path_of(request);
  const bool api = path == "/api" || path.starts_with("/api/");
  const std::string_view origin = api ? allowed_origin(request, limits) : std::string_view();
  // What a browser asks before it sends a question for another page.
  const bool asks_first =
      request.method == HttpMethod::options && !origin.empty() && known_host(request.host, limits.hosts);
  HttpReply reply =
      asks_first ? HttpReply{204, "application/json", "", "api"} : respond_to(shelf, request, limits, patience);
  if (asks_first) {
    reply.headers.emplace_back("Access-Control-Allow-Methods", "GET, POST");
    reply.headers.emplace_back("Access-Control-Allow-Headers", "Content-Type");
    reply.headers.emplace_back("Access-Control-Max-Age", "600");
  }
  if (!origin.empty()) reply.headers.emplace_back("Access-Control-Allow-Origin", origin);
  if (api && !limits.origins.empty()) reply.headers.emplace_back("Vary", "Origin");
  return reply;
}

}  // namespace stopover
