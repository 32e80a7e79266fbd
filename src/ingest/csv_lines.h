// CsvLines: a CSV file, line by line, where a line is a row whatever it holds.
//
// Every row is judged by itself. A quote that is never closed, a stray carriage return, a zero byte or bytes that are
// not text cost that one row and none of its neighbours: "the rows after record r are gone" would tell that r is there.
// (General CSV readers let a quoted field run over newlines, and lose rows after a bad one even when told not to.) So a
// row ends at '\n', before which one '\r' is taken away, and a quoted field ends with its row at the latest.
//
//   Result<CsvLines> lines = CsvLines::open("trips.csv.gz");        // gzip, *.zst or plain
//   for (;;) {
//     Result<bool> more = lines->next();
//     if (!more) return more.error();
//     if (!*more) break;
//     if (!split_csv(lines->line(), fields)) ...                     // an unclosed quote
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/text_form.h"

namespace stopover {

class CsvLines {
 public:
  // A longer row is skipped and told by `cut()`.
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  // Fails (bad_input) when the file cannot be opened or is not what its name says. Lines come as UTF-8; the longest
  // line is measured in that. `rows_from_the_start`: there is no header (see packed_bytes.h).
  static Result<CsvLines> open(const std::string& path, TextEncoding encoding = TextEncoding::utf8,
                               bool rows_from_the_start = false);

  // The next row that is not blank; false at the end. Fails (bad_input) when the file cannot be read on, or is packed
  // and damaged or cut.
  Result<bool> next();
  // Without its line end; of a row that is too long, its beginning. Valid until the next call of next().
  std::string_view line() const { return line_; }
  bool cut() const { return cut_; }
  const std::string& path() const { return path_; }
  // Of the current row in the file, from 1.
  std::uint64_t number() const { return number_; }

 private:
  struct State;
  struct Close {
    void operator()(State* state) const;
  };
  CsvLines() = default;
  Status refill();

  std::string path_;
  std::unique_ptr<State, Close> state_;
  std::string_view line_;
  bool cut_ = false;
  std::uint64_t number_ = 0;
};

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// The first row as names of columns, without a byte order mark and blanks around them. Fails (bad_input) when there is
// none, or it is no list of names: then it says what the file looks like.
Result<std::vector<std::string>> read_header(CsvLines& lines, const TextForm& form);

// Cuts a row at its commas, or what stands for them. A field in double quotes may hold commas, and two double quotes
// for one. False, with `fields` holding what came before, when a quoted field does not end or is followed by more than
// a comma.
bool split_csv(std::string_view line, std::vector<std::string>& fields, char delimiter = ',');

// The text as a field: in double quotes where it needs them.
std::string quote_csv(std::string_view text);

}  // namespace stopover
