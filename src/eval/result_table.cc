#include "eval/result_table.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/disk_full.h"
#include "duck/duck.h"
#include "ingest/csv_lines.h"

namespace stopover {
namespace {

constexpr const char* kHeader = "data,mechanism,epsilon,workload,rep,metric,value\n";
constexpr std::size_t kColumns = 7;

Error bad(std::string message) { return {Failure::bad_input, std::move(message)}; }

bool parse_row(const std::vector<std::string>& fields, ResultRow& row) {
  if (fields.size() != kColumns) return false;
  const auto number = [](const std::string& text, auto& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  };
  row = {fields[0], fields[1], fields[2], fields[3], 0, fields[5], 0};
  return number(fields[4], row.rep) && number(fields[6], row.value);
}

bool ends_with_newline(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file || file.tellg() <= 0) return true;
  file.seekg(-1, std::ios::end);
  return file.get() == '\n';
}

Result<ResultTable> read_csv(const std::string& path) {
  Result<CsvLines> lines = CsvLines::open(path);
  if (!lines) return lines.error();
  ResultTable table;
  std::vector<std::string> fields;
  std::uint64_t number = 0, bad_row = 0;
  for (bool header = true;; header = false) {
    Result<bool> more = lines->next();
    if (!more) return more.error();
    if (!*more) break;
    if (header) {
      if (std::string(lines->line()) + "\n" != kHeader) return bad(path + " is not a table of results");
      continue;
    }
    ResultRow row;
    const bool good = split_csv(lines->line(), fields) && parse_row(fields, row);
    number = lines->number();
    if (bad_row == 0 && !good) bad_row = number;
    table.rows.push_back(std::move(row));
  }
  const bool cut = !table.rows.empty() && !ends_with_newline(path);
  if (bad_row != 0 && !(cut && bad_row == number))
    return bad(fmt::format("{}: row {} is not a row of results", path, bad_row));
  if (cut) table.rows.pop_back();
  return table;
}

Result<ResultTable> read_parquet(const std::string& path) {
  Result<DuckSession> duck = DuckSession::open({.threads = 1, .memory_limit = {}});
  if (!duck) return duck.error();
  Result<DuckRows> rows = duck->query(
      "SELECT data::VARCHAR, mechanism::VARCHAR, epsilon::VARCHAR, workload::VARCHAR, rep::UINTEGER, metric::VARCHAR, "
      "value::DOUBLE FROM read_parquet(" +
      quote_input(path) + ", hive_partitioning = false)");
  if (!rows) return rows.error();
  ResultTable table;
  for (;;) {
    Result<bool> more = rows->next();
    if (!more) return more.error();
    if (!*more) return table;
    const auto rep = rows->column<std::uint32_t>(4);
    const auto value = rows->column<double>(6);
    for (std::size_t i = 0; i < rows->size(); ++i) {
      table.rows.push_back({std::string(rows->text(0, i)), std::string(rows->text(1, i)), std::string(rows->text(2, i)),
                            std::string(rows->text(3, i)), rep[i], std::string(rows->text(5, i)), value[i]});
    }
  }
}

Status write_parquet(const std::string& path, const std::string& mark, const std::vector<ResultRow>& rows) {
  std::array<std::vector<std::string>, 5> texts;
  std::vector<std::uint32_t> rep;
  std::vector<double> value;
  for (const ResultRow& row : rows) {
    texts[0].push_back(row.data);
    texts[1].push_back(row.mechanism);
    texts[2].push_back(row.epsilon);
    texts[3].push_back(row.workload);
    texts[4].push_back(row.metric);
    rep.push_back(row.rep);
    value.push_back(row.value);
  }
  Result<DuckSession> duck = DuckSession::open({.threads = 1, .memory_limit = {}});
  if (!duck) return duck.error();
  if (Status ok =
          duck->load("results",
                     {DuckColumn::of("data", texts[0]), DuckColumn::of("mechanism", texts[1]),
                      DuckColumn::of("epsilon", texts[2]), DuckColumn::of("workload", texts[3]),
                      DuckColumn::of("rep", rep), DuckColumn::of("metric", texts[4]), DuckColumn::of("value", value)},
                     rows.size());
      !ok) {
    return ok.error();
  }
  return duck->run("COPY results TO " + quote_output(path) +
                   " (FORMAT parquet, USE_TMP_FILE false, KV_METADATA {stopover: " + quote_literal(mark) + "})");
}

}  // namespace

std::string to_csv(std::span<const ResultRow> rows, bool header) {
  std::string text = header ? kHeader : "";
  for (const ResultRow& row : rows) {
    text += fmt::format("{},{},{},{},{},{},{}\n", quote_csv(row.data), quote_csv(row.mechanism), quote_csv(row.epsilon),
                        quote_csv(row.workload), row.rep, quote_csv(row.metric), row.value);
  }
  return text;
}

Result<ResultTable> ResultTable::read(const std::string& path) {
  return path.ends_with(".parquet") ? read_parquet(path) : read_csv(path);
}

Status ResultTable::write(const std::string& path, const std::string& mark, Readers readers) const {
  const std::string beside = path + ".new";
  const bool parquet = path.ends_with(".parquet");
  std::error_code error;
  Status written = write_file(beside, parquet ? "" : to_csv(rows, true), readers);
  if (written && parquet) written = write_parquet(beside, mark, rows);
  if (!written) {
    std::filesystem::remove(beside, error);
    return written;
  }
  std::filesystem::rename(beside, path, error);
  if (error) return bad("cannot write " + path + ": " + error.message());
  return {};
}

Result<ResultJournal> ResultJournal::open(const std::string& path) {
  std::error_code error;
  const bool fresh = !std::filesystem::exists(path, error) || std::filesystem::file_size(path, error) == 0;
  std::FILE* file = std::fopen(path.c_str(), "ab");
  if (file == nullptr) return bad("cannot write " + path);
  ResultJournal journal(path, file);
  if (fresh) std::fputs(kHeader, file);
  return journal;
}

Status ResultJournal::add(std::span<const ResultRow> rows) {
  const std::string text = to_csv(rows, false);
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0) {
    return Error{write_failure(errno), fmt::format("cannot write {}: {}", path_, std::strerror(errno))};
  }
  return {};
}

}  // namespace stopover
