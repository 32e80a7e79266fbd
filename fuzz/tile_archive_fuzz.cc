// Headers that ask for a part of the map tiles (Range, If-Match, If-None-Match, If-Range), parted by newlines, and the
// beginning of a file that may be one of tiles.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "lines.h"
#include "release/sample_release.h"
#include "serve/respond.h"
#include "serve/sample_archive.h"

namespace {

std::shared_ptr<const stopover::Shelf> shelf_with_tiles() {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("stopover-fuzz-" + std::to_string(::getpid()));
  std::ofstream(path, std::ios::binary) << stopover::sample::archive();
  const auto tiles = stopover::TileArchive::open(path.string());
  std::filesystem::remove(path);
  return *stopover::make_shelf({"grid.odr"}, {stopover::sample::grid(4)}, *tiles);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stopover;
  static const std::shared_ptr<const Shelf> shelf = shelf_with_tiles();
  static const std::string whole = sample::archive();
  Lines lines(data, size);
  HttpRequest request;
  request.target = "/basemap.pmtiles";
  request.host = "localhost";
  request.range = lines.next();
  request.if_match = lines.next();
  request.if_none_match = lines.next();
  request.if_range = lines.next();
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, ~std::uint64_t{0}}) {
    const std::optional<ByteRange> part = parse_byte_range(request.range, length);
    STOPOVER_CHECK(!part || (part->length > 0 && part->length <= length && part->first <= length - part->length),
                   "a part lies in its file");
  }
  for (const HttpMethod method : {HttpMethod::get, HttpMethod::head}) {
    request.method = method;
    HttpLimits limits;
    limits.part = 600;
    const HttpReply reply = respond(*shelf, request, limits);
    const bool known = reply.status == 206 || reply.status == 304 || reply.status == 412 || reply.status == 416 ||
                       (reply.status == 200 && method == HttpMethod::head);
    STOPOVER_CHECK(known, "every request has its reply");
    STOPOVER_CHECK(reply.status != 206 || (reply.body.size() <= 600 && whole.find(reply.body) != std::string::npos),
                   "a part is of the file");
  }
  const Result<TileArchiveHeader> header =
      parse_tile_archive_header(lines.rest.substr(0, kTileArchiveHeader), lines.rest.size(), "x");
  STOPOVER_CHECK(!header || header->max_zoom >= header->min_zoom, "zooms have an order");
  return 0;
}
