#include "ingest/csv_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bad_input.h"
#include "ingest/packed_bytes.h"

namespace stopover {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 21;
static_assert(kBuffer > CsvLines::kLongestLine);

bool is_blank(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

struct CsvLines::State {
  State(PackedBytes bytes, TextEncoding encoding)
      : file(std::move(bytes)), utf8(encoding), plain(encoding == TextEncoding::utf8) {}

  PackedBytes file;
  Utf8Maker utf8;
  const bool plain;
  std::string raw, made;
  std::unique_ptr<char[]> buffer = std::make_unique_for_overwrite<char[]>(kBuffer);
  std::size_t begin = 0, end = 0;
  bool finished = false;
};

void CsvLines::Close::operator()(State* state) const { delete state; }

Result<CsvLines> CsvLines::open(const std::string& path, TextEncoding encoding, bool rows_from_the_start) {
  Result<PackedBytes> file = PackedBytes::open(path, rows_from_the_start);
  if (!file) return file.error();
  CsvLines lines;
  lines.path_ = path;
  lines.state_.reset(new State(std::move(*file), encoding));
  return lines;
}

Status CsvLines::refill() {
  State& s = *state_;
  std::memmove(s.buffer.get(), s.buffer.get() + s.begin, s.end - s.begin);
  s.end -= s.begin;
  s.begin = 0;
  const std::size_t room = kBuffer - s.end;
  if (!s.plain) s.raw.resize(room / Utf8Maker::kMostBytes - 2 * Utf8Maker::kMostBytes);
  const Result<std::size_t> got =
      s.plain ? s.file.read(s.buffer.get() + s.end, room) : s.file.read(s.raw.data(), s.raw.size());
  if (!got) return got.error();
  s.finished = *got == 0;
  if (s.plain) {
    s.end += *got;
    return {};
  }
  s.made.clear();
  s.utf8.append(std::string_view(s.raw).substr(0, *got), s.made);
  if (s.finished) s.utf8.finish(s.made);
  std::memcpy(s.buffer.get() + s.end, s.made.data(), s.made.size());
  s.end += s.made.size();
  return {};
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
      if (Status more = refill(); !more) return more.error();
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

Result<std::vector<std::string>> read_header(CsvLines& lines, const TextForm& form) {
  const std::string& path = lines.path();
  const Result<bool> more = lines.next();
  if (!more) return more.error();
  if (!*more) return bad_input(fmt::format("{} is empty\n  Its first line must name the columns.", path));
  std::string_view header = lines.line();
  if (header.starts_with(kByteOrderMark)) header.remove_prefix(kByteOrderMark.size());
  if (!lines.cut() && !is_clean_text(header)) {
    const std::optional<TextEncoding> likely =
        form.encoding == TextEncoding::utf8 ? likely_encoding(header) : std::nullopt;
    return bad_input(fmt::format("the first line of {} is not {}\n  {}", path,
                                 form.encoding == TextEncoding::utf8 ? "UTF-8" : to_string(form.encoding),
                                 likely ? fmt::format("It looks like {0}: try `encoding {0}`", to_string(*likely))
                                        : "Its encoding is not known. Save it as UTF-8, or name its `encoding`."));
  }
  std::vector<std::string> names;
  if (lines.cut() || !split_csv(header, names, form.delimiter)) {
    return bad_input(
        fmt::format("the first line of {} is not a list of columns\n  It must name them, with {} between "
                    "them.",
                    path, delimiter_words(form.delimiter)));
  }
  for (std::string& name : names) name = std::string(trimmed(name));
  return names;
}

bool split_csv(std::string_view line, std::vector<std::string>& fields, char delimiter) {
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
      if (at < line.size() && line[at] != delimiter) return false;
    } else {
      const std::size_t end = std::min(line.find(delimiter, at), line.size());
      field.assign(line, at, end - at);
      at = end;
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
