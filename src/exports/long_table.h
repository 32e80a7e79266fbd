// LongTable: named columns on their way to a CSV or Parquet file.
//
//   LongTable table(rows);
//   table.add("estimate", std::move(estimates));
//   Status s = table.write(path, TableForm::parquet, card);
//
// A table too large to hold is written in blocks of rows (write_blocks): each is a LongTable of the same columns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/result.h"

namespace stopover {

struct DuckColumn;

enum class TableForm { csv, parquet };

class LongTable {
 public:
  explicit LongTable(std::size_t rows) : rows_(rows) {}

  std::size_t rows() const { return rows_; }
  // `valid`: false where the value is missing; empty: nowhere. REQUIRES: one value per row.
  template <typename T>
  void add(std::string name, std::vector<T> values, std::vector<bool> valid = {}) {
    STOPOVER_CHECK(values.size() == rows_ && (valid.empty() || valid.size() == rows_),
                   "a column has one value per "
                   "row");
    columns_.push_back({std::move(name), std::move(values), std::move(valid)});
  }

  // Makes or replaces the file. In Parquet the card becomes the metadata entry `stopover`; CSV has no place for it.
  // Names that differ in case only (which SQL takes for the same) get a number. Fails (bad_input) when it cannot be
  // written.
  Status write(const std::string& path, TableForm form, const std::string& card, unsigned threads = 0) const;

  // The next rows of a table, of the same columns as those before; nothing at its end.
  using NextRows = std::function<Result<std::optional<LongTable>>()>;
  // The same file as `write` makes of all rows at once, while only one block is held. Fails with what `next` failed
  // with. REQUIRES: at least one block, which may have no rows.
  static Status write_blocks(const std::string& path, TableForm form, const std::string& card, unsigned threads,
                             const NextRows& next);

  // The rows of a SELECT in brackets, in its order. For tables that are on disk already.
  static Status write_rows(const std::string& select, const std::string& path, TableForm form, const std::string& card,
                           unsigned threads);

 private:
  using Values = std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::uint64_t>,
                              std::vector<std::uint32_t>, std::vector<std::string>>;
  struct Column {
    std::string name;
    Values values;
    std::vector<bool> valid;
  };
  // As DuckDB takes them; they point into this table.
  std::vector<DuckColumn> loaded() const;

  std::size_t rows_;
  std::vector<Column> columns_;
};

}  // namespace stopover
