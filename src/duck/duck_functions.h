// Functions and tables of our own inside a DuckSession: SQL calls them by name.
//
//   add_text_hash(duck, "lot", &lot_of);
//   add_text_table(duck, "trips_csv", {"uid", "lat"}, [] { return open_rows(...); });
//   duck.query("SELECT lot('key', uid) FROM trips_csv()");
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "duck/duck.h"

namespace stopover {

// Any number of texts, some of them missing, to a number. Called from several threads. An INTEGER or BIGINT in SQL is
// its digits.
using TextHash = std::int64_t (*)(std::span<const std::optional<std::string_view>>);

Status add_text_hash(DuckSession& duck, const std::string& name, TextHash hash);

// Two DOUBLEs to an INTEGER; a negative number is a missing value, as is what a missing DOUBLE gives. Called from
// several threads.
using PointLookup = std::function<std::int64_t(double, double)>;

Status add_point_lookup(DuckSession& duck, const std::string& name, PointLookup lookup);

// Some rows of columns of known types, as they lie in DuckDB's memory.
struct RowBlock {
  std::size_t rows = 0;
  std::vector<const void*> data;               // [column]
  std::vector<const std::uint64_t*> validity;  // [column], nullptr: no NULL; else a bit a row
};

// What takes blocks of rows, called from several threads: "", or what is wrong with them, which ends the query.
using BlockTaker = std::function<std::string(const RowBlock& block)>;

// A function of columns of these types: SELECT sum(name(a, b)) FROM t hands all rows of t over, in blocks and any
// order, without a copy of its own, and gives their number.
Status add_block_taker(DuckSession& duck, const std::string& name, const std::vector<duckdb_type>& types,
                       BlockTaker taker);

// Rows of texts, one after the other.
class TextRows {
 public:
  virtual ~TextRows() = default;
  // The next row's values, one a column, valid until the next call; false at the end. REQUIRES of implementations:
  // valid UTF-8.
  virtual Result<bool> next(std::vector<std::optional<std::string_view>>& row) = 0;
};

using OpenTextRows = std::function<Result<std::unique_ptr<TextRows>>()>;

// A table function without arguments, all columns VARCHAR. Every scan opens its rows anew and reads them in one thread.
Status add_text_table(DuckSession& duck, const std::string& name, const std::vector<std::string>& columns,
                      const OpenTextRows& open);

// The next rows: points the columns (as many as the table has, of its types) at them and says how many there are; 0 at
// the end. They stay where they are until the next call.
using NextBlock = std::function<Result<std::size_t>(std::vector<DuckColumn>& columns)>;

// A table function without arguments that holds nothing: rows are made while they are read, in one thread and in their
// order. `columns` has names and types. Can be read once.
Status add_block_table(DuckSession& duck, const std::string& name, const std::vector<DuckColumn>& columns,
                       const NextBlock& next);

}  // namespace stopover
