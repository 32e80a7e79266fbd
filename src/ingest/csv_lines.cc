#include "ingest/csv_lines.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace stopover {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 21;
static_assert(kBuffer > CsvLines::kLongestLine);

Error unreadable(const std::string& path, std::string_view reason) {
  return {Failure::bad_input, fmt::format("cannot read {}\n  {}", path, reason)};
}

bool is_blank(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
}

// The bytes of a file, unpacked: gzip and plain by zlib, *.zst by zstd.
class Bytes {
 public:
  Bytes() = default;
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() {
    if (gzip_ != nullptr) gzclose_r(gzip_);
    if (file_ != nullptr) std::fclose(file_);
    ZSTD_freeDStream(zstd_);
  }

  Status open(const std::string& path) {
    path_ = path;
    errno = 0;
    if (path.ends_with(".zst")) {
      file_ = std::fopen(path.c_str(), "rb");
      zstd_ = ZSTD_createDStream();
      packed_.resize(ZSTD_DStreamInSize());
    } else {
      gzip_ = gzopen(path.c_str(), "rb");
    }
    if (gzip_ == nullptr && (file_ == nullptr || zstd_ == nullptr)) {
      return unreadable(path, errno != 0 ? std::strerror(errno) : "Out of memory.");
    }
    if (gzip_ != nullptr) gzbuffer(gzip_, 1 << 18);
    return {};
  }

  // At most `most` bytes; 0 at the end of the file.
  Result<std::size_t> read(char* into, std::size_t most) { return gzip_ != nullptr ? read_gzip(into, most) : read_zstd(into, most); }

 private:
  Result<std::size_t> read_gzip(char* into, std::size_t most) {
    const int got = gzread(gzip_, into, static_cast<unsigned>(most));
    int code = Z_OK;
    const char* reason = gzerror(gzip_, &code);
    if (got < 0 || (got == 0 && code == Z_BUF_ERROR)) {
      return unreadable(path_, code == Z_ERRNO ? std::strerror(errno) : fmt::format("The file is damaged or cut: {}.", reason));
    }
    return static_cast<std::size_t>(got);
  }

  Result<std::size_t> read_zstd(char* into, std::size_t most) {
    ZSTD_outBuffer out{into, most, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size) {
        const std::size_t got = std::fread(packed_.data(), 1, packed_.size(), file_);
        if (std::ferror(file_) != 0) return unreadable(path_, std::strerror(errno));
        in_ = {packed_.data(), got, 0};
        if (got == 0) {
          if (unfinished_) return unreadable(path_, "The file is damaged or cut: it ends inside a frame.");
          return std::size_t{0};
        }
      }
      const std::size_t code = ZSTD_decompressStream(zstd_, &out, &in_);
      if (ZSTD_isError(code) != 0) {
        return unreadable(path_, fmt::format("The file is damaged or cut: {}.", ZSTD_getErrorName(code)));
      }
      unfinished_ = code != 0;
    }
    return out.pos;
  }

  std::string path_;
  gzFile gzip_ = nullptr;
  std::FILE* file_ = nullptr;
  ZSTD_DStream* zstd_ = nullptr;
  std::vector<char> packed_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool unfinished_ = false;
};

}  // namespace

struct CsvLines::State {
  Bytes file;
  std::unique_ptr<char[]> buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
  std::size_t begin = 0, end = 0;
  bool finished = false;
};

void CsvLines::Close::operator()(State* state) const { delete state; }

Result<CsvLines> CsvLines::open(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return unreadable(path, std::strerror(errno));
  if (S_ISDIR(facts.st_mode)) return unreadable(path, "It is a folder, not a file.");
  CsvLines lines;
  lines.state_.reset(new State);
  if (Status s = lines.state_->file.open(path); !s) return s.error();
  return lines;
}

Result<bool> CsvLines::refill() {
  State& s = *state_;
  std::memmove(s.buffer.get(), s.buffer.get() + s.begin, s.end - s.begin);
  s.end -= s.begin;
  s.begin = 0;
  const Result<std::size_t> got = s.file.read(s.buffer.get() + s.end, kBuffer - s.end);
  if (!got) return got.error();
  s.end += *got;
  s.finished = *got == 0;
  return *got > 0;
}

Result<bool> CsvLines::next() {
  State& s = *state_;
  cut_ = false;
  for (;;) {
    const char* begin = s.buffer.get() + s.begin;
    const auto* newline = static_cast<const char*>(std::memchr(begin, '\n', s.end - s.begin));
    if (newline == nullptr && !s.finished) {
      if (s.end - s.begin > kLongestLine) {
        cut_ = true;
        s.begin = s.end;
      }
      if (Result<bool> more = refill(); !more) return more.error();
      continue;
    }
    if (newline == nullptr && s.begin == s.end && !cut_) return false;
    const std::size_t size = newline == nullptr ? s.end - s.begin : static_cast<std::size_t>(newline - begin);
    s.begin += size + (newline == nullptr ? 0 : 1);
    ++number_;
    line_ = {begin, size};
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    if (line_.size() > kLongestLine) {
      cut_ = true;
      line_ = line_.substr(0, kLongestLine);
    }
    if (cut_ || !is_blank(line_)) return true;
  }
}

bool split_csv(std::string_view line, std::vector<std::string>& fields) {
  fields.clear();
  std::size_t at = 0;
  for (;;) {
    std::string& field = fields.emplace_back();
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        const std::size_t quote = line.find('"', at);
        if (quote == std::string_view::npos) return false;
        field.append(line, at, quote - at);
        at = quote + 1;
        if (at >= line.size() || line[at] != '"') break;
        field += '"';
      }
      if (at < line.size() && line[at] != ',') return false;
    } else {
      const std::size_t comma = std::min(line.find(',', at), line.size());
      field.assign(line, at, comma - at);
      at = comma;
    }
    if (at >= line.size()) return true;
    ++at;
  }
}

std::string quote_csv(std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted += '"';
}

}  // namespace stopover
