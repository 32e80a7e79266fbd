#include "ingest/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "base/bad_input.h"
#include "base/disk_full.h"
#include "ingest/file_signature.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

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
  return {Failure::usage,
          fmt::format("cannot tell what {} is\n  Rows are in files named .csv, .jsonl, .ndjson (also .gz, .zst) or "
                      ".parquet, in a folder of them, or come from `sql`.",
                      path)};
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->is_regular_file(failed) && kind_of(at->path().string()) != FileKind::unknown)
      files.push_back(at->path().string());
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
    if (files.empty())
      return bad_input(
          fmt::format("{} is a folder without tables\n  None of its files is named .csv, .jsonl or .parquet.", input));
  } else if (exists) {
    files = {input};
  } else {
    files = matching(input);
    if (files.empty()) return bad_input(fmt::format("cannot read {}\n  No such file or folder.", input));
  }
  const FileKind kind = kind_of(files[0]);
  if (kind == FileKind::unknown) return unknown_kind(files[0]);
  for (const std::string& file : files) {
    if (kind_of(file) != kind)
      return bad_input(fmt::format("{} and {} are of different kinds\n  Read one kind at a time.", files[0], file));
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

// Which folders on the way to a file are columns: all of "a=1", and how often they say "=", by which DuckDB judges
// them.
std::string parts_of(const std::string& path) {
  std::string parts;
  for (const fs::path& step : fs::path(path).parent_path()) {
    const std::string text = step.string();
    if (const std::size_t at = text.find('='); at != std::string::npos) {
      parts += text.substr(0, at) +
               std::string(static_cast<std::size_t>(std::count(text.begin(), text.end(), '=')), '=') + "/";
    }
  }
  return parts;
}

Status describe(DuckSession& duck, const std::string& from, const std::function<void(std::string, std::string)>& add) {
  Result<DuckRows> rows =
      duck.query(fmt::format("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {})", from));
  if (!rows) return rows.error();
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return more.error();
    if (!*more) return {};
    for (std::size_t row = 0; row < rows->size(); ++row)
      add(std::string(rows->text(0, row)), std::string(rows->text(1, row)));
  }
}

}  // namespace

Result<Source> Source::open(DuckSession& duck, const SourceRequest& request) {
  Source source;
  const int named = (request.sql.empty() ? 0 : 1) + (request.input.empty() ? 0 : 1) + (request.arrow ? 1 : 0);
  if (named != 1) return Error{Failure::usage, "name the rows: one file, folder or pattern, or `sql`"};
  const auto no_csv = [](std::string_view what) {
    return Error{Failure::usage, fmt::format("`encoding` and `delimiter` are for CSV files, not for {}", what)};
  };
  if (request.input.empty() && request.form != TextForm()) return no_csv(request.arrow ? "a table in memory" : "`sql`");
  if (request.arrow) {
    source.kind_ = Kind::arrow;
    source.arrow_ = request.arrow;
    if (Status s = add_arrow_table(duck, "source_table", request.arrow); !s) return s.error();
    source.from_ = "source_table()";
  } else if (!request.sql.empty()) {
    source.kind_ = Kind::sql;
    for (const std::string& extension : request.extensions) {
      const bool plain =
          std::all_of(extension.begin(), extension.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
      const Status loaded = plain ? duck.run("LOAD " + extension) : Status(Error{Failure::usage, ""});
      if (!loaded) {
        return Error{Failure::usage,
                     fmt::format("the DuckDB extension \"{}\" is not installed\n  Install it with DuckDB's own INSTALL "
                                 "{}; stopover fetches nothing.",
                                 extension, extension)};
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
      Result<TextTable> table = TextTable::describe(
          source.paths_, kind == FileKind::csv ? TextFormat::csv : TextFormat::json_lines, request.form);
      if (!table) return table.error();
      for (const std::string& column : table->columns()) {
        if (!source.types_.emplace(column, "VARCHAR").second) {
          return bad_input(
              fmt::format("{} has two columns named {}\n  Rename or remove one of them.", source.paths_[0], column));
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
    if (Status s = source.describe_files(duck); !s) {
      return passed_on(s.error(), bad_input(fmt::format("cannot read {}\n  {}", request.input, s.error().message)));
    }
    return source;
  }
  const Status described = describe(duck, source.from_, [&](std::string column, std::string type) {
    source.columns_.push_back(column);
    source.types_.emplace(std::move(column), std::move(type));
  });
  if (!described) {
    return passed_on(
        described.error(),
        bad_input(fmt::format("cannot read {}\n  {}", request.arrow ? "the table in memory" : "the query of `sql`",
                              described.error().message)));
  }
  return source;
}

std::string Source::from(const Alike& files) const {
  std::vector<std::string> list;
  for (const std::string& path : files.paths) list.push_back(quote_input(path));
  return fmt::format("read_parquet([{}], hive_partitioning = {}, hive_types_autocast = false)", fmt::join(list, ", "),
                     !folder_.empty());
}

Status Source::describe_files(DuckSession& duck) {
  std::vector<std::string> list;
  for (const std::string& path : paths_) list.push_back(quote_input(path));
  Result<DuckRows> rows = duck.query(fmt::format(
      "SELECT file_name, name, concat_ws(' ', type, type_length, converted_type, scale, precision, logical_type), "
      "coalesce(num_children, 0), "
      "coalesce(converted_type = 'TIMESTAMP_MILLIS', false) OR coalesce(contains(logical_type, 'MILLIS=Milli'), false) "
      "FROM parquet_schema([{}])",
      fmt::join(list, ", ")));
  if (!rows) return rows.error();
  struct File {
    std::map<std::string, std::string> stored;
    std::set<std::string> milliseconds;
  };
  std::vector<File> files;
  std::string name;
  std::int64_t inner = 0;  // rows that are left of what a column is made of
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return more.error();
    if (!*more) break;
    for (std::size_t row = 0; row < rows->size(); ++row) {
      const std::int64_t children = rows->column<std::int64_t>(3)[row];
      if (files.empty() || rows->text(0, row) != name) {
        name = rows->text(0, row);
        files.emplace_back();
        inner = 0;
      } else if (inner > 0) {
        inner += children - 1;
      } else {
        const std::string column(rows->text(1, row));
        files.back().stored[column] = rows->text(2, row);
        if (rows->column<bool>(4)[row]) files.back().milliseconds.insert(column);
        inner = children;
      }
    }
  }
  STOPOVER_CHECK(files.size() == paths_.size(), "every Parquet file has a schema");
  std::map<std::pair<std::string, std::map<std::string, std::string>>, std::size_t> known;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string parts = folder_.empty() ? "" : parts_of(paths_[i]);
    const auto [at, fresh] = known.emplace(std::pair(parts, files[i].stored), alike_.size());
    if (fresh) {
      Alike& alike = alike_.emplace_back(Alike{{paths_[i]}, parts, {}, files[i].stored});
      const Status described = describe(duck, from(alike), [&](const std::string& column, std::string type) {
        if (type.starts_with("TIMESTAMP") && files[i].milliseconds.contains(column)) type = kMilliseconds;
        if (!types_.contains(column)) columns_.push_back(column);
        std::string& all = types_[column];
        const bool said = std::any_of(alike_.begin(), alike_.end() - 1, [&](const Alike& other) {
          const auto found = other.types.find(column);
          return found != other.types.end() && found->second == type;
        });
        if (!said) all += (all.empty() ? "" : " or ") + type;
        alike.types[column] = std::move(type);
      });
      if (!described) return described;
    } else {
      alike_[at->second].paths.push_back(paths_[i]);
    }
  }
  return {};
}

std::vector<Source::Alike> Source::alike_in(const std::vector<std::string>& columns) const {
  std::vector<Alike> merged;
  std::map<std::pair<std::string, std::vector<std::string>>, std::size_t> known;
  for (const Alike& files : alike_) {
    Alike wanted{files.paths, files.parts, {}, files.stored};
    std::vector<std::string> key;
    for (const std::string& column : columns) {
      const auto type = files.types.find(column), stored = files.stored.find(column);
      key.push_back((type == files.types.end() ? "" : type->second) + "; " +
                    (stored == files.stored.end() ? "" : stored->second));
      if (type != files.types.end()) wanted.types.insert(*type);
    }
    const auto [at, fresh] = known.emplace(std::pair(files.parts, std::move(key)), merged.size());
    if (fresh) {
      merged.push_back(std::move(wanted));
    } else {
      std::vector<std::string>& paths = merged[at->second].paths;
      paths.insert(paths.end(), wanted.paths.begin(), wanted.paths.end());
    }
  }
  return merged;
}

std::vector<SourceView> Source::views(const std::vector<std::string>& columns, SqlDialect::Engine engine) const {
  std::vector<SourceView> views;
  for (const Alike& files : alike_in(columns)) {
    SourceView& view =
        views.emplace_back(SourceView{views.empty() ? "source" : fmt::format("source_{}", views.size()), files.types});
    for (auto& [column, type] : view.types) {
      const auto stored = files.stored.find(column);
      const bool nanoseconds = stored != files.stored.end() && stored->second.find("NANOS=Nano") != std::string::npos;
      if (engine == SqlDialect::Engine::spark && nanoseconds && type.starts_with("TIMESTAMP")) type = kNanoseconds;
    }
  }
  if (kind_ == Kind::parquet) return views;
  SourceView& all = views.emplace_back(SourceView{"source", {}});
  for (const std::string& column : columns) all.types[column] = knows_columns() ? types_.at(column) : "VARCHAR";
  return views;
}

std::vector<std::size_t> Source::files(const std::vector<std::string>& columns) const {
  std::vector<std::size_t> sizes;
  for (const Alike& files : alike_in(columns)) sizes.push_back(files.paths.size());
  return sizes;
}

Status Source::make_views(DuckSession& duck, const std::vector<std::string>& columns) {
  if (text_) {
    const OpenTextRows rows = [table = *text_, columns, reading = reading_]() -> Result<std::unique_ptr<TextRows>> {
      reading->lines.clear();
      Result<std::unique_ptr<TextRows>> opened = table.open(columns, reading->lines);
      if (!opened) return opened.error();
      return std::unique_ptr<TextRows>(std::make_unique<KeepingRows>(std::move(*opened), reading->fault));
    };
    if (Status s = add_text_table(duck, "source_lines", columns, rows); !s) return s;
    return duck.run("CREATE TEMP VIEW source AS SELECT * FROM source_lines()");
  }
  for (const std::string& column : columns) {
    if (arrow_ && arrow_->may_overflow(column)) {
      return bad_input(
          fmt::format("column {} holds times with a zone in seconds or milliseconds\n  One far-off time could not be "
                      "read. Cast the column to microseconds.",
                      column));
    }
  }
  std::vector<std::string> froms = {from_};
  if (kind_ == Kind::parquet) {
    froms.clear();
    for (const Alike& files : alike_in(columns)) froms.push_back(from(files));
  }
  const std::vector<SourceView> made = views(columns, SqlDialect::Engine::duckdb);
  for (std::size_t i = 0; i < made.size(); ++i) {
    std::vector<std::string> list;
    // A time in milliseconds is converted where it is read, and one far-off time, asked for or not, ends that: the plan
    // has no use for it (sql_dialect.cc), so nobody may touch it.
    for (const auto& [column, type] : made[i].types) {
      list.push_back((type == kMilliseconds ? "CAST(NULL AS VARCHAR) AS " : "") + quote_identifier(column));
    }
    if (list.empty()) list.emplace_back("1 AS nothing");
    if (Status s = duck.run(
            fmt::format("CREATE TEMP VIEW {} AS SELECT {} FROM {}", made[i].name, fmt::join(list, ", "), froms[i]));
        !s)
      return s;
  }
  return {};
}

Result<std::string> Source::description(const std::vector<std::string>& columns) const {
  if (kind_ == Kind::sql) {
    return Error{Failure::usage,
                 "`sql` is DuckDB's and cannot run on Spark\n  Write what it selects to Parquet first."};
  }
  nlohmann::json out;
  out["format"] = arrow_ ? "table" : !text_ ? "parquet" : text_->format() == TextFormat::csv ? "csv" : "json_lines";
  out["width"] = columns_.size();
  if (text_ && text_->form() != TextForm()) {
    if (text_->form().encoding == TextEncoding::utf16) {
      return Error{Failure::usage,
                   "`encoding utf-16` is DuckDB's and cannot run on Spark\n  Leave out `engine spark`, or change the "
                   "file first: "
                   "iconv -f UTF-16 -t UTF-8 IN > OUT"};
    }
    out["encoding"] = to_string(text_->form().encoding);
    out["delimiter"] = std::string(1, text_->form().delimiter);
  }
  if (!folder_.empty()) out["folder"] = folder_;
  const std::vector<SourceView> made = views(columns, SqlDialect::Engine::spark);
  const std::vector<Alike> files = alike_in(columns);
  for (std::size_t i = 0; i < made.size(); ++i) {
    nlohmann::json view = {
        {"name", made[i].name}, {"columns", nlohmann::json::array()}, {"paths", nlohmann::json::array()}};
    std::error_code failed;
    for (const std::string& path : files.empty() ? paths_ : files[i].paths)
      view["paths"].push_back(fs::absolute(path, failed).string());
    for (const std::string& column : columns) {
      const auto type = made[i].types.find(column);
      if (type == made[i].types.end()) continue;
      view["columns"].push_back(
          {{"name", column}, {"type", type->second}, {"index", text_ ? text_->index_of(column) : -1}});
    }
    out["views"].push_back(std::move(view));
  }
  return out.dump();
}

}  // namespace stopover
