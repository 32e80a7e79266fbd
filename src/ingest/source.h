// Source: where rows come from, before anything is made of them.
//
//   NAME.csv NAME.csv.gz NAME.csv.zst        a header line; commas and UTF-8 unless declared otherwise (see
//                                          text_table.h: a bad row costs that row alone)
//   NAME.jsonl NAME.ndjson, .gz, .zst        one JSON object a line
//   NAME.parquet                             also folders, hive-partitioned ones (the parts' values become text columns), too
//   'month=*/part-*.parquet'                 wildcards for any of them; files of one kind, with the same columns
//   --sql "SELECT ..."                       any query of DuckDB over such files, or over databases whose DuckDB extension is
//                                            installed and named with --extension; nothing is ever fetched
//   a table in memory                        from Python: Arrow's C stream interface, scanned where it lies
//
// The query of --sql is the curator's own: an error in it ends the run, and if one row's value can cause one (a cast, say),
// then that row can end the run. Use TRY_CAST.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "duck/arrow_rows.h"
#include "duck/duck.h"
#include "ingest/text_table.h"

namespace stopover {

struct SourceRequest {
  std::string input;                    // a file, folder or wildcards; empty with sql
  std::string sql;                      // a SELECT; empty with input
  std::vector<std::string> extensions;  // to LOAD first, for sql
  std::shared_ptr<const ArrowRows> arrow = nullptr;  // instead of both
  TextForm form = {};                                // of CSV files; for all others the usual one
};

class Source {
 public:
  enum class Kind { text, parquet, sql, arrow };

  // Fails (bad_input) on what cannot be read, (usage) on a name of unknown kind.
  static Result<Source> open(DuckSession& duck, const SourceRequest& request);

  Kind kind() const { return kind_; }
  TextForm form() const { return text_ ? text_->form() : TextForm(); }
  // JSON lines do not say which columns there are.
  bool knows_columns() const { return !text_ || text_->format() == TextFormat::csv; }
  // Names in order, and DuckDB's types by name.
  const std::vector<std::string>& columns() const { return columns_; }
  const std::map<std::string, std::string>& types() const { return types_; }

  // Makes the view `source` with these columns. REQUIRES: all of them are known, or knows_columns() is false.
  Status make_view(DuckSession& duck, const std::vector<std::string>& columns);
  // Lines that were no rows, so far. SECRET.
  const SkippedLines& skipped() const { return reading_->skipped; }
  // Why reading a text source ended early, in its own words: DuckDB passes on the first line of them alone.
  const std::optional<Error>& fault() const { return reading_->fault; }
  // What to type where a column is missing because of the delimiter; or "".
  std::string advice() const { return text_ ? delimiter_hint(columns_) : ""; }

  // For Spark's side: what to read, as JSON; of a table in memory its columns alone. Fails (usage) for sql.
  Result<std::string> description(const std::vector<std::string>& columns) const;

 private:
  Kind kind_ = Kind::text;
  std::optional<TextTable> text_;
  std::shared_ptr<const ArrowRows> arrow_;
  std::string from_;  // all but text: what stands after FROM
  std::vector<std::string> paths_;
  std::string folder_;
  std::vector<std::string> columns_;
  std::map<std::string, std::string> types_;
  struct Reading {
    SkippedLines skipped;
    std::optional<Error> fault;
  };
  std::shared_ptr<Reading> reading_ = std::make_shared<Reading>();
};

}  // namespace stopover
