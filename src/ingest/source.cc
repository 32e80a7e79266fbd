#include "ingest/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/disk_full.h"
#include "ingest/file_signature.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

Error bad_input(std::string message) { return {Failure::bad_input, std::move(message)}; }

enum class FileKind { csv, json_lines, parquet, unknown };

FileKind kind_of(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  }
  if (path.ends_with(".csv")) return FileKind::csv;
  if (path.ends_with(".jsonl") || path.ends_with(".ndjson")) return FileKind::json_lines;
  if (path.ends_with(".parquet")) return FileKind::parquet;
  return FileKind::unknown;
}

Error unknown_kind(const std::string& path) {
  return {Failure::usage, fmt::format("cannot tell what {} is\n  Rows are in files named .csv, .jsonl, .ndjson (also .gz, .zst) or "
                                      ".parquet, in a folder of them, or come from --sql.", path)};
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->is_regular_file(failed) && kind_of(at->path().string()) != FileKind::unknown) files.push_back(at->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> matching(const std::string& pattern) {
  std::vector<std::string> files;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return files;
}

Result<std::vector<std::string>> find_files(const std::string& input) {
  std::error_code failed;
  const bool exists = fs::exists(input, failed), folder = exists && fs::is_directory(input, failed);
  std::vector<std::string> files;
  if (folder) {
    files = files_in(input);
    if (files.empty()) return bad_input(fmt::format("{} is a folder without tables\n  None of its files is named .csv, .jsonl or .parquet.", input));
  } else if (exists) {
    files = {input};
  } else {
    files = matching(input);
    if (files.empty()) return bad_input(fmt::format("cannot read {}\n  No such file or folder.", input));
  }
  const FileKind kind = kind_of(files[0]);
  if (kind == FileKind::unknown) return unknown_kind(files[0]);
  for (const std::string& file : files) {
    if (kind_of(file) != kind) return bad_input(fmt::format("{} and {} are of different kinds\n  Read one kind at a time.", files[0], file));
  }
  return files;
}

// Rows that keep the words of what went wrong.
class KeepingRows : public TextRows {
 public:
  KeepingRows(std::unique_ptr<TextRows> rows, std::optional<Error>& fault) : rows_(std::move(rows)), fault_(fault) {}
  Result<bool> next(std::vector<std::optional<std::string_view>>& row) override {
    Result<bool> more = rows_->next(row);
    if (!more) fault_ = more.error();
    return more;
  }

 private:
  std::unique_ptr<TextRows> rows_;
  std::optional<Error>& fault_;
};

}  // namespace

Result<Source> Source::open(DuckSession& duck, const SourceRequest& request) {
  Source source;
  const int named = (request.sql.empty() ? 0 : 1) + (request.input.empty() ? 0 : 1) + (request.arrow ? 1 : 0);
  if (named != 1) return Error{Failure::usage, "name the rows: one file, folder or pattern, or --sql"};
  const auto no_csv = [](std::string_view what) {
    return Error{Failure::usage, fmt::format("--encoding and --delimiter are for CSV files, not for {}", what)};
  };
  if (request.input.empty() && request.form != TextForm()) return no_csv(request.arrow ? "a table in memory" : "--sql");
  if (request.arrow) {
    source.kind_ = Kind::arrow;
    source.arrow_ = request.arrow;
    if (Status s = add_arrow_table(duck, "source_table", request.arrow); !s) return s.error();
    source.from_ = "source_table()";
  } else if (!request.sql.empty()) {
    source.kind_ = Kind::sql;
    for (const std::string& extension : request.extensions) {
      const bool plain = std::all_of(extension.begin(), extension.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
      const Status loaded = plain ? duck.run("LOAD " + extension) : Status(Error{Failure::usage, ""});
      if (!loaded) {
        return Error{Failure::usage, fmt::format("the DuckDB extension \"{}\" is not installed\n  Install it with DuckDB's own INSTALL "
                                                 "{}; stopover fetches nothing.", extension, extension)};
      }
    }
    std::string sql = request.sql;
    while (!sql.empty() && (sql.back() == ';' || sql.back() == ' ' || sql.back() == '\n')) sql.pop_back();
    source.from_ = fmt::format("({}\n) AS query", sql);
  } else {
    Result<std::vector<std::string>> files = find_files(request.input);
    if (!files) return files.error();
    source.paths_ = std::move(*files);
    const FileKind kind = kind_of(source.paths_[0]);
    if (kind != FileKind::csv && request.form != TextForm()) return no_csv(source.paths_[0]);
    if (kind != FileKind::parquet) {
      Result<TextTable> table =
          TextTable::describe(source.paths_, kind == FileKind::csv ? TextFormat::csv : TextFormat::json_lines, request.form);
      if (!table) return table.error();
      for (const std::string& column : table->columns()) {
        if (!source.types_.emplace(column, "VARCHAR").second) {
          return bad_input(fmt::format("{} has two columns named {}\n  Rename or remove one of them.", source.paths_[0], column));
        }
      }
      source.columns_ = table->columns();
      source.text_ = std::move(*table);
      return source;
    }
    source.kind_ = Kind::parquet;
    for (const std::string& path : source.paths_) {
      if (Status s = check_parquet(path); !s) return s.error();
    }
    std::error_code failed;
    const bool folder = fs::is_directory(request.input, failed);
    if (folder) source.folder_ = fs::absolute(request.input, failed).string();
    std::vector<std::string> list;
    for (const std::string& path : source.paths_) list.push_back(quote_input(path));
    source.from_ = fmt::format("read_parquet([{}], hive_partitioning = {}, hive_types_autocast = false)", fmt::join(list, ", "), folder);
  }
  Result<DuckRows> described = duck.query(fmt::format("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {})", source.from_));
  if (!described) {
    const std::string what = request.arrow ? "the table in memory" : request.sql.empty() ? request.input : "the query of --sql";
    return passed_on(described.error(), bad_input(fmt::format("cannot read {}\n  {}", what, described.error().message)));
  }
  for (;;) {
    const Result<bool> more = described->next();
    if (!more) return more.error();
    if (!*more) return source;
    for (std::size_t row = 0; row < described->size(); ++row) {
      source.columns_.emplace_back(described->text(0, row));
      source.types_.emplace(source.columns_.back(), std::string(described->text(1, row)));
    }
  }
}

Status Source::make_view(DuckSession& duck, const std::vector<std::string>& columns) {
  if (text_) {
    const OpenTextRows rows = [table = *text_, columns, reading = reading_]() -> Result<std::unique_ptr<TextRows>> {
      reading->skipped.clear();
      Result<std::unique_ptr<TextRows>> opened = table.open(columns, reading->skipped);
      if (!opened) return opened.error();
      return std::unique_ptr<TextRows>(std::make_unique<KeepingRows>(std::move(*opened), reading->fault));
    };
    if (Status s = add_text_table(duck, "source_lines", columns, rows); !s) return s;
    return duck.run("CREATE TEMP VIEW source AS SELECT * FROM source_lines()");
  }
  std::vector<std::string> list;
  for (const std::string& column : columns) {
    list.push_back(quote_identifier(column));
    if (arrow_ && arrow_->may_overflow(column)) {
      return bad_input(fmt::format("column {} holds times with a zone in seconds or milliseconds\n  One far-off time could not be "
                                   "read. Cast the column to microseconds.", column));
    }
  }
  return duck.run(fmt::format("CREATE TEMP VIEW source AS SELECT {} FROM {}", fmt::join(list, ", "), from_));
}

Result<std::string> Source::description(const std::vector<std::string>& columns) const {
  if (kind_ == Kind::sql) {
    return Error{Failure::usage, "--sql is DuckDB's and cannot run on Spark\n  Write what it selects to Parquet first."};
  }
  nlohmann::json out;
  std::error_code failed;
  for (const std::string& path : paths_) out["paths"].push_back(fs::absolute(path, failed).string());
  if (!folder_.empty()) out["paths"] = {folder_};
  out["format"] = arrow_ ? "table" : !text_ ? "parquet" : text_->format() == TextFormat::csv ? "csv" : "json_lines";
  out["width"] = columns_.size();
  if (text_ && text_->form() != TextForm()) {
    if (text_->form().encoding == TextEncoding::utf16) {
      return Error{Failure::usage, "--encoding utf-16 is DuckDB's and cannot run on Spark\n  Leave out --engine spark, or change the file first: "
                                   "iconv -f UTF-16 -t UTF-8 IN > OUT"};
    }
    out["encoding"] = to_string(text_->form().encoding);
    out["delimiter"] = std::string(1, text_->form().delimiter);
  }
  for (const std::string& column : columns) {
    out["columns"].push_back({{"name", column}, {"index", text_ ? text_->index_of(column) : -1}});
  }
  return out.dump();
}

}  // namespace stopover
