// Any bytes are lines of a CSV file and of a file of JSON objects: read to the end, never failing, every text clean.
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/check.h"
#include "ingest/text_table.h"
#include "ingest/trip_request.h"
#include "ingest/zones_box.h"

namespace {

void read_all(const std::string& path, stopover::TextFormat format, const std::vector<std::string>& columns) {
  using namespace stopover;
  const Result<TextTable> table = TextTable::describe({path}, format);
  STOPOVER_CHECK(static_cast<bool>(table), "a file with a good header is refused");
  std::atomic<std::uint64_t> unreadable{0};
  Result<std::unique_ptr<TextRows>> rows = table->open(columns, unreadable);
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
  static const std::string path = [] {
    std::string name = "/dev/shm/stopover-fuzz-XXXXXX";
    const int file = mkstemp(name.data());
    STOPOVER_CHECK(file >= 0, "no file to fuzz with");
    close(file);
    return name;
  }();
  for (const bool csv : {true, false}) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    const std::string first = csv ? "uid,lat,lng\n" : "{}\n";
    std::fwrite(first.data(), 1, first.size(), file);
    std::fwrite(data, 1, size, file);
    std::fclose(file);
    read_all(path, csv ? stopover::TextFormat::csv : stopover::TextFormat::json_lines, {"lng", "uid"});
  }
  return 0;
}
