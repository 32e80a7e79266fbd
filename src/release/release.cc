#include "release/release.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace stopover {
namespace {

constexpr std::array<std::string_view, 2> kTableKinds = {"partition", "cells"};
constexpr std::array<std::string_view, 2> kUnits = {"trip", "user"};
constexpr std::array<std::string_view, 2> kAnswerModels = {"uniform", "maps"};
constexpr std::string_view kRepeatableMark = "test_key";

template <typename Enum, std::size_t N>
Result<Enum> parse(const std::array<std::string_view, N>& names, std::string_view what, std::string_view text) {
  std::string known;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
    known.append(i == 0 ? "" : i + 1 == N ? " or " : ", ").append(names[i]);
  }
  std::string message(what);
  message.append(" is ").append(known).append(", not \"").append(text).append("\"");
  return Error{Failure::usage, message};
}

template <typename T>
void make_room(std::vector<T>& column, std::size_t rows) {
  if (rows > column.capacity()) column.reserve(std::max(rows, 2 * column.capacity()));
}

}  // namespace

std::string_view to_string(TableKind kind) { return kTableKinds[static_cast<std::size_t>(kind)]; }
std::string_view to_string(Unit unit) { return kUnits[static_cast<std::size_t>(unit)]; }
std::string_view to_string(AnswerModel model) { return kAnswerModels[static_cast<std::size_t>(model)]; }

Result<TableKind> parse_table_kind(std::string_view text) {
  return parse<TableKind>(kTableKinds, "a table's kind", text);
}
Result<Unit> parse_unit(std::string_view text) { return parse<Unit>(kUnits, "the unit", text); }
Result<AnswerModel> parse_answer_model(std::string_view text) {
  return parse<AnswerModel>(kAnswerModels, "the answer model", text);
}

Release Release::without_tables() const {
  Release head;
  head.format = format;
  head.domain = domain;
  head.mechanism = mechanism;
  head.params = params;
  head.epsilon = epsilon;
  head.unit = unit;
  head.k = k;
  head.answer_model = answer_model;
  head.charges = charges;
  head.spent = spent;
  head.calibration = calibration;
  head.probes = probes;
  head.randomness = randomness;
  head.number = number;
  head.ledger_head = ledger_head;
  head.date = date;
  head.description = description;
  head.upgraded_from = upgraded_from;
  return head;
}

std::vector<std::vector<std::size_t>> Release::map_axes() const {
  std::vector<std::vector<std::size_t>> maps;
  for (std::size_t i = 1; i < tables.size(); ++i) maps.push_back(tables[i].axes);
  if (maps.empty() && !tables.empty()) maps.push_back(tables[0].axes);
  return maps;
}

Randomness randomness_of_format_1(const std::vector<std::pair<std::string, std::string>>& params) {
  for (const auto& [name, value] : params) {
    if (name == kRepeatableMark) return Randomness::repeatable(value);
  }
  return Randomness::system();
}

Box Table::box(std::size_t row) const {
  std::array<Interval, kMaxAxes> sides;
  for (std::size_t i = 0; i < axes.size(); ++i) sides[i] = {lo[i][row], hi[i][row]};
  return Box(std::span(sides.data(), axes.size()));
}

std::vector<bool> Table::leaves() const {
  std::vector<bool> result(rows(), true);
  for (std::int32_t p : parent) {
    if (p >= 0) result[static_cast<std::size_t>(p)] = false;
  }
  return result;
}

std::size_t Table::append(const Box& box, std::int32_t parent_row, std::int64_t noisy_count, Ticks count_ticks,
                          Ticks other_ticks) {
  const std::size_t row = rows();
  STOPOVER_CHECK(box.axes() == axes.size(), "a row's box must have the table's axes");
  STOPOVER_CHECK(parent_row >= -1 && parent_row < static_cast<std::int64_t>(row), "a row's parent must come before it");
  STOPOVER_CHECK(row < static_cast<std::size_t>(INT32_MAX), "a table has at most 2^31 - 1 rows");
  const std::uint32_t row_depth = parent_row < 0 ? 0 : depth[static_cast<std::size_t>(parent_row)] + std::uint32_t{1};
  STOPOVER_CHECK(row_depth <= UINT16_MAX, "a table is at most 65535 rows deep");
  lo.resize(axes.size());
  hi.resize(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    lo[i].push_back(box[i].lo);
    hi[i].push_back(box[i].hi);
  }
  parent.push_back(parent_row);
  depth.push_back(static_cast<std::uint16_t>(row_depth));
  count.push_back(noisy_count);
  row_ticks.push_back(count_ticks);
  side_ticks.push_back(other_ticks);
  estimate.push_back(0);
  if (!coarse_ticks.empty()) {
    coarse_count.push_back(0);
    coarse_ticks.push_back(0);
  }
  return row;
}

void Table::refine(std::size_t row, std::int64_t refined_count, Ticks more_ticks) {
  STOPOVER_CHECK(row < rows() && row_ticks[row] > 0, "only what was measured can be refined");
  coarse_count.resize(rows(), 0);
  coarse_ticks.resize(rows(), 0);
  STOPOVER_CHECK(coarse_ticks[row] == 0, "a row is refined once");
  coarse_count[row] = count[row];
  coarse_ticks[row] = row_ticks[row];
  count[row] = refined_count;
  row_ticks[row] += more_ticks;
}

Table Table::without_rows() const {
  Table head;
  head.name = name;
  head.kind = kind;
  head.axes = axes;
  head.ticks = ticks;
  head.view = view;
  head.smooth = smooth;
  return head;
}

void Table::reserve(std::size_t rows) {
  lo.resize(axes.size());
  hi.resize(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    make_room(lo[i], rows);
    make_room(hi[i], rows);
  }
  make_room(parent, rows);
  make_room(depth, rows);
  make_room(count, rows);
  make_room(row_ticks, rows);
  make_room(side_ticks, rows);
  make_room(estimate, rows);
}

}  // namespace stopover
