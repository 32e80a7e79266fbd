#include "ingest/packed_bytes.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "ingest/file_signature.h"

namespace stopover {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;

enum class Packing { none, gzip, zstd };

Error unreadable(const std::string& path, std::string_view reason) {
  return {Failure::bad_input, fmt::format("cannot read {}\n  {}", path, reason)};
}

Error damaged(const std::string& path, std::string_view reason) {
  return unreadable(path, fmt::format("The file is damaged or cut: {}. Copy or pack it again.", reason));
}

std::string_view unpacked_name(std::string_view path) { return path.substr(0, path.rfind('.')); }

// What is wrong with the name, if anything.
Status check_name(const std::string& path, Packing packing, std::string_view first, bool rows_from_the_start) {
  const FileSignature is = signature_of(first);
  if (packing == Packing::none) {
    if (is == FileSignature::none || rows_from_the_start) return {};
    const bool packed = is == FileSignature::gzip || is == FileSignature::zstd;
    return unreadable(path, packed ? fmt::format("It is {}, though its name does not say so. Rename it {}.{}",
                                                 to_string(is), path, is == FileSignature::gzip ? "gz" : "zst")
                                   : fmt::format("It is {}, not text, whatever its name says.", to_string(is)));
  }
  const std::string_view wanted = packing == Packing::gzip ? "gzip" : "zstd";
  const bool skippable = packing == Packing::zstd && first.size() >= 4 && (first[0] & 0xF0) == 0x50 &&
                         first.substr(1, 3) == "\x2a\x4d\x18";
  if (first.empty()) return damaged(path, fmt::format("it is empty, and so no {} file", wanted));
  if (to_string(is) == wanted || skippable || (first.size() < 2 && first[0] == '\x1f')) return {};
  return unreadable(path, is == FileSignature::none
                              ? fmt::format("It is not {}, though its name says so. If it is plain text, rename it {}",
                                            wanted, unpacked_name(path))
                              : fmt::format("It is {}, not {}, whatever its name says.", to_string(is), wanted));
}

}  // namespace

struct PackedBytes::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (file != nullptr) std::fclose(file);
    if (packing == Packing::gzip) inflateEnd(&gzip);
    ZSTD_freeDStream(zstd);
  }

  std::string path;
  Packing packing = Packing::none;
  std::FILE* file = nullptr;
  std::vector<char> chunk = std::vector<char>(kChunk);
  std::size_t at = 0, end = 0;  // of the chunk
  z_stream gzip{};
  ZSTD_DStream* zstd = nullptr;
  bool inside = false;   // a packed part has begun and not ended
  bool between = false;  // at least one has ended
  bool full = false;     // the last answer filled its place: more of it may wait without more bytes of the file
};

void PackedBytes::Close::operator()(State* state) const { delete state; }

Result<PackedBytes> PackedBytes::open(const std::string& path, bool rows_from_the_start) {
  struct stat facts{};
  if (stat(path.c_str(), &facts) != 0) return unreadable(path, std::strerror(errno));
  if (S_ISDIR(facts.st_mode)) return unreadable(path, "It is a folder, not a file.");
  PackedBytes bytes;
  bytes.state_.reset(new State);
  State& s = *bytes.state_;
  s.path = path;
  s.file = std::fopen(path.c_str(), "rb");
  if (s.file == nullptr) return unreadable(path, std::strerror(errno));
  const Packing packing = path.ends_with(".gz")    ? Packing::gzip
                          : path.ends_with(".zst") ? Packing::zstd
                                                   : Packing::none;
  if (Result<bool> more = bytes.fill(); !more) return more.error();
  if (Status named = check_name(path, packing, {s.chunk.data(), s.end}, rows_from_the_start); !named)
    return named.error();
  constexpr int kGzipOnly = 16;
  if (packing == Packing::gzip && inflateInit2(&s.gzip, kGzipOnly + MAX_WBITS) != Z_OK)
    return unreadable(path, "Out of memory.");
  s.packing = packing;
  if (packing == Packing::zstd && (s.zstd = ZSTD_createDStream()) == nullptr) return unreadable(path, "Out of memory.");
  return bytes;
}

Result<bool> PackedBytes::fill() {
  State& s = *state_;
  s.at = 0;
  s.end = std::fread(s.chunk.data(), 1, s.chunk.size(), s.file);
  if (std::ferror(s.file) != 0) return unreadable(s.path, std::strerror(errno));
  return s.end > 0;
}

Result<std::size_t> PackedBytes::read(char* into, std::size_t most) {
  State& s = *state_;
  if (s.packing == Packing::gzip) return read_gzip(into, most);
  if (s.packing == Packing::zstd) return read_zstd(into, most);
  if (s.at == s.end) {
    if (Result<bool> more = fill(); !more) return more.error();
  }
  const std::size_t got = std::min(most, s.end - s.at);
  std::memcpy(into, s.chunk.data() + s.at, got);
  s.at += got;
  return got;
}

Result<std::size_t> PackedBytes::read_gzip(char* into, std::size_t most) {
  State& s = *state_;
  s.gzip.next_out = reinterpret_cast<Bytef*>(into);
  s.gzip.avail_out = static_cast<uInt>(most);
  while (s.gzip.avail_out == most) {
    if (s.at == s.end && !(std::exchange(s.full, false) && s.inside)) {
      const Result<bool> more = fill();
      if (!more) return more.error();
      if (!*more && (s.inside || !s.between)) return damaged(s.path, "it ends inside its gzip data");
      if (!*more) return std::size_t{0};
    }
    if (s.between && !s.inside) {
      while (s.at < s.end && s.chunk[s.at] == '\0') ++s.at;
      if (s.at == s.end) continue;
      if (s.chunk[s.at] != '\x1f') return damaged(s.path, "after its gzip data come bytes that are not gzip");
    }
    s.inside = true;
    s.gzip.next_in = reinterpret_cast<Bytef*>(s.chunk.data() + s.at);
    s.gzip.avail_in = static_cast<uInt>(s.end - s.at);
    const int code = inflate(&s.gzip, Z_NO_FLUSH);
    s.at = s.end - s.gzip.avail_in;
    if (code == Z_STREAM_END) {
      s.inside = false;
      s.between = true;
      inflateReset(&s.gzip);
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      return damaged(s.path, s.gzip.msg == nullptr ? "its gzip data make no sense" : s.gzip.msg);
    }
  }
  s.full = s.gzip.avail_out == 0;
  return most - s.gzip.avail_out;
}

Result<std::size_t> PackedBytes::read_zstd(char* into, std::size_t most) {
  State& s = *state_;
  ZSTD_outBuffer out{into, most, 0};
  while (out.pos == 0) {
    if (s.at == s.end && !(std::exchange(s.full, false) && s.inside)) {
      const Result<bool> more = fill();
      if (!more) return more.error();
      if (!*more && s.inside) return damaged(s.path, "it ends inside its zstd data");
      if (!*more) return std::size_t{0};
    }
    ZSTD_inBuffer in{s.chunk.data() + s.at, s.end - s.at, 0};
    const std::size_t code = ZSTD_decompressStream(s.zstd, &out, &in);
    s.at += in.pos;
    if (ZSTD_isError(code) != 0) {
      return damaged(s.path, s.between && !s.inside ? "after its zstd data come bytes that are not "
                                                      "zstd"
                                                    : ZSTD_getErrorName(code));
    }
    s.inside = code != 0;
    s.between = s.between || code == 0;
  }
  s.full = out.pos == most;
  return out.pos;
}

}  // namespace stopover
