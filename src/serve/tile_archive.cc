#include "serve/tile_archive.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "serve/file_state.h"

namespace stopover {
namespace {

constexpr std::string_view kMake =
    "  Make one with pmtiles extract, planetiler or tippecanoe, or give none: coasts and borders are drawn without.";

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

double degrees(std::string_view bytes, std::size_t at) {
  return static_cast<double>(static_cast<std::int32_t>(static_cast<std::uint32_t>(little_endian(bytes, at, 4)))) / 1e7;
}

std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

bool read_all(int fd, const ByteRange& part, std::string& bytes) {
  bytes.resize(part.length);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(part.first + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

Result<TileArchiveHeader> parse_tile_archive_header(std::string_view bytes, std::uint64_t size,
                                                    const std::string& name) {
  const auto bad = [&](const std::string& what, std::string_view then) {
    return Error{Failure::bad_input, fmt::format("{} {}\n{}", name, what, then)};
  };
  constexpr std::string_view kConvert = "  Turn it into version 3: pmtiles convert OLD.pmtiles NEW.pmtiles";
  constexpr std::string_view kAgain = "  It seems to be cut off: copy or download it again.";
  if (!bytes.starts_with("PMTiles")) {
    if (bytes.starts_with("PM") && bytes.size() > 3 && bytes[2] >= 1 && bytes[2] <= 2)
      return bad("is a PMTiles file of an old version", kConvert);
    if (bytes.starts_with("SQLite format 3")) {
      return bad("is not a PMTiles file but an SQLite one, perhaps MBTiles",
                 "  Turn it into one: pmtiles convert IN.mbtiles OUT.pmtiles");
    }
    return bad("is not a PMTiles file", kMake);
  }
  if (bytes.size() > 7 && bytes[7] != 3)
    return bad(fmt::format("is PMTiles of version {}; only 3 is known",
                           static_cast<unsigned>(static_cast<unsigned char>(bytes[7]))),
               kConvert);
  if (bytes.size() < kTileArchiveHeader)
    return bad(fmt::format("ends within its header: {} bytes of {}", bytes.size(), kTileArchiveHeader), kAgain);
  constexpr std::pair<const char*, std::size_t> kParts[] = {
      {"root directory", 8}, {"metadata", 24}, {"leaf directories", 40}, {"tiles", 56}};
  for (const auto& [part, at] : kParts) {
    const std::uint64_t offset = little_endian(bytes, at, 8), length = little_endian(bytes, at + 8, 8);
    if (length > size || offset > size - length) {
      return bad(
          fmt::format("ends before its {}: it has {} bytes, they need {} from {} on", part, size, length, offset),
          kAgain);
    }
  }
  if (little_endian(bytes, 16, 8) == 0) return bad("has no directory", kAgain);

  TileArchiveHeader header;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[at])); };
  switch (byte(99)) {
    case 1:
      header.kind = TileKind::vector;
      break;
    case 2:
      header.kind = TileKind::png;
      break;
    case 3:
      header.kind = TileKind::jpeg;
      break;
    case 4:
      header.kind = TileKind::webp;
      break;
    default:
      return bad(fmt::format("has tiles of type {}, which the page cannot draw", byte(99)),
                 "  It draws vector tiles (MVT), PNG, JPEG and WebP.");
  }
  for (const std::size_t at : {97, 98}) {
    if (byte(at) > 2)
      return bad(fmt::format("has {} compressed by method {}, which browsers cannot undo",
                             at == 97 ? "directories" : "tiles", byte(at)),
                 "  Use gzip or none.");
  }
  header.min_zoom = byte(100);
  header.max_zoom = byte(101);
  if (header.min_zoom > header.max_zoom || header.max_zoom > 26) {
    return bad(fmt::format("has zooms from {} to {}", header.min_zoom, header.max_zoom), kMake);
  }
  header.west = degrees(bytes, 102);
  header.south = degrees(bytes, 106);
  header.east = degrees(bytes, 110);
  header.north = degrees(bytes, 114);
  return header;
}

Result<std::shared_ptr<const TileArchive>> TileArchive::open(const std::string& path) {
  const std::shared_ptr<TileArchive> made(new TileArchive);
  // A pipe must not keep us waiting until somebody writes to it.
  made->fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (made->fd_ < 0)
    return Error{Failure::bad_input, fmt::format("{} cannot be read: {}\n{}", path, std::strerror(errno), kMake)};
  struct stat s{};
  if (::fstat(made->fd_, &s) != 0 || !S_ISREG(s.st_mode)) {
    return Error{Failure::bad_input, fmt::format("{} is not a plain file\n{}", path, kMake)};
  }
  made->size_ = static_cast<std::uint64_t>(s.st_size);
  made->state_ = file_state(s);
  made->etag_ = fmt::format("\"{:016x}\"", hash(made->state_));
  std::string beginning;
  if (!read_all(made->fd_, {0, std::min<std::uint64_t>(kTileArchiveHeader, made->size_)}, beginning)) {
    return Error{Failure::bad_input, fmt::format("{} cannot be read", path)};
  }
  Result<TileArchiveHeader> header = parse_tile_archive_header(beginning, made->size_, path);
  if (!header) return header.error();
  made->header_ = *header;
  return std::shared_ptr<const TileArchive>(made);
}

TileArchive::~TileArchive() {
  if (fd_ >= 0) ::close(fd_);
}

bool TileArchive::read(const ByteRange& part, std::string& bytes) const {
  STOPOVER_CHECK(part.length <= size_ && part.first <= size_ - part.length, "a part lies in the file");
  struct stat s{};
  return read_all(fd_, part, bytes) && ::fstat(fd_, &s) == 0 && file_state(s) == state_;
}

}  // namespace stopover
