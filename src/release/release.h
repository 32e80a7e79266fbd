// Release: what is published. A plain public value; nothing secret can be reached from it.
//
// A release is one or more tables of boxes with noisy counts, the domain they live on, and the receipt: how much
// epsilon was spent where. release_io writes and reads it, query answers from it, everything after that is
// post-processing.
//
// A table is a forest kept as columns, parents before children. A row is one *measurement* of a box:
//   - `count` is the true number of trips in the box plus discrete Laplace noise of rate ticks/(1e9*k): P(x) ~
//     exp(-rate|x|). Never rounded, never clamped, may be negative. ticks = 0: the box was not measured, count is 0 and
//     means nothing.
//   - `side_ticks` is what else was spent on this box before it was divided (choosing where to cut, growing a subtree).
//   - the children of a row divide its box without overlap; a box measured twice is a row with one child of the same
//     box.
//   - so the ticks + side_ticks along any path from a root down sum to at most the table's `ticks`: the whole privacy
//     argument of a partition table, and what `verify` recomputes.
//   - rows without children are leaves; `estimate` is the consistent, non-negative post-processed value. For every
//     inner row it is the sum of its children's.
//   - `spread`, where a mechanism tells it, is how far it believes the truth of a row to be from its estimate.
//   - `coarse_count`, where a row was counted coarsely first and then refined, is that first count: `count` plus a
//     random number W that does not depend on it (privacy/gradual_laplace.h). It tells nothing more about trips; it
//     lets a stranger see whether noise was drawn as the receipt says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ticks.h"
#include "domain/domain.h"
#include "release/calibration.h"
#include "release/description.h"
#include "release/probes.h"
#include "release/randomness.h"

namespace stopover {

// What the leaves of a table are to each other.
enum class TableKind {
  partition,  // they tile the table's axes without overlap
  cells,      // single boxes listed sparsely; what is not listed was below a public threshold
};

std::string_view to_string(TableKind kind);
Result<TableKind> parse_table_kind(std::string_view text);

struct Table {
  std::string name;  // "joint", or "stop1", "stop2", ... for a stop's own map
  TableKind kind = TableKind::partition;
  std::vector<std::size_t> axes;  // the domain's axes it covers, ascending
  Ticks ticks = 0;                // the slice of epsilon this table may spend on any one trip
  std::string view;     // of the receipt; "" for its own name. Tables of one view are maps of several stops that
                        // were bought together: each trip has one point in each
  bool smooth = false;  // as a map: trips of a leaf lie as its surroundings say (stop_map.h), not evenly

  // One entry a row.
  std::vector<std::vector<std::uint32_t>> lo, hi;  // [position in axes][row]: half-open cells
  std::vector<std::int32_t> parent;                // row number, -1 for a root; always below the row's own number
  std::vector<std::uint16_t> depth;                // 0 for a root, else the parent's + 1
  std::vector<std::int64_t> count;
  std::vector<Ticks> row_ticks;
  std::vector<Ticks> side_ticks;
  std::vector<double> estimate;
  // Empty, or one entry per row: the standard deviation of the true count given all noisy counts, as the mechanism
  // believes. 0 where nothing is said of a row (of those that are not leaves).
  std::vector<float> spread;
  // Both empty, or one entry per row: what the row's count was before it was refined, and what that had cost, which is
  // a part of row_ticks. 0 ticks: the row was counted once.
  std::vector<std::int64_t> coarse_count;
  std::vector<Ticks> coarse_ticks;

  std::size_t rows() const { return parent.size(); }
  Box box(std::size_t row) const;
  // One flag per row: true where no other row names it as parent.
  std::vector<bool> leaves() const;
  // Appends a row without estimate (0) and returns its number. REQUIRES: box has as many axes as the table.
  std::size_t append(const Box& box, std::int32_t parent_row, std::int64_t noisy_count, Ticks count_ticks,
                     Ticks other_ticks);
  // Puts the refinement of a gradual count in its place, at the price of both; the coarse count is kept beside it.
  // REQUIRES: the row was measured and not refined yet.
  void refine(std::size_t row, std::int64_t refined_count, Ticks more_ticks);
  void reserve(std::size_t rows);
  // All but the rows.
  Table without_rows() const;

  bool operator==(const Table&) const = default;
};

// Who is protected.
enum class Unit { trip, user };

std::string_view to_string(Unit unit);
Result<Unit> parse_unit(std::string_view text);

// One line of the receipt: `times` charges of `ticks` each, at one depth of one view, for one purpose. Charges at one
// depth are on disjoint boxes, so any one trip pays a line at most once (per repetition of purpose at that depth).
struct Charge {
  std::string view;  // the table or stage it was spent on
  std::uint32_t depth = 0;
  std::string purpose;  // "count", "choose", "grow", ...
  Ticks ticks = 0;
  std::uint64_t times = 0;
  bool operator==(const Charge&) const = default;
};

// How a box inside a leaf is answered.
enum class AnswerModel {
  uniform,  // trips lie evenly over the cells of a leaf of table 0
  maps,     // trips of a leaf of table 0 lie as the product of the stops' own maps (tables 1..S) says; a release with
            // table 0 alone is its own map
};

std::string_view to_string(AnswerModel model);
Result<AnswerModel> parse_answer_model(std::string_view text);

struct Release {
  static constexpr int kFormat = 2;  // what is written; 1 is read, and stays as it is

  int format = kFormat;
  Domain domain;
  std::string mechanism;
  std::vector<std::pair<std::string, std::string>> params;  // as used, defaults included, sorted by name
  Ticks epsilon = 0;
  Unit unit = Unit::trip;
  std::uint32_t k = 1;  // most trips of one unit in the data
  AnswerModel answer_model = AnswerModel::uniform;
  std::vector<Table> tables;               // table 0 is the one that is queried
  std::vector<Charge> charges;             // sorted by view order, depth, purpose, ticks
  Ticks spent = 0;                         // the most any one unit pays: <= epsilon
  std::optional<Calibration> calibration;  // learned from all of the above
  std::optional<Probes> probes;            // bought: then they speak, and no calibration is learned
  // Set by the publishing transaction.
  Randomness randomness;     // DEFAULT: not told, which nobody calls private
  std::uint64_t number = 0;  // of the ledger's reservation
  std::string ledger_head;
  std::string date;         // YYYY-MM-DD, UTC
  Description description;  // declared
  // Content hash that it had in format 1, for one that `stopover upgrade` rewrote; "" for all others. Follows from the
  // rest, and readers check it.
  std::string upgraded_from;

  // Whether the guarantee holds: the noise can not be drawn again.
  bool is_private() const { return randomness.is_private(); }
  // Whether answers have likely intervals: learned by calibration, from probes that this program can read, or from what
  // the mechanism believes of its leaves.
  bool has_likely_intervals() const {
    return calibration || (probes && probes->readable()) || (!tables.empty() && !tables[0].spread.empty());
  }
  // Whether it was probed by another scale than this program reads: its answers have bounds alone.
  bool has_unread_probes() const { return probes && !probes->readable(); }
  // The axes of every stop's own map; of a release without maps all axes as one. A bare matrix has them too, whose
  // domain knows no stops of several axes.
  std::vector<std::vector<std::size_t>> map_axes() const;
  // Noise rate of a row of ticks: ticks/(1e9 k). 0 when not measured.
  double rate(Ticks row_ticks) const { return static_cast<double>(row_ticks) / (1e9 * k); }
  // All but the tables.
  Release without_tables() const;

  bool operator==(const Release&) const = default;
};

// What releases of format 1, which lack the field, say of their randomness: a parameter "test_key" names a repeatable
// key.
Randomness randomness_of_format_1(const std::vector<std::pair<std::string, std::string>>& params);

// Whether a release keeps its own rules (see the top of this file). The error (check_failed) names table, row and rule.
//   - Its format is a known one, and randomness is told in one place: the field, or in format 1 the parameters.
//   - Names are short words; parameters, charges and the rows of `cells` tables stand in order, once each; table 0 has
//     all axes; with answer model `maps`, tables 1..S are the stops' own.
//   - Parents come before children, depth counts up, boxes are not empty and lie in their parent's (roots: in the
//     domain).
//   - Children tile their parent; the roots of a partition tile the domain (see tiling.h: exact but for a chance below
//     2^-110). `cells` are roots on one lattice, in order of lo.
//   - Every path spends at most its table's ticks; the tables' ticks, and the largest charge of every stage that left
//     no table, sum to at most epsilon.
//   - The receipt says what the rows say: as many counts of as many ticks at each depth, and as much in all for other
//     purposes. `spent` is what the rows and the charges of stages that left no table add up to (at least, where such a
//     stage has several charges).
//   - Probes keep their own rules, stand alone, and the receipt has their price once, for "ranks".
//   - A calibration keeps its own rules, and is there only where answers use maps and no spread is told.
//   - Spreads are finite and not negative; table 0 has them only where answers use maps.
//   - Coarse counts cost at most what their rows do, and what was counted at once cost the same: among the rows of one
//     parent, all coarse prices are equal, and so are those of rows that were measured and not refined.
//   - Estimates are finite, not negative, and inner ones the sum of their children's within 1e-6 + 1e-6 of themselves.
// O(rows log rows).
Status check_release(const Release& release);

// Whether the rows of a release can be walked without harm: its columns are whole, parents come before children, boxes
// lie in the domain, tables and answer model fit. A small part of check_release, which says whether it may be believed.
Status check_walkable(const Release& release);

}  // namespace stopover
