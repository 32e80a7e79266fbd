#include "job/count_place.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/usage_error.h"
#include "disk/private_folder.h"
#include "ingest/cells_file.h"

namespace stopover {
namespace {

constexpr std::uint64_t kMega = 1'000'000, kLeast = 512 * kMega;
// Of a cell in memory: its key and count, the kernel's copy and the room in which that is put in order.
constexpr std::uint64_t kBytesOfACell = 40;

}  // namespace

Result<std::uint64_t> parse_bytes(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (failed != std::errc() || (unit != "MB" && unit != "GB") || number > kMega) {
    return usage_error(fmt::format("`memory_limit` must be a size in MB or GB such as 4GB, not \"{}\"", text));
  }
  return number * kMega * (unit == "GB" ? 1000 : 1);
}

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
  return fmt::format("{}MB", std::clamp(memory / 4, kLeast, 2000 * kMega) / kMega);
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

}  // namespace stopover
