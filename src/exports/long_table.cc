#include "exports/long_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/disk_full.h"
#include "duck/duck.h"

namespace stopover {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return c < 128 ? static_cast<char>(std::tolower(c)) : static_cast<char>(c); });
  return text;
}

}  // namespace

Status LongTable::write(const std::string& path, TableForm form, const std::string& card, unsigned threads) const {
  Result<DuckSession> duck = DuckSession::open({.threads = threads, .memory_limit = ""});
  if (!duck) return duck.error();
  std::vector<DuckColumn> loaded;
  std::set<std::string> taken;
  for (const Column& column : columns_) {
    std::string name = column.name;
    for (int i = 2; !taken.insert(lower_case(name)).second; ++i) name = fmt::format("{}_{}", column.name, i);
    const std::vector<bool>* valid = column.valid.empty() ? nullptr : &column.valid;
    std::visit([&](const auto& values) { loaded.push_back(DuckColumn::of(name, values, valid)); }, column.values);
  }
  if (Status s = duck->load("long_table", loaded, rows_); !s) return s;
  const std::string how =
      form == TableForm::csv
          ? "FORMAT csv, HEADER"
          : fmt::format("FORMAT parquet, COMPRESSION zstd, KV_METADATA {{stopover: {}}}", quote_literal(card));
  const Status written = duck->run(fmt::format("COPY long_table TO {} ({})", quote_output(path), how));
  if (written) return {};
  return passed_on(written.error(),
                   {Failure::bad_input, fmt::format("cannot write {}\n  {}", path, written.error().message)});
}

}  // namespace stopover
