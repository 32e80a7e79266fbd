#include "exports/long_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/disk_full.h"
#include "duck/duck.h"
#include "duck/duck_functions.h"

namespace stopover {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return c < 128 ? static_cast<char>(std::tolower(c)) : static_cast<char>(c); });
  return text;
}

Status copy_to(DuckSession& duck, const std::string& rows, const std::string& path, TableForm form,
               const std::string& card) {
  const std::string how =
      form == TableForm::csv
          ? "FORMAT csv, HEADER"
          : fmt::format("FORMAT parquet, COMPRESSION zstd, KV_METADATA {{stopover: {}}}", quote_literal(card));
  const Status written = duck.run(fmt::format("COPY {} TO {} ({})", rows, quote_output(path), how));
  if (written) return {};
  return passed_on(written.error(),
                   {Failure::bad_input, fmt::format("cannot write {}\n  {}", path, written.error().message)});
}

}  // namespace

std::vector<DuckColumn> LongTable::loaded() const {
  std::vector<DuckColumn> columns;
  std::set<std::string> taken;
  for (const Column& column : columns_) {
    std::string name = column.name;
    for (int i = 2; !taken.insert(lower_case(name)).second; ++i) name = fmt::format("{}_{}", column.name, i);
    const std::vector<bool>* valid = column.valid.empty() ? nullptr : &column.valid;
    std::visit([&](const auto& values) { columns.push_back(DuckColumn::of(name, values, valid)); }, column.values);
  }
  return columns;
}

Status LongTable::write(const std::string& path, TableForm form, const std::string& card, unsigned threads) const {
  Result<DuckSession> duck = DuckSession::open({.threads = threads, .memory_limit = ""});
  if (!duck) return duck.error();
  if (Status s = duck->load("long_table", loaded(), rows_); !s) return s;
  return copy_to(*duck, "long_table", path, form, card);
}

Status LongTable::write_rows(const std::string& select, const std::string& path, TableForm form,
                             const std::string& card, unsigned threads) {
  Result<DuckSession> duck = DuckSession::open({.threads = threads, .memory_limit = ""});
  if (!duck) return duck.error();
  return copy_to(*duck, select, path, form, card);
}

Status LongTable::write_blocks(const std::string& path, TableForm form, const std::string& card, unsigned threads,
                               const NextRows& next) {
  Result<DuckSession> duck = DuckSession::open({.threads = threads, .memory_limit = ""});
  if (!duck) return duck.error();
  Result<std::optional<LongTable>> block = next();
  if (!block) return block.error();
  STOPOVER_CHECK(*block, "a table of blocks has at least one");
  bool fresh = true;  // not yet read
  const auto rows = [&](std::vector<DuckColumn>& columns) -> Result<std::size_t> {
    // A block without rows is not the end.
    while (!fresh || (*block)->rows() == 0) {
      fresh = true;
      block = next();
      if (!block) return block.error();
      if (!*block) return std::size_t{0};
    }
    fresh = false;
    columns = (*block)->loaded();
    return (*block)->rows();
  };
  if (Status s = add_block_table(*duck, "long_table", (*block)->loaded(), rows); !s) return s;
  const Status written = copy_to(*duck, "(SELECT * FROM long_table())", path, form, card);
  if (!block) return block.error();
  return written;
}

}  // namespace stopover
