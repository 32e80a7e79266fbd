// DuckSession: one private, in-memory DuckDB. The only way this project talks to DuckDB, so that every connection is
// opened the same careful way: no extension is ever installed or loaded by itself (that reaches for the network), what
// does not fit in memory spills to a fresh folder that only this user can read and that is removed afterwards
// (disk/private_folder.h), and the configuration is locked before the first statement.
//
//   Result<DuckSession> duck = DuckSession::open();
//   Result<DuckRows> rows = duck->query("SELECT a, b FROM read_parquet(" + quote_input(file) + ")");
//   for (;;) {
//     Result<bool> more = rows->next();
//     if (!more) return more.error();
//     if (!*more) break;
//     std::span<const std::uint32_t> a = rows->column<std::uint32_t>(0);
//     ...
//   }
//
// Errors are Failure::bad_input with DuckDB's own first line, but disk_full where there was no room to write, and
// interrupted where the caller wanted to stop: passed_on() keeps these two. DuckDB's messages may quote the data: never
// put them where only public things may stand.
#pragma once

#include <duckdb.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "base/result.h"

namespace stopover {

// 'it''s': a text constant in SQL. REQUIRES for any use: no zero byte (DuckSession refuses SQL that holds one).
std::string quote_literal(std::string_view text);
// "a ""name""": a column or table in SQL.
std::string quote_identifier(std::string_view name);
// One file for read_parquet or read_csv: absolute and quoted, wildcard characters taken as themselves. Say
// hive_partitioning = false as well, else a folder named a=1 becomes a column. (A path with both a backslash and a
// wildcard is not found.)
std::string quote_input(const std::string& path);
// One file for COPY ... TO.
std::string quote_output(const std::string& path);

// The DuckDB type that holds a T.
template <typename T>
constexpr duckdb_type duck_type() {
  if constexpr (std::is_same_v<T, bool>) return DUCKDB_TYPE_BOOLEAN;
  if constexpr (std::is_same_v<T, std::int16_t>) return DUCKDB_TYPE_SMALLINT;
  if constexpr (std::is_same_v<T, std::uint16_t>) return DUCKDB_TYPE_USMALLINT;
  if constexpr (std::is_same_v<T, std::int32_t>) return DUCKDB_TYPE_INTEGER;
  if constexpr (std::is_same_v<T, std::uint32_t>) return DUCKDB_TYPE_UINTEGER;
  if constexpr (std::is_same_v<T, std::int64_t>) return DUCKDB_TYPE_BIGINT;
  if constexpr (std::is_same_v<T, std::uint64_t>) return DUCKDB_TYPE_UBIGINT;
  if constexpr (std::is_same_v<T, float>) return DUCKDB_TYPE_FLOAT;
  if constexpr (std::is_same_v<T, double>) return DUCKDB_TYPE_DOUBLE;
  if constexpr (std::is_same_v<T, duckdb_string_t>) return DUCKDB_TYPE_VARCHAR;
  return DUCKDB_TYPE_INVALID;
}

// "UINTEGER" and so on, for messages and CREATE TABLE; "?" for types not used here.
std::string_view duck_type_name(duckdb_type type);

// The rows of one query, a chunk of at most a few thousand at a time, in the query's order.
class DuckRows {
 public:
  std::size_t columns() const { return types_.size(); }
  const std::string& name(std::size_t column) const { return names_[column]; }
  duckdb_type type(std::size_t column) const { return types_[column]; }

  // Fetches the next chunk; false at the end. What the former chunk's views pointed at is gone.
  Result<bool> next();
  std::size_t size() const { return size_; }

  // The current chunk's values. Meaningless where !valid(). REQUIRES: the column's type is duck_type<T>().
  template <typename T>
  std::span<const T> column(std::size_t c) const {
    static_assert(duck_type<T>() != DUCKDB_TYPE_INVALID);
    STOPOVER_CHECK(c < types_.size() && types_[c] == duck_type<T>(), "a column was read as another type");
    return {static_cast<const T*>(data_[c]), size_};
  }
  // False where the value is NULL.
  bool valid(std::size_t c, std::size_t row) const {
    return validity_[c] == nullptr || (validity_[c][row / 64] >> (row % 64) & 1) != 0;
  }
  // Whether the current chunk of this column may hold a NULL at all.
  bool has_nulls(std::size_t c) const { return validity_[c] != nullptr; }
  // REQUIRES: a VARCHAR column.
  std::string_view text(std::size_t c, std::size_t row) const;

 private:
  friend class DuckSession;
  struct State;
  struct Close {
    void operator()(State* state) const;
  };
  DuckRows() = default;
  std::unique_ptr<State, Close> state_;
  std::vector<std::string> names_;
  std::vector<duckdb_type> types_;
  std::vector<const void*> data_;
  std::vector<const std::uint64_t*> validity_;
  std::size_t size_ = 0;
};

// A column to load into a table; does not own its data.
struct DuckColumn {
  std::string name;
  duckdb_type type = DUCKDB_TYPE_INVALID;
  const void* data = nullptr;                // `rows` values; std::string for VARCHAR
  const std::vector<bool>* valid = nullptr;  // null: every value counts

  template <typename T>
  static DuckColumn of(std::string name, const std::vector<T>& values, const std::vector<bool>* valid = nullptr) {
    if constexpr (std::is_same_v<T, std::string>) {
      return {std::move(name), DUCKDB_TYPE_VARCHAR, values.data(), valid};
    } else {
      static_assert(duck_type<T>() != DUCKDB_TYPE_INVALID);
      return {std::move(name), duck_type<T>(), values.data(), valid};
    }
  }
};

// Copies rows first to first + n of a column into a vector that DuckDB has made. REQUIRES: a vector of that type, with
// room for them.
void fill(duckdb_vector vector, const DuckColumn& column, std::size_t first, std::size_t n);

struct DuckOptions {
  unsigned threads = 0;      // DEFAULT: 0, all the machine's; always one in a build for the thread sanitizer
  std::string memory_limit;  // "2GB"; DEFAULT: DuckDB's own (80 % of memory)
  // Asked every 20 ms, by a thread of the session: true ends the running query with Failure::interrupted. REQUIRES: may
  // be called by any thread as long as the session lives. DEFAULT: none.
  std::function<bool()> interrupted = nullptr;
  std::string temp_folder = {};  // where the folder for what does not fit is made; DEFAULT: TMPDIR
  // Whether DuckDB may work out expressions for the least and the most that Parquet files state of their columns. That
  // is outside of TRY: a value that an expression fails on ends the query. DEFAULT: true.
  bool extremes = true;
};

class DuckSession {
 public:
  static Result<DuckSession> open(const DuckOptions& options = {});

  // Runs statements whose rows nobody wants.
  Status run(const std::string& sql);
  // Starts a query; rows stream out of it. One query at a time: the next run() or query() ends an unfinished one.
  Result<DuckRows> query(const std::string& sql);
  // Makes a table of these columns, each of `rows` values. Fast: whole chunks at a time.
  Status load(const std::string& table, const std::vector<DuckColumn>& columns, std::size_t rows);

  // "v1.4.4"
  static std::string version();

  // For duck_functions.h.
  duckdb_connection connection() const;

 private:
  struct State;
  struct Close {
    void operator()(State* state) const;
  };
  DuckSession() = default;
  std::unique_ptr<State, Close> state_;
};

}  // namespace stopover
