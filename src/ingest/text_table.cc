#include "ingest/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/bad_input.h"
#include "ingest/csv_lines.h"

namespace stopover {
namespace {

constexpr std::ptrdiff_t kMostBrackets = 64;

class Rows : public TextRows {
 public:
  Rows(const TextTable& table, const std::vector<std::string>& columns, LineCounts& counts)
      : format_(table.format()),
        form_(table.form()),
        width_(table.columns().size()),
        paths_(table.paths()),
        names_(columns),
        counts_(counts) {
    for (const std::string& column : columns) index_.push_back(table.index_of(column));
  }

  Result<bool> next(std::vector<std::optional<std::string_view>>& row) override {
    row.resize(names_.size());
    for (;;) {
      if (!lines_) {
        if (file_ == paths_.size()) return false;
        Result<CsvLines> opened = CsvLines::open(paths_[file_++], form_.encoding, format_ == TextFormat::json_lines);
        if (!opened) return opened.error();
        lines_.emplace(std::move(*opened));
        header_ = format_ == TextFormat::csv;
      }
      const Result<bool> more = lines_->next();
      if (!more) return more.error();
      if (!*more) {
        lines_.reset();
        continue;
      }
      if (std::exchange(header_, false)) continue;
      const std::string_view line = lines_->line();
      const bool clean = !lines_->cut() && is_clean_text(line);
      if (clean && format_ == TextFormat::csv && std::count(line.begin(), line.end(), '"') % 2 != 0) {
        counts_.odd_quotes.fetch_add(1, std::memory_order_relaxed);
      }
      if (clean && split(line, row)) return true;
      counts_.skip(line);
    }
  }

 private:
  bool split(std::string_view line, std::vector<std::optional<std::string_view>>& row) {
    if (format_ == TextFormat::json_lines) return split_json(line, names_, fields_, row);
    if (!split_csv(line, fields_, form_.delimiter) || fields_.size() > width_) return false;
    for (std::size_t c = 0; c < index_.size(); ++c) {
      const auto at = static_cast<std::size_t>(index_[c]);
      row[c] = at < fields_.size() ? std::optional<std::string_view>(fields_[at]) : std::nullopt;
    }
    return true;
  }

  const TextFormat format_;
  const TextForm form_;
  const std::size_t width_;
  const std::vector<std::string> paths_, names_;
  std::vector<int> index_;
  LineCounts& counts_;
  std::optional<CsvLines> lines_;
  std::size_t file_ = 0;
  bool header_ = false;
  std::vector<std::string> fields_;
};

// The wanted members of one object, each as it is written. (A number's own value would not do: two ids of twenty digits
// can be the same double.)
class Members : public nlohmann::json_sax<nlohmann::json> {
 public:
  Members(const std::vector<std::string>& names, std::vector<std::string>& texts,
          std::vector<std::optional<std::string_view>>& row)
      : names_(names), texts_(texts), row_(row) {}

  bool null() override { return depth_ > 0 && set(nullptr); }
  bool boolean(bool value) override { return text(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return text(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return text(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& written) override { return text(written); }
  bool string(string_t& value) override { return text(value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return set(nullptr) && ++depth_ > 0; }
  bool start_array(std::size_t) override { return depth_ > 0 && set(nullptr) && ++depth_ > 0; }
  bool end_object() override { return --depth_ >= 0; }
  bool end_array() override { return --depth_ >= 0; }
  bool key(string_t& name) override {
    if (depth_ == 1) at_ = std::find(names_.begin(), names_.end(), name) - names_.begin();
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }

 private:
  bool text(const std::string& value) { return depth_ > 0 && set(&value); }
  // The value of the last key, if it is wanted; of two with the same key the last counts.
  bool set(const std::string* value) {
    if (depth_ != 1 || at_ == std::ssize(names_)) return true;
    const auto c = static_cast<std::size_t>(at_);
    row_[c].reset();
    if (value == nullptr || value->find('\0') != std::string::npos) return true;
    texts_[c] = *value;
    row_[c] = texts_[c];
    return true;
  }

  const std::vector<std::string>& names_;
  std::vector<std::string>& texts_;
  std::vector<std::optional<std::string_view>>& row_;
  int depth_ = 0;
  std::ptrdiff_t at_ = 0;
};

}  // namespace

void LineCounts::skip(std::string_view line) {
  ++unreadable;
  if (line.find('\0') != std::string_view::npos || is_clean_text(line)) return;
  ++not_utf8;
  const std::optional<TextEncoding> likely = likely_encoding(line);
  if (likely == TextEncoding::latin1) ++like_latin1;
  if (likely == TextEncoding::windows1252) ++like_windows1252;
}

bool split_json(std::string_view line, const std::vector<std::string>& names, std::vector<std::string>& texts,
                std::vector<std::optional<std::string_view>>& row) {
  const auto opens = [](char c) { return c == '{' || c == '['; };
  if (std::count_if(line.begin(), line.end(), opens) > kMostBrackets) return false;
  texts.assign(names.size(), "");
  row.assign(names.size(), std::nullopt);
  Members members(names, texts, row);
  return nlohmann::json::sax_parse(line, &members);
}

Result<TextTable> TextTable::describe(std::vector<std::string> paths, TextFormat format, const TextForm& form) {
  TextTable table;
  table.format_ = format;
  table.form_ = form;
  table.paths_ = std::move(paths);
  for (const std::string& path : table.paths_) {
    Result<CsvLines> lines = CsvLines::open(path, form.encoding, format == TextFormat::json_lines);
    if (!lines) return lines.error();
    if (format == TextFormat::json_lines) {
      if (const Result<bool> first = lines->next(); !first) return first.error();
      continue;
    }
    Result<std::vector<std::string>> header = read_header(*lines, form);
    if (!header) return header.error();
    if (&path == table.paths_.data()) {
      table.columns_ = std::move(*header);
    } else if (*header != table.columns_) {
      return bad_input(
          fmt::format("{} has other columns than {}\n  Files that are read together must have the same first line.",
                      path, table.paths_[0]));
    }
  }
  return table;
}

int TextTable::index_of(const std::string& column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

Result<std::unique_ptr<TextRows>> TextTable::open(const std::vector<std::string>& columns, LineCounts& counts) const {
  for (const std::string& column : columns) {
    STOPOVER_CHECK(format_ == TextFormat::json_lines || index_of(column) >= 0, "a column that is not there is read");
  }
  return std::unique_ptr<TextRows>(std::make_unique<Rows>(*this, columns, counts));
}

}  // namespace stopover
