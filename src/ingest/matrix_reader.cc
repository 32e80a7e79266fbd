#include "ingest/matrix_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/bad_input.h"
#include "duck/duck.h"
#include "ingest/csv_lines.h"
#include "ingest/file_signature.h"

namespace stopover {
namespace {

constexpr std::size_t kCompactAt = std::size_t{1} << 22;

// 7, 7.0 and " 7" are 7; what is not a whole number from 0 is nothing. Too many digits are the largest number.
std::optional<std::uint64_t> parse_whole(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  std::uint64_t value = 0;
  std::size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    const auto digit = static_cast<std::uint64_t>(text[at] - '0');
    value = value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : value * 10 + digit;
  }
  if (at == 0) return std::nullopt;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && text[at] == '0';) ++at;
  }
  if (at < text.size()) return std::nullopt;
  return value;
}

// Where the axes and the count are among the columns of a table.
struct Columns {
  std::array<std::size_t, kMaxAxes> axis{};
  std::optional<std::size_t> count;
  std::vector<std::string> unused_axes;
};

bool looks_like_axis(std::string_view name) {
  return name.size() > 1 && name.size() < 6 && name[0] == 'a' &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Result<Columns> find_columns(const std::string& path, const Domain& domain, const std::vector<std::string>& names) {
  Columns columns;
  std::vector<std::string> missing;
  const auto find = [&](const std::string& name) -> Result<std::optional<std::size_t>> {
    const auto first = std::find(names.begin(), names.end(), name);
    if (first == names.end()) return std::optional<std::size_t>();
    if (std::find(first + 1, names.end(), name) != names.end()) {
      return bad_input(fmt::format("{} has two columns named {}\n  Rename or remove one of them.", path, name));
    }
    return std::optional<std::size_t>(first - names.begin());
  };
  for (std::size_t i = 0; i < domain.d(); ++i) {
    const auto found = find(domain.axis(i).name);
    if (!found) return found.error();
    if (*found) {
      columns.axis[i] = **found;
    } else {
      missing.push_back(domain.axis(i).name);
    }
  }
  if (!missing.empty()) {
    std::vector<std::string> shown(names.begin(), names.begin() + std::min<std::ptrdiff_t>(std::ssize(names), 20));
    return bad_input(
        fmt::format("{} has no column {}\n  The shape {} needs one column per axis: {} to {}.\n  Columns "
                    "found: "
                    "{}{}.{}",
                    path, fmt::join(missing, ", "), domain.shape_text(), domain.axis(0).name,
                    domain.axis(domain.d() - 1).name, shown.empty() ? "none" : fmt::to_string(fmt::join(shown, ", ")),
                    shown.size() < names.size() ? ", ..." : "", delimiter_hint(names)));
  }
  const auto count = find("count");
  if (!count) return count.error();
  columns.count = *count;
  for (const std::string& name : names) {
    if (looks_like_axis(name) && domain.find_axis(name) < 0) columns.unused_axes.push_back(name);
  }
  return columns;
}

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
    if (*count == 0) return;
    keys_.push_back(layout_.pack(std::span(indices.data(), cell.size())));
    counts_.push_back(*count);
    if (keys_.size() < compact_at_) return;
    sort_and_merge(keys_, counts_);
    compact_at_ = std::max(kCompactAt, 2 * keys_.size());
  }
  void drop_unreadable() { ++dropped_.unreadable; }

  MatrixRead finish(std::vector<std::string> unused_axes) && {
    sort_and_merge(keys_, counts_);
    MatrixBuilder builder(domain_);
    std::array<std::uint32_t, kMaxAxes> cell{};
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      for (std::size_t a = 0; a < domain_.d(); ++a) cell[a] = layout_.cell(keys_[i], a);
      builder.add(std::span(cell.data(), domain_.d()), counts_[i]);
    }
    return {std::move(builder).build(), dropped_, std::move(unused_axes)};
  }

 private:
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
  Result<Columns> columns = find_columns(path, domain, *header);
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
    for (std::size_t i = 0; i < domain.d(); ++i) cell[i] = value(columns->axis[i]);
    collector.add(std::span(cell.data(), domain.d()), columns->count ? value(*columns->count) : 1);
  }
  return std::move(collector).finish(std::move(columns->unused_axes));
}

bool is_one_of(std::string_view type, std::initializer_list<std::string_view> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

// A column as BIGINT (NULL where it holds no such number), or as VARCHAR for parse_whole. Casting rounds 1.5 to 2:
// hence the comparison.
Result<std::string> column_sql(const std::string& path, const std::string& name, const std::string& type) {
  const std::string column = quote_identifier(name);
  if (is_one_of(type, {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER",
                       "UBIGINT", "UHUGEINT"})) {
    return fmt::format("TRY_CAST({} AS BIGINT)", column);
  }
  if (is_one_of(type, {"FLOAT", "DOUBLE"}) || type.starts_with("DECIMAL")) {
    return fmt::format("CASE WHEN {0} = trunc({0}) THEN TRY_CAST({0} AS BIGINT) END", column);
  }
  if (type == "VARCHAR") return column;
  return bad_input(
      fmt::format("column {} of {} holds {}, not whole numbers\n  A cell index or count must be a number column.", name,
                  path, type));
}

Result<MatrixRead> read_parquet(const std::string& path, const Domain& domain, const ReadOptions& options) {
  const auto unreadable = [&](const Error& e) {
    return Error{e.failure, fmt::format("cannot read {}\n  {}", path, e.message)};
  };
  if (Status s = check_parquet(path); !s) return s.error();
  Result<DuckSession> duck =
      DuckSession::open({.threads = options.threads, .memory_limit = "", .interrupted = options.interrupted});
  if (!duck) return duck.error();
  const std::string from = fmt::format("FROM read_parquet({}, hive_partitioning = false)", quote_input(path));
  std::vector<std::string> names, types;
  {
    Result<DuckRows> described = duck->query("SELECT column_name, column_type FROM (DESCRIBE SELECT * " + from + ")");
    if (!described) return unreadable(described.error());
    for (;;) {
      const Result<bool> more = described->next();
      if (!more) return unreadable(more.error());
      if (!*more) break;
      for (std::size_t row = 0; row < described->size(); ++row) {
        names.emplace_back(described->text(0, row));
        types.emplace_back(described->text(1, row));
      }
    }
  }
  Result<Columns> columns = find_columns(path, domain, names);
  if (!columns) return columns.error();
  std::vector<std::size_t> wanted(columns->axis.begin(),
                                  columns->axis.begin() + static_cast<std::ptrdiff_t>(domain.d()));
  if (columns->count) wanted.push_back(*columns->count);
  std::vector<std::string> expressions;
  for (std::size_t column : wanted) {
    Result<std::string> sql = column_sql(path, names[column], types[column]);
    if (!sql) return sql.error();
    expressions.push_back(std::move(*sql));
  }
  const std::string where = options.stops ? fmt::format(" WHERE stops = {}", *options.stops) : "";
  Result<DuckRows> rows = duck->query(fmt::format("SELECT {} {}{}", fmt::join(expressions, ", "), from, where));
  if (!rows) return unreadable(rows.error());

  Collector collector(domain);
  std::array<std::optional<std::uint64_t>, kMaxAxes + 1> values;
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return unreadable(more.error());
    if (!*more) break;
    if (options.interrupted()) return Error{Failure::interrupted, "interrupted"};
    for (std::size_t row = 0; row < rows->size(); ++row) {
      for (std::size_t c = 0; c < wanted.size(); ++c) {
        if (!rows->valid(c, row)) {
          values[c].reset();
        } else if (rows->type(c) == DUCKDB_TYPE_VARCHAR) {
          values[c] = parse_whole(rows->text(c, row));
        } else {
          const std::int64_t v = rows->column<std::int64_t>(c)[row];
          values[c] = v < 0 ? std::optional<std::uint64_t>() : static_cast<std::uint64_t>(v);
        }
      }
      collector.add(std::span(values.data(), domain.d()), columns->count ? values[domain.d()] : 1);
    }
  }
  return std::move(collector).finish(options.stops ? std::vector<std::string>() : std::move(columns->unused_axes));
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

Result<MatrixRead> read_matrix(const std::string& path, const Domain& domain, const ReadOptions& options) {
  if (path.ends_with(".csv") || path.ends_with(".csv.gz")) return read_csv(path, domain, options);
  if (options.form != TextForm()) {
    return Error{Failure::usage, fmt::format("`encoding` and `delimiter` are for CSV files, not for {}", path)};
  }
  if (path.ends_with(".parquet")) return read_parquet(path, domain, options);
  return bad_input(fmt::format("cannot tell what {} is\n  A matrix is a file named .csv, .csv.gz or .parquet.", path));
}

}  // namespace stopover
