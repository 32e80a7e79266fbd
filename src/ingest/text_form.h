// TextForm: how a CSV file is written, as its curator declares it. Never guessed: what a guess would make of a file
// could hang on one row. What a header or a line looks like is told, and the curator decides.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/text_encoding.h"

namespace stopover {

struct TextForm {
  TextEncoding encoding = TextEncoding::utf8;
  char delimiter = ',';

  bool operator==(const TextForm&) const = default;
};

// "," ";" "|" "^" "~", or "tab". Fails (usage), naming --delimiter.
Result<char> parse_delimiter(std::string_view text);
// "commas", "semicolons (;)", ...
std::string delimiter_words(char delimiter);

// What to type when a header has been read with the wrong delimiter: "\n  The first line has ...", or "" when it has
// not.
std::string delimiter_hint(const std::vector<std::string>& columns);

}  // namespace stopover
