// TileArchive: one PMTiles file (version 3) that is handed out in parts, as the map under the releases.
//
// The file is opened once and held: one that is put in its place (renamed over it) is not seen until it is opened anew,
// and bytes that were written over it are not handed out. So all parts with the same etag() come from the same file.
//
//   Result<std::shared_ptr<const TileArchive>> tiles = TileArchive::open("city.pmtiles");
//   std::string bytes;
//   if ((*tiles)->read({0, 16384}, bytes)) ...
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "serve/byte_range.h"

namespace stopover {

enum class TileKind { vector, png, jpeg, webp };

struct TileArchiveHeader {
  TileKind kind = TileKind::vector;
  unsigned min_zoom = 0, max_zoom = 0;
  double west = 0, south = 0, east = 0, north = 0;  // degrees, as the file says; all 0 where it does not say
};

// The beginning of a file of `size` bytes. Fails (bad_input, `name` in the message) where it is not a PMTiles 3 that
// the page can draw, or has parts beyond the file's end.
constexpr std::size_t kTileArchiveHeader = 127;
Result<TileArchiveHeader> parse_tile_archive_header(std::string_view bytes, std::uint64_t size,
                                                    const std::string& name);

class TileArchive {
 public:
  // Fails (bad_input) on what cannot be read, is not a plain file, or as parse_tile_archive_header.
  static Result<std::shared_ptr<const TileArchive>> open(const std::string& path);
  ~TileArchive();
  TileArchive(const TileArchive&) = delete;
  TileArchive& operator=(const TileArchive&) = delete;

  const TileArchiveHeader& header() const { return header_; }
  std::uint64_t size() const { return size_; }
  // With its quotes, as in an ETag header; another one for every file and every change of it.
  const std::string& etag() const { return etag_; }

  // Exactly that part; false if the file was changed since it was opened. REQUIRES: the part lies in the file.
  bool read(const ByteRange& part, std::string& bytes) const;

 private:
  TileArchive() = default;

  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::string state_, etag_;
  TileArchiveHeader header_;
};

}  // namespace stopover
