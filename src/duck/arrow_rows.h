// ArrowRows: a table in memory, as pandas, Polars, pyarrow and others hand it over (Arrow's C stream interface), for
// DuckDB to scan where it lies: values of fixed width are never copied.
//
//   Result<std::shared_ptr<const ArrowRows>> rows = ArrowRows::take(stream);
//   add_arrow_table(duck, "frame", *rows);
//   duck.query("SELECT lat FROM frame()");             // as often as one likes; by several threads; only the columns
//   named
//
// SECRET as the rows are: only names and types of columns are shown.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "duck/arrow_abi.h"
#include "duck/duck.h"

namespace stopover {

class ArrowRows {
 public:
  // Asks the stream for all its batches, keeps them as they are, and releases the stream. Fails (bad_input) with the
  // stream's own words, and where it is not a table. The batches are released with the last copy of the pointer, on its
  // thread.
  static Result<std::shared_ptr<const ArrowRows>> take(ArrowArrayStream& stream);
  ArrowRows(const ArrowRows&) = delete;
  ArrowRows& operator=(const ArrowRows&) = delete;
  ~ArrowRows();

  // Columns of plain values, in order; lists, structs and the like are passed over.
  const std::vector<std::string>& columns() const { return names_; }
  const ArrowSchema& schema(std::size_t column) const { return *schema_.children[places_[column]]; }
  // Whether one value of the column could end a scan: times with a zone in seconds or milliseconds, which DuckDB turns
  // into microseconds, and which may then not fit.
  bool may_overflow(const std::string& column) const;
  std::size_t batches() const { return batches_.size(); }
  std::size_t rows(std::size_t batch) const { return static_cast<std::size_t>(batches_[batch].length); }
  // Rows [from, from + rows) of a column, sharing its memory. REQUIRES: they lie in the batch.
  ArrowArray slice(std::size_t batch, std::size_t column, std::size_t from, std::size_t rows) const;

 private:
  ArrowRows() = default;

  ArrowSchema schema_{};
  std::vector<ArrowArray> batches_;
  std::vector<std::string> names_;
  std::vector<std::size_t> places_;  // of columns() in the schema
};

// A table function without arguments, with the columns whose type DuckDB knows. Fails (bad_input) when there is none.
Status add_arrow_table(DuckSession& duck, const std::string& name, std::shared_ptr<const ArrowRows> rows);

}  // namespace stopover
