#include "release_io/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <functional>
#include <future>
#include <set>

#include "base/disk_full.h"
#include "duck/duck_functions.h"

namespace stopover {
namespace {

constexpr std::size_t kRowGroup = 122'880;
// Room is made for so many rows before a file has shown that it has them.
constexpr std::uint64_t kMostReserved = std::uint64_t{1} << 24;

double scale_of(Ticks ticks, std::uint32_t k) { return 1e9 * k / static_cast<double>(ticks); }

const FileColumn kSpread{"spread", DUCKDB_TYPE_FLOAT};
const FileColumn kCoarseCount{"coarse_count", DUCKDB_TYPE_BIGINT}, kCoarseTicks{"coarse_ticks", DUCKDB_TYPE_UBIGINT};

// As the last columns of a file tell.
MoreColumns more_of(const DuckRows& rows) {
  const auto ends_in = [&](std::size_t skipped, const FileColumn& column) {
    return rows.columns() > skipped && rows.name(rows.columns() - 1 - skipped) == column.name;
  };
  MoreColumns more;
  more.coarse = ends_in(0, kCoarseTicks);
  more.spread = ends_in(more.coarse ? 2 : 0, kSpread);
  return more;
}

std::vector<double> edges(const Axis& axis, const std::vector<std::uint32_t>& cells) {
  std::vector<double> result(cells.size());
  std::transform(cells.begin(), cells.end(), result.begin(), [&](std::uint32_t c) { return axis.edge(c); });
  return result;
}

// SQL's names do not know case.
Status check_names(const std::vector<FileColumn>& columns) {
  std::set<std::string> seen;
  for (const FileColumn& column : columns) {
    std::string lower = column.name;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (!seen.insert(lower).second) {
      return Error{Failure::usage,
                   fmt::format("two columns would be named \"{}\"\n  Axis names must differ in more than "
                               "upper and lower case.",
                               column.name)};
    }
  }
  return {};
}

// Whether a column follows from others and release.json.
bool follows_from_others(std::string_view name, const Table& table, const Domain& domain) {
  if (name == "leaf" || name == "noise_scale") return true;
  return std::any_of(table.axes.begin(), table.axes.end(), [&](std::size_t a) {
    const Axis& axis = domain.axis(a);
    return !axis.labelled() && (name == axis.name + "_from" || name == axis.name + "_to");
  });
}

// Reads columns one after the other as they are declared.
class RowReader {
 public:
  RowReader(Table& table, const Domain& domain, std::uint32_t k, MoreColumns more, std::size_t rows)
      : table_(table), domain_(domain), k_(k), more_(more) {
    table_.lo.assign(table.axes.size(), {});
    table_.hi.assign(table.axes.size(), {});
    table_.reserve(rows);
    if (more.spread) table_.spread.reserve(rows);
    if (!more.coarse) return;
    table_.coarse_count.reserve(rows);
    table_.coarse_ticks.reserve(rows);
  }

  // Appends a chunk. Returns what is wrong with it, or "".
  std::string take(const DuckRows& rows) {
    std::size_t c = 0;
    for (std::size_t i = 0; i < table_.axes.size(); ++i) {
      const Axis& axis = domain_.axis(table_.axes[i]);
      append(table_.lo[i], rows, c++);
      append(table_.hi[i], rows, c++);
      if (axis.labelled()) continue;
      if (!follows(rows, c++, axis, table_.lo[i]) || !follows(rows, c++, axis, table_.hi[i])) {
        return fmt::format("the coordinates of axis {} are not those of its cells", axis.name);
      }
    }
    append(table_.parent, rows, c++);
    append(table_.depth, rows, c++);
    const auto leaf = rows.column<bool>(c++);
    leaf_.insert(leaf_.end(), leaf.begin(), leaf.end());
    append(table_.count, rows, c++);
    const std::size_t ticks_column = c++;
    append(table_.row_ticks, rows, ticks_column);
    append(table_.side_ticks, rows, c++);
    const std::size_t scale = c++;
    append(table_.estimate, rows, c++);
    if (more_.spread) append(table_.spread, rows, c++);
    if (more_.coarse) {
      append(table_.coarse_count, rows, c++);
      append(table_.coarse_ticks, rows, c++);
    }
    for (std::size_t column = 0; column < c; ++column) {
      if (column == scale || !rows.has_nulls(column)) continue;
      for (std::size_t row = 0; row < rows.size(); ++row) {
        if (!rows.valid(column, row)) return fmt::format("column {} holds a NULL", rows.name(column));
      }
    }
    const auto scales = rows.column<double>(scale);
    const auto ticks = rows.column<Ticks>(ticks_column);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const bool measured = ticks[row] > 0;
      if (rows.valid(scale, row) != measured || (measured && scales[row] != scale_of(ticks[row], k_))) {
        return "column noise_scale does not follow from ticks";
      }
    }
    return "";
  }

  bool leaves_follow() const { return leaf_ == table_.leaves(); }

 private:
  template <typename T>
  static void append(std::vector<T>& column, const DuckRows& rows, std::size_t c) {
    const auto values = rows.column<T>(c);
    column.insert(column.end(), values.begin(), values.end());
  }
  static bool follows(const DuckRows& rows, std::size_t c, const Axis& axis, const std::vector<std::uint32_t>& cells) {
    const auto values = rows.column<double>(c);
    const std::size_t first = cells.size() - values.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::bit_cast<std::uint64_t>(values[i]) != std::bit_cast<std::uint64_t>(axis.edge(cells[first + i])))
        return false;
    }
    return true;
  }

  Table& table_;
  const Domain& domain_;
  std::uint32_t k_;
  MoreColumns more_;
  std::vector<bool> leaf_;
};

// Where the columns that the content hash is about lie in the file and go to in memory.
class OwnColumns {
 public:
  OwnColumns(Table& table, const Domain& domain, MoreColumns more, std::size_t rows) : rows_(rows) {
    table.lo.assign(table.axes.size(), {});
    table.hi.assign(table.axes.size(), {});
    for (std::size_t i = 0; i < table.axes.size(); ++i) {
      add(table.lo[i]);
      add(table.hi[i]);
    }
    add(table.parent);
    add(table.depth);
    add(table.count);
    add(table.row_ticks);
    add(table.side_ticks);
    add(table.estimate);
    if (more.spread) add(table.spread);
    if (more.coarse) {
      add(table.coarse_count);
      add(table.coarse_ticks);
    }
    for (const FileColumn& column : table_columns(table, domain, more)) {
      if (!follows_from_others(column.name, table, domain)) columns_.push_back(column);
    }
    STOPOVER_CHECK(columns_.size() == places_.size(), "a column of a table has no place");
    make_columns();
  }

  std::vector<duckdb_type> types() const {
    std::vector<duckdb_type> types = {DUCKDB_TYPE_BIGINT};
    for (const FileColumn& column : columns_) types.push_back(column.type);
    return types;
  }
  // Behind the number of the row.
  std::string names() const {
    std::string names = "file_row_number";
    for (const FileColumn& column : columns_) names += ", " + quote_identifier(column.name);
    return names;
  }

  // Any thread, any order: a block goes where its first row belongs.
  std::string take(const RowBlock& block) const {
    for (std::size_t c = 1; c < block.data.size(); ++c) {
      if (block.validity[c] == nullptr) continue;
      for (std::size_t row = 0; row < block.rows; ++row) {
        if ((block.validity[c][row / 64] >> row % 64 & 1) == 0)
          return fmt::format("column {} holds a NULL", columns_[c - 1].name);
      }
    }
    const auto* numbers = static_cast<const std::int64_t*>(block.data[0]);
    for (std::size_t row = 0; row < block.rows;) {
      const std::int64_t first = numbers[row];
      std::size_t n = 1;
      while (row + n < block.rows && numbers[row + n] == first + static_cast<std::int64_t>(n)) ++n;
      if (first < 0 || static_cast<std::uint64_t>(first) + n > rows_) return "it has rows beyond its last";
      for (std::size_t c = 0; c < places_.size(); ++c) {
        const auto [to, bytes] = places_[c];
        std::memcpy(to + static_cast<std::size_t>(first) * bytes,
                    static_cast<const char*>(block.data[c + 1]) + row * bytes, n * bytes);
      }
      row += n;
    }
    return "";
  }

 private:
  template <typename T>
  void add(std::vector<T>& column) {
    made_.emplace_back([this, &column, at = places_.size()] {
      column.resize(rows_);
      places_[at] = {reinterpret_cast<char*>(column.data()), sizeof(T)};
    });
    places_.emplace_back();
  }
  // Memory is taken from the system page by page, which takes as long as filling it: two at it are quicker.
  void make_columns() {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i; (i = next++) < made_.size();) made_[i]();
    };
    std::future<void> other;
    if (rows_ > kMany) other = std::async(std::launch::async, work);
    work();
    if (other.valid()) other.get();
    made_.clear();
  }

  static constexpr std::size_t kMany = std::size_t{1} << 20;
  std::size_t rows_;
  std::vector<FileColumn> columns_;
  std::vector<std::pair<char*, std::size_t>> places_;
  std::vector<std::function<void()>> made_;
};

}  // namespace

std::vector<FileColumn> table_columns(const Table& table, const Domain& domain, MoreColumns more) {
  std::vector<FileColumn> columns;
  for (std::size_t a : table.axes) {
    const Axis& axis = domain.axis(a);
    columns.push_back({axis.name + "_lo", DUCKDB_TYPE_UINTEGER});
    columns.push_back({axis.name + "_hi", DUCKDB_TYPE_UINTEGER});
    if (axis.labelled()) continue;
    columns.push_back({axis.name + "_from", DUCKDB_TYPE_DOUBLE});
    columns.push_back({axis.name + "_to", DUCKDB_TYPE_DOUBLE});
  }
  const std::vector<FileColumn> rest = {{"parent", DUCKDB_TYPE_INTEGER},     {"depth", DUCKDB_TYPE_USMALLINT},
                                        {"leaf", DUCKDB_TYPE_BOOLEAN},       {"count", DUCKDB_TYPE_BIGINT},
                                        {"ticks", DUCKDB_TYPE_UBIGINT},      {"side_ticks", DUCKDB_TYPE_UBIGINT},
                                        {"noise_scale", DUCKDB_TYPE_DOUBLE}, {"estimate", DUCKDB_TYPE_DOUBLE}};
  columns.insert(columns.end(), rest.begin(), rest.end());
  if (more.spread) columns.push_back(kSpread);
  if (more.coarse) columns.insert(columns.end(), {kCoarseCount, kCoarseTicks});
  return columns;
}

Status write_table(DuckSession& duck, const Table& table, const Domain& domain, std::uint32_t k,
                   const std::string& path) {
  const std::vector<FileColumn> names = table_columns(table, domain, MoreColumns::of(table));
  if (Status ok = check_names(names); !ok) return ok;
  const std::size_t n = table.rows();

  std::vector<std::vector<double>> coordinates;
  coordinates.reserve(2 * table.axes.size());
  const std::vector<bool> is_leaf = table.leaves();
  std::vector<unsigned char> leaf(is_leaf.begin(), is_leaf.end());
  std::vector<double> scale(n);
  std::vector<bool> measured(n);
  std::vector<std::uint32_t> order(n);
  for (std::size_t row = 0; row < n; ++row) {
    order[row] = static_cast<std::uint32_t>(row);
    measured[row] = table.row_ticks[row] > 0;
    scale[row] = measured[row] ? scale_of(table.row_ticks[row], k) : 0;
  }
  std::vector<DuckColumn> columns;
  for (std::size_t i = 0; i < table.axes.size(); ++i) {
    const Axis& axis = domain.axis(table.axes[i]);
    columns.push_back(DuckColumn::of("", table.lo[i]));
    columns.push_back(DuckColumn::of("", table.hi[i]));
    if (axis.labelled()) continue;
    columns.push_back(DuckColumn::of("", coordinates.emplace_back(edges(axis, table.lo[i]))));
    columns.push_back(DuckColumn::of("", coordinates.emplace_back(edges(axis, table.hi[i]))));
  }
  columns.push_back(DuckColumn::of("", table.parent));
  columns.push_back(DuckColumn::of("", table.depth));
  columns.push_back({"", DUCKDB_TYPE_BOOLEAN, leaf.data(), nullptr});
  columns.push_back(DuckColumn::of("", table.count));
  columns.push_back(DuckColumn::of("", table.row_ticks));
  columns.push_back(DuckColumn::of("", table.side_ticks));
  columns.push_back(DuckColumn::of("", scale, &measured));
  columns.push_back(DuckColumn::of("", table.estimate));
  if (!table.spread.empty()) columns.push_back(DuckColumn::of("", table.spread));
  if (!table.coarse_ticks.empty()) {
    columns.push_back(DuckColumn::of("", table.coarse_count));
    columns.push_back(DuckColumn::of("", table.coarse_ticks));
  }

  std::string select;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    columns[c].name = fmt::format("c{}", c);
    select += fmt::format("{}c{} AS {}", c == 0 ? "" : ", ", c, quote_identifier(names[c].name));
  }
  columns.push_back(DuckColumn::of("place", order));
  Status status = duck.load("rows_of_table", columns, n);
  if (status) {
    status =
        duck.run(fmt::format("COPY (SELECT {} FROM rows_of_table ORDER BY place) TO {} (FORMAT PARQUET, COMPRESSION "
                             "ZSTD, ROW_GROUP_SIZE {})",
                             select, quote_output(path), kRowGroup));
  }
  const Status dropped = duck.run("DROP TABLE IF EXISTS rows_of_table");
  if (!status)
    return passed_on(status.error(),
                     {Failure::internal, fmt::format("cannot write {}\n  {}", path, status.error().message)});
  if (!dropped) return Error{Failure::internal, dropped.error().message};
  return {};
}

Status read_table(DuckSession& duck, Table& table, const Domain& domain, std::uint32_t k, std::uint64_t rows,
                  const std::string& path, Reading reading) {
  const std::string file = std::filesystem::path(path).filename().string();
  const auto bad = [&](const std::string& what) {
    return Error{Failure::bad_input, fmt::format("{}: {}", file, what)};
  };
  const auto select = [&](const std::string& columns, const char* limit) {
    return duck.query(
        fmt::format("SELECT {} FROM read_parquet({}, hive_partitioning = false){}", columns, quote_input(path), limit));
  };
  // A file that says it has more rows than room is made for has to show them one after the other.
  const bool own_only = reading == Reading::own_columns && rows <= kMostReserved;
  Result<DuckRows> chunks = select("*", own_only ? " LIMIT 0" : "");
  if (!chunks) return bad("it cannot be read as Parquet: " + chunks.error().message);
  const MoreColumns more = more_of(*chunks);
  const std::vector<FileColumn> columns = table_columns(table, domain, more);
  bool same = chunks->columns() == columns.size();
  for (std::size_t c = 0; same && c < columns.size(); ++c) {
    same = chunks->name(c) == columns[c].name && chunks->type(c) == columns[c].type;
  }
  if (!same) return bad("its columns are not those of the table");
  const auto check_parents = [&]() -> Status {
    for (std::int32_t parent : table.parent) {
      if (parent < -1 || parent >= static_cast<std::int64_t>(rows)) return bad("a parent is not a row");
    }
    return {};
  };
  if (own_only) {
    // The file's own word, which costs nothing: room is made for rows that are there.
    chunks = select("count(*)", "");
    std::uint64_t found = 0;
    for (;;) {  // to its end: what is registered while a query is under way goes with it
      const Result<bool> next = chunks ? chunks->next() : Result<bool>(chunks.error());
      if (!next) return bad("it cannot be read as Parquet: " + next.error().message);
      if (!*next) break;
      found = static_cast<std::uint64_t>(chunks->column<std::int64_t>(0)[0]);
    }
    if (found != rows) return bad(fmt::format("it has {} rows, not {}", found, rows));
    const OwnColumns own(table, domain, more, rows);
    const std::string take = "take_rows_of_" + table.name;  // one a session
    const Status added =
        add_block_taker(duck, take, own.types(), [&own](const RowBlock& block) { return own.take(block); });
    if (!added) return added;
    chunks = duck.query(fmt::format(
        "SELECT sum({}({}))::BIGINT FROM read_parquet({}, hive_partitioning = false, file_row_number = true)",
        quote_identifier(take), own.names(), quote_input(path)));
    const Result<bool> taken = chunks ? chunks->next() : Result<bool>(chunks.error());
    if (!taken) return bad("it cannot be read as Parquet: " + taken.error().message);
    if (rows > 0 && chunks->column<std::int64_t>(0)[0] != static_cast<std::int64_t>(rows)) {
      return bad("it lacks rows that it says it has");
    }
    return check_parents();
  }
  RowReader reader(table, domain, k, more, std::min(rows, kMostReserved));
  for (;;) {
    const Result<bool> next = chunks->next();
    if (!next) return bad("it cannot be read as Parquet: " + next.error().message);
    if (!*next) break;
    if (chunks->size() > rows - table.rows()) return bad(fmt::format("it has more than {} rows", rows));
    if (std::string wrong = reader.take(*chunks); !wrong.empty()) return bad(wrong);
  }
  if (table.rows() != rows) return bad(fmt::format("it has {} rows, not {}", table.rows(), rows));
  if (Status ok = check_parents(); !ok) return ok;
  if (!reader.leaves_follow()) return bad("column leaf does not follow from parent");
  return {};
}

}  // namespace stopover
