#include "ingest/cell_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/bad_input.h"
#include "ingest/csv_lines.h"
#include "ingest/file_signature.h"

namespace stopover {
namespace {

constexpr std::size_t kBatch = std::size_t{1} << 16;

bool looks_like_axis(std::string_view name) {
  return name.size() > 1 && name.size() < 6 && name[0] == 'a' &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
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

// Columns of a query, by name and type.
Result<std::pair<std::vector<std::string>, std::vector<std::string>>> described(DuckSession& duck,
                                                                                const std::string& from) {
  std::vector<std::string> names, types;
  Result<DuckRows> rows = duck.query("SELECT column_name, column_type FROM (DESCRIBE SELECT * " + from + ")");
  if (!rows) return rows.error();
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return more.error();
    if (!*more) return std::pair(std::move(names), std::move(types));
    for (std::size_t row = 0; row < rows->size(); ++row) {
      names.emplace_back(rows->text(0, row));
      types.emplace_back(rows->text(1, row));
    }
  }
}

Error unreadable(const std::string& name, const Error& e) {
  return {e.failure, fmt::format("cannot read {}\n  {}", name, e.message)};
}

}  // namespace

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

Result<CellColumns> find_cell_columns(const std::string& path, const Domain& domain,
                                      const std::vector<std::string>& names) {
  CellColumns columns;
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
      columns.axes.push_back(**found);
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

Result<DuckSession> CellRowReader::session() const {
  return DuckSession::open(
      {.threads = options_.threads, .memory_limit = options_.memory_limit, .interrupted = options_.interrupted});
}

Result<CellRowReader> CellRowReader::open(const std::vector<std::string>& paths, const Domain& domain,
                                          const CellRowOptions& options) {
  STOPOVER_CHECK(!paths.empty(), "no file to read");
  CellRowReader reader(domain, options);
  reader.name_ = paths.size() == 1 ? paths[0] : fmt::format("{} and {} more", paths[0], paths.size() - 1);
  std::vector<std::string> quoted;
  for (const std::string& path : paths) {
    if (Status s = check_parquet(path); !s) return s.error();
    quoted.push_back(quote_input(path));
  }
  Result<DuckSession> duck = reader.session();
  if (!duck) return duck.error();
  const std::string from = fmt::format("FROM read_parquet([{}], hive_partitioning = false)", fmt::join(quoted, ", "));
  const auto columns = described(*duck, from);
  if (!columns) return unreadable(reader.name_, columns.error());
  const auto& [names, types] = *columns;
  Result<CellColumns> found = find_cell_columns(reader.name_, domain, names);
  if (!found) return found.error();
  reader.columns_ = std::move(*found);
  std::vector<std::size_t> wanted = reader.columns_.axes;
  if (reader.columns_.count) wanted.push_back(*reader.columns_.count);
  std::vector<std::string> expressions;
  for (std::size_t column : wanted) {
    Result<std::string> sql = column_sql(reader.name_, names[column], types[column]);
    if (!sql) return sql.error();
    reader.has_texts_ = reader.has_texts_ || types[column] == "VARCHAR";
    expressions.push_back(std::move(*sql));
  }
  const std::string where = options.stops ? fmt::format(" WHERE stops = {}", *options.stops) : "";
  reader.sql_ = fmt::format("SELECT {} {}{}", fmt::join(expressions, ", "), from, where);
  return reader;
}

Status CellRowReader::each(const std::function<void(const CellRows&)>& take, DroppedRows& dropped) const {
  Result<DuckSession> duck = session();
  if (!duck) return duck.error();
  Result<DuckRows> rows = duck->query(sql_);
  if (!rows) return unreadable(name_, rows.error());
  const std::size_t d = domain_.d(), columns = d + (columns_.count ? 1 : 0);
  std::vector<std::uint32_t> cells;
  std::vector<std::uint64_t> counts;
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  const auto value = [&](std::size_t c, std::size_t row) -> std::uint64_t {
    if (!rows->valid(c, row)) return kNone;
    if (rows->type(c) == DUCKDB_TYPE_VARCHAR) return parse_whole(rows->text(c, row)).value_or(kNone);
    return static_cast<std::uint64_t>(rows->column<std::int64_t>(c)[row]);  // below 0: too large
  };
  std::array<std::uint64_t, kMaxAxes + 1> limits{};
  for (std::size_t axis = 0; axis < d; ++axis) limits[axis] = domain_.axis(axis).cells;
  std::vector<std::uint64_t> values;  // column after column
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return unreadable(name_, more.error());
    if (options_.interrupted()) return Error{Failure::interrupted, "interrupted"};
    if (counts.size() >= kBatch || !*more) {
      take({cells, counts});
      cells.clear();
      counts.clear();
    }
    if (!*more) return {};
    const std::size_t n = rows->size();
    values.resize(n * columns);
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t row = 0; row < n; ++row) values[c * n + row] = value(c, row);
    }
    for (std::size_t row = 0; row < n; ++row) {
      const std::uint64_t count = columns_.count ? values[d * n + row] : 1;
      bool inside = true;
      for (std::size_t axis = 0; axis < d; ++axis) inside = inside && values[axis * n + row] < limits[axis];
      if (!inside) {
        ++dropped.outside;
      } else if (count > kMaxRowCount) {
        ++dropped.bad_count;
      } else if (count > 0) {
        for (std::size_t axis = 0; axis < d; ++axis)
          cells.push_back(static_cast<std::uint32_t>(values[axis * n + row]));
        counts.push_back(count);
      }
    }
  }
}

}  // namespace stopover
