// Source: where rows come from, before anything is made of them.
//
//   NAME.csv NAME.csv.gz NAME.csv.zst        a header line; commas and UTF-8 unless declared otherwise (see
//                                          text_table.h: a bad row costs that row alone)
//   NAME.jsonl NAME.ndjson, .gz, .zst        one JSON object a line
//   NAME.parquet                             also folders, hive-partitioned ones (the parts' values become text
//   columns), too
//   'month=*/part-*.parquet'                 wildcards for any of them; files of one kind. CSV files must have the same
//   columns
//   --sql "SELECT ..."                       any query of DuckDB over such files, or over databases whose DuckDB
//                                            extension is installed and named with --extension; nothing is ever fetched
//   a table in memory                        from Python: Arrow's C stream interface, scanned where it lies
//
// Parquet files may differ in their columns and types. Files that are alike in what is wanted of them are one view, and
// every view is read by its own types: no file changes how another is read (trip_plan.h says what is missing where).
// What a file is, as against what its rows hold, is structure, like a CSV file's first line: one that cannot be read at
// all ends the run.
//
// The query of --sql is the curator's own: an error in it ends the run, and if one row's value can cause one (a cast,
// say), then that row can end the run. Use TRY_CAST.
#pragma once

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
#include "ingest/trip_plan.h"

namespace stopover {

struct SourceRequest {
  std::string input;                                 // a file, folder or wildcards; empty with sql
  std::string sql;                                   // a SELECT; empty with input
  std::vector<std::string> extensions;               // to LOAD first, for sql
  std::shared_ptr<const ArrowRows> arrow = nullptr;  // instead of both
  TextForm form = {};                                // of CSV files; for all others the usual one
};

class Source {
 public:
  enum class Kind { text, parquet, sql, arrow };

  // Fails (bad_input) on what cannot be read, (usage) on a name of unknown kind.
  static Result<Source> open(DuckSession& duck, const SourceRequest& request);

  Kind kind() const { return kind_; }
  // The files; none of a query or a table in memory.
  const std::vector<std::string>& paths() const { return paths_; }
  TextForm form() const { return text_ ? text_->form() : TextForm(); }
  // JSON lines do not say which columns there are.
  bool knows_columns() const { return !text_ || text_->format() == TextFormat::csv; }
  // Names in order, of all files together, and DuckDB's types by name: "DOUBLE or FLOAT" where files differ.
  const std::vector<std::string>& columns() const { return columns_; }
  const std::map<std::string, std::string>& types() const { return types_; }

  // The views that hold these columns: `source`, and `source_1`, ... where files differ. REQUIRES: all columns are
  // known, or knows_columns() is false.
  std::vector<SourceView> views(const std::vector<std::string>& columns, SqlDialect::Engine engine) const;
  Status make_views(DuckSession& duck, const std::vector<std::string>& columns);
  // How many files each of them is made of.
  std::vector<std::size_t> files(const std::vector<std::string>& columns) const;
  // Of a text source, so far. SECRET.
  const LineCounts& lines() const { return reading_->lines; }
  // Why reading a text source ended early, in its own words: DuckDB passes on the first line of them alone.
  const std::optional<Error>& fault() const { return reading_->fault; }
  // What to type where a column is missing because of the delimiter; or "".
  std::string advice() const { return text_ ? delimiter_hint(columns_) : ""; }

  // For Spark's side: what to read, as JSON: the views, and of each the files, columns and DuckDB's names of their
  // types; of a table in memory its columns alone. Fails (usage) for sql.
  Result<std::string> description(const std::vector<std::string>& columns) const;

 private:
  // Parquet files with the same columns.
  struct Alike {
    std::vector<std::string> paths;
    std::string parts;                          // which parts of their path are columns
    std::map<std::string, std::string> types;   // DuckDB's
    std::map<std::string, std::string> stored;  // the file's own
  };
  Status describe_files(DuckSession& duck);
  std::vector<Alike> alike_in(const std::vector<std::string>& columns) const;
  std::string from(const Alike& files) const;

  Kind kind_ = Kind::text;
  std::vector<Alike> alike_;  // parquet
  std::optional<TextTable> text_;
  std::shared_ptr<const ArrowRows> arrow_;
  std::string from_;  // sql and arrow: what stands after FROM
  std::vector<std::string> paths_;
  std::string folder_;
  std::vector<std::string> columns_;
  std::map<std::string, std::string> types_;
  struct Reading {
    LineCounts lines;
    std::optional<Error> fault;
  };
  std::shared_ptr<Reading> reading_ = std::make_shared<Reading>();
};

}  // namespace stopover
