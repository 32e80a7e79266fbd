#include "eval/coverage_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "ingest/csv_lines.h"

namespace stopover {
namespace {

constexpr auto kLine = "  {:<18}{:>5}{:>7}{:>6}{:>6}{:>6}{:>6}{:>8}{:>8}{:>6}\n";
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The columns: a name, and how to write and read the value. Order is the files'.
struct TextColumn {
  const char* name;
  std::string CoverageCase::* value;
};
struct CountColumn {
  const char* name;
  std::uint64_t CoverageCase::* value;
};
struct NumberColumn {
  const char* name;
  double CoverageRow::* value;
};

constexpr std::array<TextColumn, 5> kTexts = {{{"data", &CoverageCase::data},
                                               {"mechanism", &CoverageCase::mechanism},
                                               {"epsilon", &CoverageCase::epsilon},
                                               {"grid", &CoverageCase::grid},
                                               {"kind", &CoverageCase::kind}}};
constexpr std::array<CountColumn, 3> kSettings = {
    {{"seed", &CoverageCase::seed}, {"wanted", &CoverageCase::wanted}, {"reps", &CoverageCase::reps}}};
constexpr std::array<NumberColumn, 16> kNumbers = {{{"held", &CoverageRow::held},
                                                    {"held_uniform", &CoverageRow::held_uniform},
                                                    {"held_all", &CoverageRow::held_all},
                                                    {"below", &CoverageRow::below},
                                                    {"above", &CoverageRow::above},
                                                    {"claimed", &CoverageRow::claimed},
                                                    {"held_claimed", &CoverageRow::held_claimed},
                                                    {"width", &CoverageRow::width},
                                                    {"score", &CoverageRow::score},
                                                    {"against", &CoverageRow::against},
                                                    {"noise_held", &CoverageRow::noise_held},
                                                    {"noise_width", &CoverageRow::noise_width},
                                                    {"noise_score", &CoverageRow::noise_score},
                                                    {"bounds_held", &CoverageRow::bounds_held},
                                                    {"bounds_width", &CoverageRow::bounds_width},
                                                    {"bounds_score", &CoverageRow::bounds_score}}};

std::string number_field(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : ""; }

std::string header() {
  std::string text;
  for (const TextColumn& c : kTexts) text += fmt::format("{},", c.name);
  text += "stops,level,";
  for (const CountColumn& c : kSettings) text += fmt::format("{},", c.name);
  text += "questions,uniform";
  for (const NumberColumn& c : kNumbers) text += fmt::format(",{}", c.name);
  for (std::size_t i = 1; i <= 10; ++i) text += fmt::format(",tenth{}", i);
  return text;
}

std::string line_of(const CoverageRow& row) {
  std::string text;
  for (const TextColumn& c : kTexts) text += quote_csv(row.of.*c.value) + ",";
  text += fmt::format("{},{},", row.of.stops, row.of.level);
  for (const CountColumn& c : kSettings) text += fmt::format("{},", row.of.*c.value);
  text += fmt::format("{},{}", row.questions, row.uniform);
  for (const NumberColumn& c : kNumbers) text += "," + number_field(row.*c.value);
  for (const double tenth : row.tenths) text += "," + number_field(tenth);
  return text + "\n";
}

template <typename T>
bool take(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool take_number(const std::string& text, double& value) {
  value = kNone;
  return text.empty() || take(text, value);
}

bool row_of(const std::vector<std::string>& fields, CoverageRow& row) {
  if (fields.size() != kTexts.size() + 2 + kSettings.size() + 2 + kNumbers.size() + row.tenths.size()) return false;
  std::size_t at = 0;
  for (const TextColumn& c : kTexts) row.of.*c.value = fields[at++];
  bool good = take(fields[at++], row.of.stops);
  good = take(fields[at++], row.of.level) && good;
  for (const CountColumn& c : kSettings) good = take(fields[at++], row.of.*c.value) && good;
  good = take(fields[at++], row.questions) && good;
  good = take(fields[at++], row.uniform) && good;
  for (const NumberColumn& c : kNumbers) good = take_number(fields[at++], row.*c.value) && good;
  for (double& tenth : row.tenths) good = take_number(fields[at++], tenth) && good;
  return good;
}

std::string share(double value) { return std::isfinite(value) ? fmt::format("{:.1f}", value) : "-"; }
// At most six characters.
std::string trips(double value) {
  if (!std::isfinite(value)) return "-";
  return value >= 99'999.5 ? fmt::format("{:.1e}", value) : fmt::format("{:.{}f}", value, value < 99.95 ? 1 : 0);
}

// The first number of 500x500.
double side_of_grid(const std::string& grid) {
  double side = kNone;
  std::from_chars(grid.data(), grid.data() + grid.size(), side);
  return side;
}

double number_of(const std::string& text) {
  double value = kNone;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

Result<CoverageTable> CoverageTable::read(const std::string& path) {
  Result<CsvLines> lines = CsvLines::open(path);
  if (!lines) return lines.error();
  CoverageTable table;
  std::vector<std::string> fields;
  bool head = true;
  for (;; head = false) {
    const Result<bool> more = lines->next();
    if (!more) return more.error();
    if (!*more) break;
    if (head && lines->line() != header()) {
      return Error{Failure::bad_input, fmt::format("{} is not a table of coverage\n  Its first line is not that of "
                                                   "`coverage`, as CSV.",
                                                   path)};
    }
    if (head) continue;
    CoverageRow row;
    if (!split_csv(lines->line(), fields) || !row_of(fields, row)) {
      return Error{Failure::bad_input, fmt::format("{}: row {} is not a row of coverage", path, lines->number())};
    }
    table.rows.push_back(std::move(row));
  }
  if (head) return Error{Failure::bad_input, fmt::format("{} is empty", path)};
  return table;
}

std::string CoverageTable::csv() const {
  std::string text = header() + "\n";
  for (const CoverageRow& row : rows) text += line_of(row);
  return text;
}

std::string CoverageTable::json() const {
  const auto number = [](double value) { return std::isfinite(value) ? nlohmann::ordered_json(value) : nullptr; };
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const CoverageRow& row : rows) {
    nlohmann::ordered_json one;
    for (const TextColumn& c : kTexts) one[c.name] = row.of.*c.value;
    one["stops"] = row.of.stops;
    one["level"] = row.of.level;
    for (const CountColumn& c : kSettings) one[c.name] = row.of.*c.value;
    one["questions"] = row.questions;
    one["uniform"] = row.uniform;
    for (const NumberColumn& c : kNumbers) one[c.name] = number(row.*c.value);
    for (const double tenth : row.tenths) one["tenths"].push_back(number(tenth));
    all.push_back(std::move(one));
  }
  return all.dump(2);
}

Status CoverageTable::write(const std::string& path, Readers readers) const {
  const std::string partial = path + ".partial";
  const bool as_json = path.ends_with(".json");
  if (Status s = write_file(partial, as_json ? json() + "\n" : csv(), readers); !s) return s;
  std::error_code error;
  std::filesystem::rename(partial, path, error);
  if (error) return Error{Failure::bad_input, fmt::format("cannot write {}: {}", path, error.message())};
  return {};
}

const CoverageRow* CoverageTable::find(const CoverageCase& of) const {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const CoverageRow& r) { return r.of == of; });
  return row == rows.end() ? nullptr : &*row;
}

std::size_t CoverageTable::compare(const CoverageTable& earlier) {
  std::size_t found = 0;
  for (CoverageRow& row : rows) {
    row.against = kNone;
    for (const CoverageRow& old : earlier.rows) {
      CoverageCase same = old.of;
      same.mechanism = row.of.mechanism;  // what is compared may be the mechanism
      same.seed = row.of.seed;
      same.wanted = row.of.wanted;
      same.reps = row.of.reps;
      if (!(same == row.of) || !(old.score > 0)) continue;
      row.against = row.score / old.score;
      ++found;
      break;
    }
  }
  return found;
}

std::string CoverageTable::text() const {
  std::string text;
  std::string block;
  for (const CoverageRow& row : rows) {
    const CoverageCase& of = row.of;
    const std::string head = fmt::format("{}, {} stop{}, {}, epsilon {}, grid {}", of.data, of.stops,
                                         of.stops == 1 ? "" : "s", of.mechanism, of.epsilon, of.grid);
    if (head != block) {
      text += fmt::format("{}{}\n", block.empty() ? "" : "\n", head);
      text += fmt::format(kLine, "kind", "level", "asked", "held", "all", "claim", "holds", "width", "score", "/old");
      block = head;
    }
    text += fmt::format(kLine, of.kind, fmt::format("{:g}", 100 * of.level), row.questions, share(row.held),
                        share(row.held_all), share(row.claimed), share(row.held_claimed), trips(row.width),
                        trips(row.score), std::isfinite(row.against) ? fmt::format("{:.2f}", row.against) : "-");
  }
  return text;
}

std::vector<std::string> CoverageTable::data_sets() const {
  std::vector<std::string> names;
  for (const CoverageRow& row : rows) {
    if (std::find(names.begin(), names.end(), row.of.data) == names.end()) names.push_back(row.of.data);
  }
  return names;
}

LinePlot CoverageTable::plot(const std::string& data) const {
  std::set<std::string> epsilons, grids;
  std::set<double> levels;
  double level = kNone;
  for (const CoverageRow& row : rows) {
    if (row.of.data != data) continue;
    epsilons.insert(row.of.epsilon);
    grids.insert(row.of.grid);
    levels.insert(row.of.level);
    if (!std::isfinite(level) || std::abs(row.of.level - 0.95) < std::abs(level - 0.95)) level = row.of.level;
  }
  const bool by_epsilon = epsilons.size() > 1, by_grid = !by_epsilon && grids.size() > 1;
  const bool by_level = !by_epsilon && !by_grid && levels.size() > 1;
  LinePlot plot{
      fmt::format("How often intervals hold: {}", data),
      by_level ? "questions that hold a trip" : fmt::format("questions that hold a trip, level {:g} %", 100 * level),
      by_epsilon || (!by_grid && !by_level) ? "epsilon"
      : by_grid                             ? "cells of a map's side"
                                            : "level, %",
      "held, %",
      by_level ? Scale::linear : Scale::log,
      Scale::linear,
      {}};
  const auto x_of = [&](const CoverageCase& of) {
    return by_level ? 100 * of.level : by_grid ? side_of_grid(of.grid) : number_of(of.epsilon);
  };
  std::map<double, double> nominal;
  std::vector<std::string> kinds;
  for (const CoverageRow& row : rows) {
    if (row.of.data != data || (!by_level && row.of.level != level)) continue;
    nominal[x_of(row.of)] = 100 * row.of.level;
    if (std::find(kinds.begin(), kinds.end(), row.of.kind) == kinds.end()) kinds.push_back(row.of.kind);
  }
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    std::map<double, std::vector<double>> points;
    for (const CoverageRow& row : rows) {
      if (row.of.data != data || row.of.kind != kinds[k] || (!by_level && row.of.level != level)) continue;
      if (std::isfinite(row.held)) points[x_of(row.of)].push_back(row.held);
    }
    Curve curve;
    curve.name = kinds[k];
    curve.slot = static_cast<int>(k);
    for (const auto& [x, values] : points) {
      double sum = 0;
      for (const double value : values) sum += value;
      curve.x.push_back(x);
      curve.y.push_back(sum / static_cast<double>(values.size()));
      curve.low.push_back(*std::min_element(values.begin(), values.end()));
      curve.high.push_back(*std::max_element(values.begin(), values.end()));
    }
    plot.series.push_back(std::move(curve));
  }
  Curve level_line;
  level_line.name = "level";
  level_line.is_bound = true;
  for (const auto& [x, y] : nominal) {
    level_line.x.push_back(x);
    level_line.y.push_back(y);
  }
  plot.series.push_back(std::move(level_line));
  return plot;
}

}  // namespace stopover
