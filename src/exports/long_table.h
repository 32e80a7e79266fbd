// LongTable: named columns on their way to a CSV or Parquet file.
//
//   LongTable table(rows);
//   table.add("estimate", std::move(estimates));
//   Status s = table.write(path, TableForm::parquet, card);
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/result.h"

namespace stopover {

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

 private:
  using Values = std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::uint64_t>,
                              std::vector<std::uint32_t>, std::vector<std::string>>;
  struct Column {
    std::string name;
    Values values;
    std::vector<bool> valid;
  };
  std::size_t rows_;
  std::vector<Column> columns_;
};

}  // namespace stopover
