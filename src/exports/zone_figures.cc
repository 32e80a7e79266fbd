#include "exports/zone_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/disk_full.h"
#include "base/nearest.h"
#include "duck/small_table.h"

namespace stopover {
namespace {

constexpr double kLargestFigure = 1e15;

bool same_word(std::string_view a, std::string_view b) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return small(x) == small(y); });
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<double> figure_in(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Which of the columns asked for each column of the file is; empty for the zones' own.
Result<std::vector<std::optional<std::size_t>>> columns_of(const SmallTable& table, const std::string& what,
                                                           std::span<const std::vector<std::string>> columns) {
  std::vector<std::optional<std::size_t>> meaning(table.columns.size());
  std::size_t zone = 0;
  for (std::size_t c = table.columns.size(); c-- > 0;) {
    if (same_word(table.columns[c], "zone") || same_word(table.columns[c], "id")) zone = c;
  }
  std::vector<std::string> known;
  for (const std::vector<std::string>& names : columns) known.push_back(names[0]);
  const std::string wanted =
      fmt::format("\n  Write a header such as zone,{}.", fmt::join(known.begin(), known.end(), ","));
  for (std::size_t c = 0; c < meaning.size(); ++c) {
    if (c == zone) continue;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const bool it = std::any_of(columns[k].begin(), columns[k].end(),
                                  [&](const std::string& name) { return same_word(name, table.columns[c]); });
      if (!it) continue;
      if (std::find(meaning.begin(), meaning.end(), k) != meaning.end()) {
        return Error{Failure::bad_input, fmt::format("{} has two columns of {}{}", what, known[k], wanted)};
      }
      meaning[c] = k;
    }
    if (!meaning[c]) {
      return Error{Failure::bad_input,
                   fmt::format("{} has a column \"{}\" that says nothing here{}", what, table.columns[c], wanted)};
    }
  }
  if (meaning.size() < 2) return Error{Failure::bad_input, fmt::format("{} has no figures{}", what, wanted)};
  return meaning;
}

}  // namespace

Result<std::vector<std::vector<std::optional<double>>>> read_zone_figures(
    const std::string& path, std::string_view field, const SumTree& tree,
    std::span<const std::vector<std::string>> columns) {
  const std::string what = fmt::format("`{} {}`", field, path);
  DuckOptions options;
  options.threads = 1;
  Result<DuckSession> duck = DuckSession::open(options);
  if (!duck) return duck.error();
  // More rows than there are zones and groups hold one twice.
  const Result<SmallTable> table = csv_texts(*duck, path, true, tree.size() + 1);
  if (!table) {
    const std::string said = table.error().message.substr(0, table.error().message.find('\n'));
    return passed_on(table.error(), {Failure::bad_input, fmt::format("{} cannot be read\n  Give CSV in UTF-8 with a "
                                                                     "header. DuckDB says: {}",
                                                                     what, said)});
  }
  const Result<std::vector<std::optional<std::size_t>>> meaning = columns_of(*table, what, columns);
  if (!meaning) return meaning.error();
  std::vector<std::vector<std::optional<double>>> figures(columns.size(),
                                                          std::vector<std::optional<double>>(tree.size()));
  std::vector<bool> seen(tree.size(), false);
  for (const std::vector<std::string>& row : table->rows) {
    std::string name;
    for (std::size_t c = 0; c < row.size(); ++c) name = (*meaning)[c] ? name : row[c];
    const std::optional<std::size_t> node = tree.find(name);
    if (!node) {
      return Error{Failure::bad_input, fmt::format("{} names \"{}\", which is no zone\n {} Names are those of the "
                                                   "zones, of their groups, or {} for all.",
                                                   what, name, did_you_mean(name, tree.names(), 1), SumTree::kWhole)};
    }
    if (seen[*node]) {
      return Error{Failure::bad_input,
                   fmt::format("{} has {} twice\n  Give one row per zone.", what, tree.called(*node))};
    }
    seen[*node] = true;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string_view text = without_blanks(row[c]);
      if (!(*meaning)[c] || text.empty()) continue;
      const std::size_t k = *(*meaning)[c];
      figures[k][*node] = figure_in(text);
      if (figures[k][*node] && *figures[k][*node] >= 0 && *figures[k][*node] <= kLargestFigure) continue;
      return Error{Failure::bad_input,
                   fmt::format("{} has \"{}\" as {} of {}\n  Give a number from 0 to 1e15, as 1200 or 0.5, or nothing.",
                               what, text, columns[k][0], tree.called(*node))};
    }
  }
  return figures;
}

}  // namespace stopover
