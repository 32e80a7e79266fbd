#include "ingest/matrix_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "base/bad_input.h"
#include "ingest/cell_rows.h"
#include "ingest/cells_file.h"
#include "ingest/csv_lines.h"

namespace stopover {
namespace {

constexpr std::size_t kCompactAt = std::size_t{1} << 22;
constexpr std::uint64_t kMostExpected = std::uint64_t{1} << 30;

// Takes rows one by one; adds up equal cells now and then, so that memory follows the distinct cells.
class Collector {
 public:
  explicit Collector(const Domain& domain) : domain_(domain), layout_(widths(domain)) {}

  void add(std::span<const std::optional<std::uint64_t>> cell, std::optional<std::uint64_t> count) {
    std::array<std::uint32_t, kMaxAxes> indices{};
    for (std::size_t i = 0; i < cell.size(); ++i) {
      if (!cell[i] || *cell[i] >= domain_.axis(i).cells) {
        ++dropped_.outside;
        return;
      }
      indices[i] = static_cast<std::uint32_t>(*cell[i]);
    }
    if (!count || *count > kMaxRowCount) {
      ++dropped_.bad_count;
      return;
    }
    if (*count > 0) put(std::span(indices.data(), cell.size()), *count);
  }
  // For so many rows; of more than are added up at once there may be fewer cells.
  void expect(std::size_t rows) {
    keys_.reserve(rows);
    counts_.reserve(rows);
    compact_at_ = std::max(kCompactAt, rows);
  }
  void drop_unreadable() { ++dropped_.unreadable; }
  DroppedRows& dropped() { return dropped_; }
  // Rows that are good already.
  void add(const CellRows& rows) {
    const std::size_t d = domain_.d();
    for (std::size_t row = 0; row < rows.counts.size(); ++row) put(rows.cells.subspan(row * d, d), rows.counts[row]);
  }

  MatrixRead finish(std::vector<std::string> unused_axes) && {
    MatrixBuilder builder(domain_);
    builder.take(std::move(keys_), std::move(counts_));
    return {std::move(builder).build(), dropped_, std::move(unused_axes)};
  }

 private:
  void put(std::span<const std::uint32_t> cell, std::uint64_t count) {
    keys_.push_back(layout_.pack(cell));
    counts_.push_back(count);
    if (keys_.size() < compact_at_) return;
    sort_and_merge(keys_, counts_);
    compact_at_ = std::max(kCompactAt, 2 * keys_.size());
  }
  static std::vector<std::uint32_t> widths(const Domain& domain) {
    std::vector<std::uint32_t> result;
    for (const Axis& axis : domain.axes()) result.push_back(axis.cells);
    return result;
  }

  const Domain& domain_;
  CellKeys layout_;
  std::vector<u128> keys_;
  std::vector<std::uint64_t> counts_;
  std::size_t compact_at_ = kCompactAt;
  DroppedRows dropped_;
};

Result<MatrixRead> read_csv(const std::string& path, const Domain& domain, const ReadOptions& options) {
  Result<CsvLines> lines = CsvLines::open(path, options.form.encoding);
  if (!lines) return lines.error();
  Result<std::vector<std::string>> header = read_header(*lines, options.form);
  if (!header) return header.error();
  Result<CellColumns> columns = find_cell_columns(path, domain, *header);
  if (!columns) return columns.error();

  Collector collector(domain);
  std::array<std::optional<std::uint64_t>, kMaxAxes> cell;
  std::vector<std::string> fields;
  const auto value = [&](std::size_t column) -> std::optional<std::uint64_t> {
    return column < fields.size() ? parse_whole(fields[column]) : std::nullopt;
  };
  for (;;) {
    const Result<bool> more = lines->next();
    if (!more) return more.error();
    if (!*more) break;
    if (lines->number() % 8192 == 0 && options.interrupted()) return Error{Failure::interrupted, "interrupted"};
    if (lines->cut() || !split_csv(lines->line(), fields, options.form.delimiter) || fields.size() > header->size()) {
      collector.drop_unreadable();
      continue;
    }
    for (std::size_t i = 0; i < domain.d(); ++i) cell[i] = value(columns->axes[i]);
    collector.add(std::span(cell.data(), domain.d()), columns->count ? value(*columns->count) : 1);
  }
  return std::move(collector).finish(std::move(columns->unused_axes));
}

Result<MatrixRead> read_parquet(const std::string& name, const Domain& domain, const ReadOptions& options) {
  const Result<std::vector<std::string>> paths = cell_files(name);
  if (!paths) return paths.error();
  Result<CellRowReader> reader =
      CellRowReader::open(*paths, domain, {options.threads, "", options.interrupted, options.stops});
  if (!reader) return reader.error();
  Collector collector(domain);
  const Result<std::uint64_t> rows = rows_of_parquet(*paths);
  if (!rows) return rows.error();
  collector.expect(std::min<std::uint64_t>(*rows, kMostExpected));
  if (Status s = reader->each([&](const CellRows& some) { collector.add(some); }, collector.dropped()); !s)
    return s.error();
  return std::move(collector).finish(options.stops ? std::vector<std::string>() : reader->unused_axes());
}

}  // namespace

std::string DroppedRows::text() const {
  std::vector<std::string> kinds;
  const auto kind = [&](std::uint64_t n, std::string_view what) {
    if (n > 0) kinds.push_back(fmt::format("{} {}", n, what));
  };
  kind(outside, "outside the shape");
  kind(bad_count, "bad count");
  kind(unreadable, "unreadable");
  return fmt::format("dropped {} row{} ({})", total(), total() == 1 ? "" : "s", fmt::join(kinds, ", "));
}

Result<std::vector<std::string>> cell_files(const std::string& name) {
  std::error_code failed;
  if (name.find_first_of("*?[") == std::string::npos || std::filesystem::exists(name, failed)) return {{name}};
  glob_t found{};
  const int status = glob(name.c_str(), 0, nullptr, &found);
  std::vector<std::string> files(found.gl_pathv, found.gl_pathv + (status == 0 ? found.gl_pathc : 0));
  globfree(&found);
  if (!files.empty()) return files;
  return bad_input(fmt::format("no file matches {}", name));
}

Result<MatrixRead> read_matrix(const std::string& path, const Domain& domain, const ReadOptions& options) {
  if (Status s = domain.check_keys(); !s) return s.error();
  if (path.ends_with(".csv") || path.ends_with(".csv.gz")) return read_csv(path, domain, options);
  if (options.form != TextForm()) {
    return Error{Failure::usage, fmt::format("`encoding` and `delimiter` are for CSV files, not for {}", path)};
  }
  if (path.ends_with(".parquet")) return read_parquet(path, domain, options);
  return bad_input(fmt::format("cannot tell what {} is\n  A matrix is a file named .csv, .csv.gz or .parquet.", path));
}

}  // namespace stopover
