// Any bytes are lines of a CSV file (in any encoding) and of a file of JSON objects: read to the end, never failing,
// every text clean. The same bytes as a packed file may be refused, no more.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/check.h"
#include "ingest/text_table.h"
#include "ingest/trip_request.h"
#include "ingest/zones_box.h"

namespace {

std::string made_file(const char* ending) {
  std::string name = std::string("/dev/shm/stopover-fuzz-XXXXXX") + ending;
  const int file = mkstemps(name.data(), static_cast<int>(std::strlen(ending)));
  STOPOVER_CHECK(file >= 0, "no file to fuzz with");
  close(file);
  return name;
}

void fill(const std::string& path, std::string_view first, std::string_view rest) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  std::fwrite(first.data(), 1, first.size(), file);
  std::fwrite(rest.data(), 1, rest.size(), file);
  std::fclose(file);
}

void read_all(const std::string& path, stopover::TextFormat format, const std::vector<std::string>& columns,
              const stopover::TextForm& form = {}) {
  using namespace stopover;
  const Result<TextTable> table = TextTable::describe({path}, format, form);
  STOPOVER_CHECK(static_cast<bool>(table), "a file with a good header is refused");
  LineCounts counts;
  Result<std::unique_ptr<TextRows>> rows = table->open(columns, counts);
  std::vector<std::optional<std::string_view>> row;
  for (;;) {
    const Result<bool> more = (*rows)->next(row);
    STOPOVER_CHECK(static_cast<bool>(more), "a row made reading fail");
    if (!*more) return;
    for (const auto& text : row) STOPOVER_CHECK(!text || is_clean_text(*text), "a text is not clean");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)stopover::parse_frames(text);
  (void)stopover::parse_extra_axis(text);
  (void)stopover::parse_bounding_box(text);
  (void)stopover::parse_grid(text);
  (void)stopover::zones_box(text);
  using stopover::TextFormat;
  static const std::string csv = made_file(".csv"), json = made_file(".jsonl"), gzip = made_file(".csv.gz"),
                           zstd = made_file(".csv.zst");
  fill(csv, "uid,lat,lng\n", text);
  read_all(csv, TextFormat::csv, {"lng", "uid"});
  read_all(csv, TextFormat::csv, {"lng", "uid"}, {stopover::TextEncoding::windows1252, ','});
  fill(csv, std::string_view("u\0;\0v\0\n\0", 8), text);
  read_all(csv, TextFormat::csv, {"v", "u"}, {stopover::TextEncoding::utf16, ';'});
  fill(json, "{}\n", text);
  read_all(json, TextFormat::json_lines, {"lng", "uid"});
  fill(gzip, "\x1f\x8b\x08", text);
  (void)stopover::TextTable::describe({gzip}, TextFormat::csv);
  fill(zstd, "\x28\xb5\x2f\xfd", text);
  (void)stopover::TextTable::describe({zstd}, TextFormat::csv);
  return 0;
}
