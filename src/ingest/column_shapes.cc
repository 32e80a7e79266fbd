#include "ingest/column_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ingest/csv_lines.h"

namespace stopover {
namespace {

constexpr std::size_t kRows = 100, kMostShapes = 3, kLongest = 28;

// What the first lines of the first file name.
Result<std::vector<std::string>> names_in_json_lines(const Source& source) {
  Result<CsvLines> lines = CsvLines::open(source.paths().front(), TextEncoding::utf8, true);
  if (!lines) return lines.error();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kRows; ++i) {
    const Result<bool> more = lines->next();
    if (!more) return more.error();
    if (!*more) break;
    const nlohmann::ordered_json row = nlohmann::ordered_json::parse(lines->line(), nullptr, false);
    if (!row.is_object()) continue;
    for (const auto& [name, value] : row.items()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

}  // namespace

std::string value_shape(std::string_view value) {
  std::string shape;
  std::size_t length = 0;
  for (const char c : value) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80) continue;  // inside a letter of several bytes
    if (++length > kLongest) return shape + "...";
    if (c >= '0' && c <= '9') {
      shape += '9';
    } else if (c >= 'a' && c <= 'z') {
      shape += 'a';
    } else if (c >= 'A' && c <= 'Z') {
      shape += 'A';
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      shape += 'x';
    } else {
      shape += c >= ' ' && c < 0x7F ? c : '?';
    }
  }
  return shape;
}

Result<std::vector<ColumnShape>> column_shapes(const SourceRequest& request, const IngestOptions& options) {
  Result<DuckSession> duck = DuckSession::open(
      {.threads = options.threads, .memory_limit = options.memory_limit, .interrupted = options.interrupted});
  if (!duck) return duck.error();
  Result<Source> source = Source::open(*duck, request);
  if (!source) return source.error();
  std::vector<std::string> names = source->columns();
  if (!source->knows_columns()) {
    Result<std::vector<std::string>> found = names_in_json_lines(*source);
    if (!found) return found.error();
    names = std::move(*found);
  }
  std::vector<ColumnShape> columns;
  for (const std::string& name : names) {
    const auto type = source->types().find(name);
    columns.push_back({name, type == source->types().end() ? "VARCHAR" : type->second, {}});
  }
  if (columns.empty()) return columns;
  if (Status s = source->make_views(*duck, names); !s) return s.error();
  std::vector<std::string> parts;  // files that differ are views apart, see source.h
  for (const SourceView& view : source->views(names, SqlDialect::Engine::duckdb)) {
    std::vector<std::string> list;
    for (const std::string& name : names) {
      list.push_back(view.types.contains(name) ? fmt::format("CAST({} AS VARCHAR)", quote_identifier(name))
                                               : "CAST(NULL AS VARCHAR)");
    }
    parts.push_back(fmt::format("(SELECT {} FROM {} LIMIT {})", fmt::join(list, ", "), view.name, kRows));
  }
  Result<DuckRows> rows = duck->query(fmt::format("{}", fmt::join(parts, " UNION ALL ")));
  if (!rows) return rows.error();
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return more.error();
    if (!*more) return columns;
    for (std::size_t row = 0; row < rows->size(); ++row) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        std::vector<std::string>& shapes = columns[c].shapes;
        std::string shape =
            rows->valid(c, row) && !rows->text(c, row).empty() ? value_shape(rows->text(c, row)) : "(none)";
        if (shapes.size() < kMostShapes && std::find(shapes.begin(), shapes.end(), shape) == shapes.end())
          shapes.push_back(std::move(shape));
      }
    }
  }
}

}  // namespace stopover
