#include "job/count_place.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/byte_size.h"
#include "base/usage_error.h"
#include "disk/private_folder.h"
#include "ingest/cells_file.h"

namespace stopover {
namespace {

constexpr std::uint64_t kLeast = 512 * kMegabyte;
// Of a cell in memory: its key and count, the kernel's copy and the room in which that is put in order.
constexpr std::uint64_t kBytesOfACell = 40;

// Of a row of text, no less: two points of few digits; packed, a tenth of it.
constexpr std::uint64_t kBytesOfALine = 30;
constexpr std::uint64_t kPacking = 10;

// At most so many, or nothing where it is not known.
Result<std::optional<std::uint64_t>> most_rows(const Source& rows) {
  switch (rows.kind()) {
    case Source::Kind::parquet: {
      const Result<std::uint64_t> found = rows_of_parquet(rows.paths());
      if (!found) return found.error();
      return std::optional(*found);
    }
    case Source::Kind::text: {
      std::uint64_t bytes = 0;
      for (const std::string& path : rows.paths()) {
        std::error_code failed;
        const std::uint64_t size = std::filesystem::file_size(path, failed);
        const bool packed = path.ends_with(".gz") || path.ends_with(".zst");
        if (!failed) bytes += packed ? kPacking * size : size;
      }
      return std::optional(bytes / kBytesOfALine);
    }
    case Source::Kind::sql:
    case Source::Kind::arrow:
      break;
  }
  return std::optional<std::uint64_t>();
}

}  // namespace

Result<CountPlace> CountPlace::of(const PublishSpec& spec) {
  CountPlace place{spec.counts_from, 0, spec.temp_folder};
  if (place.folder.empty()) {
    place.folder = temporary_place();
  } else if (std::error_code failed; !std::filesystem::is_directory(place.folder, failed)) {
    return usage_error(fmt::format("`temp_folder {}` is no folder", place.folder));
  }
  if (spec.memory_limit.empty()) {
    place.memory =
        static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE)) / 2;
    return place;
  }
  const Result<std::uint64_t> bytes = parse_bytes(spec.memory_limit);
  if (!bytes) return bytes.error();
  place.memory = *bytes;
  return place;
}

std::string CountPlace::duck_memory() const {
  return fmt::format("{}MB", std::clamp(memory / 4, kLeast, 2000 * kMegabyte) / kMegabyte);
}

Result<CountsFrom> CountPlace::choose(const std::vector<std::string>& files, const std::vector<TripPart>& parts) const {
  const bool parquet =
      std::all_of(files.begin(), files.end(), [](const std::string& file) { return file.ends_with(".parquet"); });
  if (!parquet) {
    if (files.size() > 1) return usage_error("several files of cells must all be .parquet");
    if (wanted == CountsFrom::automatic || wanted == CountsFrom::memory) return CountsFrom::memory;
    return usage_error(fmt::format("only Parquet can be passed over, not {}\n  Use `counts_from memory`.", files[0]));
  }
  for (const TripPart& part : parts) {
    if (part.domain.has_keys()) continue;
    if (wanted == CountsFrom::automatic) return CountsFrom::stream;
    if (wanted == CountsFrom::memory) return part.domain.check_keys().error();
  }
  if (wanted != CountsFrom::automatic) return wanted;
  const Result<std::uint64_t> rows = rows_of_parquet(files);
  if (!rows) return rows.error();
  return *rows * kBytesOfACell <= memory ? CountsFrom::memory : CountsFrom::stream;
}

Result<CountsFrom> CountPlace::choose(const Source& rows, const std::vector<TripPart>& parts) const {
  if (wanted != CountsFrom::automatic) return wanted;
  const auto keyless = [](const TripPart& part) { return !part.domain.has_keys(); };
  if (std::any_of(parts.begin(), parts.end(), keyless)) return CountsFrom::stream;
  const Result<std::optional<std::uint64_t>> most = most_rows(rows);
  if (!most) return most.error();
  return !*most || **most <= memory / kBytesOfACell ? CountsFrom::memory : CountsFrom::stream;
}

}  // namespace stopover
