#include "ingest/csv_lines.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
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

}  // namespace

struct CsvLines::State {
  std::string path;
  gzFile file = nullptr;
  std::vector<char> buffer;
  std::size_t begin = 0, end = 0;
  bool finished = false;
};

void CsvLines::Close::operator()(State* state) const {
  if (state->file != nullptr) gzclose_r(state->file);
  delete state;
}

Result<CsvLines> CsvLines::open(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return unreadable(path, std::strerror(errno));
  if (S_ISDIR(facts.st_mode)) return unreadable(path, "It is a folder, not a file.");
  CsvLines lines;
  lines.state_.reset(new State);
  lines.state_->path = path;
  errno = 0;
  lines.state_->file = gzopen(path.c_str(), "rb");
  if (lines.state_->file == nullptr) return unreadable(path, errno != 0 ? std::strerror(errno) : "Out of memory.");
  gzbuffer(lines.state_->file, 1 << 18);
  lines.state_->buffer.resize(kBuffer);
  return lines;
}

Result<bool> CsvLines::refill() {
  State& s = *state_;
  std::memmove(s.buffer.data(), s.buffer.data() + s.begin, s.end - s.begin);
  s.end -= s.begin;
  s.begin = 0;
  const int got = gzread(s.file, s.buffer.data() + s.end, static_cast<unsigned>(kBuffer - s.end));
  int code = Z_OK;
  const char* reason = gzerror(s.file, &code);
  if (got < 0 || (got == 0 && code == Z_BUF_ERROR)) {
    return unreadable(s.path, code == Z_ERRNO ? std::strerror(errno) : fmt::format("The file is damaged or cut: {}.", reason));
  }
  s.end += static_cast<std::size_t>(got);
  s.finished = got == 0;
  return got > 0;
}

Result<bool> CsvLines::next() {
  State& s = *state_;
  cut_ = false;
  for (;;) {
    const char* begin = s.buffer.data() + s.begin;
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
