// CoverageTable: how often intervals held the truth, a row per data set, epsilon, grid, kind of questions and level.
// SECRET wherever the data is real.
//
//   Result<CoverageTable> before = CoverageTable::read("before.csv");
//   table.compare(*before);                          // scores relative to those of the same rows there
//   table.text();                                    // 80 columns
//   table.write("coverage.csv");                     // or .json
//   LinePlot plot = table.plot("sf4");
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "disk/write_file.h"
#include "eval/line_plot.h"

namespace stopover {

// What a row is about. Two rows of the same case were measured alike.
struct CoverageCase {
  std::string data;
  std::size_t stops = 0;
  std::string mechanism;
  std::string epsilon;  // as format_epsilon writes it
  std::string grid;     // 500x500
  std::string kind;     // coverage_questions.h; "all": those that were asked together
  double level = 0.95;
  std::uint64_t seed = 0, wanted = 0, reps = 0;

  bool operator==(const CoverageCase&) const = default;
};

// Shares are per cent; widths and scores are means in trips. NaN where there is no question of that sort.
struct CoverageRow {
  CoverageCase of;
  std::size_t questions = 0;    // on data, which hold a trip, over all releases; all below is of these but for:
  std::size_t uniform = 0;      // questions placed anywhere
  double held = 0;              // likely intervals that hold the truth
  double held_uniform = 0;      // of those placed anywhere
  double held_all = 0;          // of both
  double below = 0, above = 0;  // truths below the lower end, and above the upper one
  double claimed = 0;           // answers whose interval is claimed to hold
  double held_claimed = 0;      // of these
  double width = 0, score = 0;  // score: width, and 2/(1 - level) times the distance of a truth outside
  double against = 0;           // score over that of an earlier table
  double noise_held = 0, noise_width = 0, noise_score = 0;
  double bounds_held = 0, bounds_width = 0, bounds_score = 0;
  std::array<double, 10> tenths{};  // held, by tenths of the estimate
};

struct CoverageTable {
  std::vector<CoverageRow> rows;

  // CSV. Fails (bad_input) on a file that is no such table.
  static Result<CoverageTable> read(const std::string& path);
  // By extension: .json, or CSV else. Beside and renamed. Fails (bad_input, disk_full).
  Status write(const std::string& path, Readers readers) const;
  std::string csv() const;
  std::string json() const;

  const CoverageRow* find(const CoverageCase& of) const;
  // Sets `against` of rows whose case, seed and numbers of questions aside, is in both; how many there are.
  std::size_t compare(const CoverageTable& earlier);

  // For a screen: a block per data set, epsilon and grid.
  std::string text() const;
  std::vector<std::string> data_sets() const;
  // Coverage of truths above 0 at the level next to 95 %, a curve per kind: over epsilon; where there is one, over the
  // cells of a map's side; where there is one of these too, over the levels. Of several rows the mean, with a band.
  LinePlot plot(const std::string& data) const;
};

}  // namespace stopover
