// check_release: the rules of release.h, one function a rule.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "release/children.h"
#include "release/release.h"
#include "release/stop_map.h"
#include "release/tiling.h"

namespace stopover {
namespace {

constexpr std::uint64_t kMostTimes = std::uint64_t{1} << 62;

Error broken(std::string message) { return {Failure::check_failed, std::move(message)}; }

Error broken(const Table& table, std::string message) {
  return broken("table " + table.name + ": " + std::move(message));
}

Error broken(const Table& table, std::size_t row, std::string message) {
  return broken(table, "row " + std::to_string(row) + ": " + std::move(message));
}

bool is_finite(double x) { return x - x == 0; }

bool is_word(std::string_view text, std::string_view joints) {
  if (text.empty() || text.size() > 64 || text[0] < 'a' || text[0] > 'z') return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || joints.find(c) != std::string_view::npos;
  });
}

bool is_date(std::string_view text) {
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  }
  const std::string_view month = text.substr(5, 2), day = text.substr(8, 2);
  return month >= "01" && month <= "12" && day >= "01" && day <= "31";
}

Box whole_of(const Table& table, const Domain& domain) {
  std::array<Interval, kMaxAxes> sides;
  for (std::size_t i = 0; i < table.axes.size(); ++i) sides[i] = {0, domain.axis(table.axes[i]).cells};
  return Box(std::span(sides.data(), table.axes.size()));
}

Status check_head(const Release& release) {
  if (release.format != 1 && release.format != Release::kFormat) {
    return broken("its format is " + std::to_string(release.format) + ", which is not known");
  }
  const Randomness in_params = randomness_of_format_1(release.params);
  if (release.format == 1 ? in_params != release.randomness : in_params.is_repeatable()) {
    return broken("its parameters and its randomness, " + release.randomness.text() + ", do not agree on the key");
  }
  if (release.domain.d() == 0) return broken("the release has no axes");
  if (!is_word(release.mechanism, "-")) return broken("\"" + release.mechanism + "\" is not a name of a mechanism");
  if (release.epsilon == 0 || release.epsilon > kMaxTicks) {
    return broken("epsilon is out of range: " + format_epsilon(release.epsilon));
  }
  if (release.k == 0) return broken("k must be at least 1, not 0");
  for (std::size_t i = 0; i < release.params.size(); ++i) {
    if (!is_word(release.params[i].first, "_-"))
      return broken("\"" + release.params[i].first + "\" is not a parameter name");
    if (i > 0 && release.params[i - 1].first >= release.params[i].first) {
      return broken("parameter " + release.params[i].first + " stands twice or out of order");
    }
  }
  if (!release.date.empty() && !is_date(release.date)) return broken("\"" + release.date + "\" is not a date");
  if (release.ledger_head.size() > 256) return broken("the ledger head is too long");
  if (release.tables.empty()) return broken("the release has no table");
  return {};
}

Status check_columns(const Table& table, const Domain& domain) {
  if (!is_word(table.name, "_")) return broken("\"" + table.name + "\" is not a name of a table");
  if (table.axes.empty() || table.axes.size() > kMaxAxes) return broken(table, "it has no axes");
  for (std::size_t i = 0; i < table.axes.size(); ++i) {
    if (table.axes[i] >= domain.d()) return broken(table, "there is no axis " + std::to_string(table.axes[i]));
    if (i > 0 && table.axes[i - 1] >= table.axes[i]) return broken(table, "its axes do not ascend");
  }
  const std::size_t n = table.rows();
  if (n == 0) return broken(table, "it has no rows");
  if (n > static_cast<std::size_t>(INT32_MAX)) return broken(table, "it has too many rows");
  bool full = table.lo.size() == table.axes.size() && table.hi.size() == table.axes.size() && table.depth.size() == n &&
              table.count.size() == n && table.row_ticks.size() == n && table.side_ticks.size() == n &&
              table.estimate.size() == n && (table.spread.empty() || table.spread.size() == n) &&
              table.coarse_count.size() == table.coarse_ticks.size() &&
              (table.coarse_ticks.empty() || table.coarse_ticks.size() == n);
  for (std::size_t i = 0; full && i < table.axes.size(); ++i) full = table.lo[i].size() == n && table.hi[i].size() == n;
  if (!full) return broken(table, "its columns differ in length");
  return {};
}

// Every row by itself and against its parent. Fills `path` with what was spent from the root down.
Status check_rows(const Table& table, const Box& whole, std::vector<Ticks>& path) {
  path.resize(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::int32_t parent = table.parent[row];
    if (parent < -1 || parent >= static_cast<std::int64_t>(row)) {
      return broken(table, row, "parent " + std::to_string(parent) + " does not come before it");
    }
    if (table.kind == TableKind::cells && parent >= 0)
      return broken(table, row, "a row of a cells table has no parent");
    const auto p = static_cast<std::size_t>(parent);
    bool full = true, within = true;
    for (std::size_t i = 0; i < table.lo.size(); ++i) {
      const Interval side{table.lo[i][row], table.hi[i][row]};
      const Interval around = parent < 0 ? whole[i] : Interval{table.lo[i][p], table.hi[i][p]};
      full &= side.lo < side.hi;
      within &= side.lo >= around.lo && side.hi <= around.hi;
    }
    if (!full) return broken(table, row, "its box is empty");
    if (!within) {
      return broken(table, row, parent < 0 ? "its box leaves the domain" : "its box leaves its parent's");
    }
    if (table.depth[row] != (parent < 0 ? 0 : table.depth[p] + 1)) {
      return broken(table, row, "depth " + std::to_string(table.depth[row]) + " does not follow from its parent's");
    }
    if (table.row_ticks[row] == 0 && table.count[row] != 0)
      return broken(table, row, "a count was given but not paid for");
    if (!is_finite(table.estimate[row]) || table.estimate[row] < 0) {
      return broken(table, row, "its estimate is negative or not finite");
    }
    if (!table.spread.empty() && !(table.spread[row] >= 0 && is_finite(table.spread[row]))) {
      return broken(table, row, "its spread is negative or not finite");
    }
    const Ticks before = parent < 0 ? 0 : path[p];
    const Ticks left = table.ticks - before;
    if (table.row_ticks[row] > left || table.side_ticks[row] > left - table.row_ticks[row]) {
      return broken(table, row, "the path down to it spends more than the table's " + format_epsilon(table.ticks));
    }
    path[row] = before + table.row_ticks[row] + table.side_ticks[row];
  }
  return {};
}

// As of its box.
u128 volume_of(const Table& table, std::size_t row) {
  // Sides have at most 32 bits, so two of them fit into 64.
  std::uint64_t cells = 1;
  for (std::size_t i = 0; i < table.lo.size(); ++i) {
    if (cells >> 32 != 0) return table.box(row).volume();
    cells *= table.hi[i][row] - table.lo[i][row];
  }
  return cells;
}

Status check_family(const Table& table, std::span<const std::uint32_t> family, const Box& whole,
                    const BoxMeasure& measure, const std::string& whose) {
  u128 volume = 0;
  BoxMeasure::Amount sum;
  const u128 wanted = whole.volume();
  const bool counted = wanted < Box::kMostVolume;  // else the measure alone tells, as surely
  for (std::uint32_t row : family) {
    const u128 part = counted ? volume_of(table, row) : 0;
    if (part > std::numeric_limits<u128>::max() - volume) return broken(table, whose + " overlap");
    volume += part;
    sum += measure.of(table, row);
  }
  if (counted && volume != wanted) {
    return broken(table, whose + " hold " + to_string(volume) + " cells, not " + to_string(wanted));
  }
  if (!(sum == measure.of(whole))) return broken(table, whose + " overlap or leave a gap");
  return {};
}

Status check_tiling(const Table& table, const Box& whole, const ChildIndex& children) {
  const BoxMeasure measure(table);
  const Status roots = check_family(table, children.roots(), whole, measure, "its roots");
  if (!roots) return roots;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto family = children.of(row);
    if (family.empty()) continue;
    const Status ok =
        check_family(table, family, table.box(row), measure, "the children of row " + std::to_string(row));
    if (!ok) return ok;
  }
  return {};
}

Status check_sums(const Table& table, const ChildIndex& children) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (children.of(row).empty()) continue;
    double sum = 0, lost = 0;  // compensated
    for (std::uint32_t c : children.of(row)) {
      const double y = table.estimate[c] - lost;
      const double next = sum + y;
      lost = (next - sum) - y;
      sum = next;
    }
    const double gap = sum > table.estimate[row] ? sum - table.estimate[row] : table.estimate[row] - sum;
    if (!(gap <= 1e-6 + 1e-6 * table.estimate[row])) {
      return broken(table, row, "its estimate is not the sum of its children's");
    }
  }
  return {};
}

// What was counted at once, the rows of one parent, has one coarse price, refined or not.
Status check_coarse(const Table& table, const ChildIndex& children) {
  if (table.coarse_ticks.empty()) return {};
  bool any = false;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const Ticks coarse = table.coarse_ticks[row], all = table.row_ticks[row];
    if (coarse > all) return broken(table, row, "its coarse count cost more than both");
    if (coarse == 0 && table.coarse_count[row] != 0)
      return broken(table, row, "a coarse count was given but not paid for");
    if (coarse > 0 && coarse == all && table.coarse_count[row] != table.count[row])
      return broken(table, row, "it was refined for nothing");
    any = any || coarse > 0;
  }
  if (!any) return broken(table, "it has columns of coarse counts, but none");
  const auto check_family = [&](std::span<const std::uint32_t> family) -> Status {
    const auto price = [&](std::uint32_t row) {
      return table.coarse_ticks[row] > 0 ? table.coarse_ticks[row] : table.row_ticks[row];
    };
    const auto refined = [&](std::uint32_t row) { return table.coarse_ticks[row] > 0; };
    if (std::none_of(family.begin(), family.end(), refined)) return {};
    for (std::uint32_t row : family) {
      if (price(row) != price(family[0])) return broken(table, row, "its coarse count cost another price than others'");
    }
    return {};
  };
  if (Status ok = check_family(children.roots()); !ok) return ok;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (Status ok = check_family(children.of(row)); !ok) return ok;
  }
  return {};
}

// Cells: all on one lattice and in order, so that different ones cannot overlap.
Status check_cells(const Table& table) {
  for (std::size_t i = 0; i < table.axes.size(); ++i) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sides(table.rows());
    for (std::size_t row = 0; row < table.rows(); ++row) sides[row] = {table.lo[i][row], table.hi[i][row]};
    std::sort(sides.begin(), sides.end());
    for (std::size_t j = 1; j < sides.size(); ++j) {
      if (sides[j] != sides[j - 1] && sides[j].first < sides[j - 1].second) {
        return broken(table, "its boxes are not cells of one lattice");
      }
    }
  }
  for (std::size_t row = 1; row < table.rows(); ++row) {
    std::size_t i = 0;
    while (i + 1 < table.axes.size() && table.lo[i][row - 1] == table.lo[i][row]) ++i;
    if (table.lo[i][row - 1] >= table.lo[i][row]) return broken(table, row, "it stands twice or out of order");
  }
  return {};
}

// Gives the most one trip pays: the longest path.
Result<Ticks> check_table(const Table& table, const Domain& domain) {
  if (Status ok = check_columns(table, domain); !ok) return ok.error();
  const Box whole = whole_of(table, domain);
  std::vector<Ticks> path;
  if (Status ok = check_rows(table, whole, path); !ok) return ok.error();
  const ChildIndex children(table);
  if (table.kind == TableKind::cells) {
    if (!table.coarse_ticks.empty()) return broken(table, "cells have no coarse counts");
    if (Status ok = check_cells(table); !ok) return ok.error();
  } else {
    if (Status ok = check_tiling(table, whole, children); !ok) return ok.error();
    if (Status ok = check_sums(table, children); !ok) return ok.error();
    if (Status ok = check_coarse(table, children); !ok) return ok.error();
  }
  return *std::max_element(path.begin(), path.end());
}

// Probes are there where the receipt has them, and paid as they say.
Status check_probes_of(const Release& release) {
  const auto paid = std::find_if(release.charges.begin(), release.charges.end(),
                                 [](const Charge& charge) { return charge.purpose == "ranks"; });
  if (!release.probes) {
    return paid == release.charges.end() ? Status{} : broken("its receipt has ranks, but there are no probes");
  }
  if (release.format < 2) return broken("format 1 has no probes");
  if (release.answer_model != AnswerModel::maps) return broken("probes need answers that use maps");
  if (release.calibration || !release.tables[0].spread.empty()) {
    return broken("probes and another source of likely intervals are one too many");
  }
  if (Status ok = check_probes(*release.probes); !ok) return ok;
  if (paid == release.charges.end() || paid->ticks != release.probes->ticks || paid->times != 1) {
    return broken("its receipt does not have what the probes say was paid for them");
  }
  return {};
}

Status check_charge_order(const std::vector<Charge>& charges, Ticks epsilon) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const Charge& charge = charges[i];
    const std::string where = "charge " + std::to_string(i) + " (" + charge.view + ")";
    if (!is_word(charge.view, "_-") || !is_word(charge.purpose, "_-")) return broken(where + " has a bad name");
    if (charge.ticks == 0 || charge.times == 0) return broken(where + " charges nothing");
    if (charge.ticks > epsilon || charge.times > kMostTimes) return broken(where + " charges more than there is");
    const bool same_view = i > 0 && charges[i - 1].view == charge.view;
    if (!same_view && !seen.insert(charge.view).second) return broken(where + " is out of order");
    const auto key = [](const Charge& c) { return std::tie(c.depth, c.purpose, c.ticks); };
    if (same_view && key(charges[i - 1]) >= key(charge)) return broken(where + " stands twice or out of order");
  }
  return {};
}

// The receipt's lines for a table say what its rows say: the same counts, and as much for everything else.
Status check_charges(const Table& table, const std::vector<Charge>& charges) {
  std::map<std::pair<std::uint32_t, Ticks>, i128> counts;
  std::map<std::uint32_t, i128> others;
  // Neighbouring rows mostly have one price: it is looked up once for them.
  std::pair<std::uint32_t, Ticks> last{0, 0};
  i128* of_last = nullptr;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::pair<std::uint32_t, Ticks> price{table.depth[row], table.row_ticks[row]};
    if (price.second > 0) {
      if (of_last == nullptr || price != last) of_last = &counts[last = price];
      ++*of_last;
    }
    if (table.side_ticks[row] > 0) others[table.depth[row]] += table.side_ticks[row];
  }
  for (const Charge& charge : charges) {
    if (charge.view != table.name) continue;
    if (charge.purpose == "count") {
      counts[{charge.depth, charge.ticks}] -= charge.times;
    } else {
      others[charge.depth] -= static_cast<i128>(charge.ticks) * static_cast<i128>(charge.times);
    }
  }
  for (const auto& [key, surplus] : counts) {
    if (surplus != 0) {
      return broken(table, "counts of " + format_epsilon(key.second) + " at depth " + std::to_string(key.first) +
                               " differ between the rows and the receipt");
    }
  }
  for (const auto& [depth, surplus] : others) {
    if (surplus != 0) {
      return broken(table, "what was spent besides counts at depth " + std::to_string(depth) +
                               " differs between the rows and the receipt");
    }
  }
  return {};
}

// Maps of one view: a count of the receipt is either one stop's, a measured row of its map, or one of all stops
// together, which stands in every map as `side_ticks` of an unmeasured row, for each trip has a point in each. So does
// what else was spent on the view.
Status check_shared_charges(const std::vector<const Table*>& tables, const std::vector<Charge>& charges) {
  std::map<Ticks, i128> counts;
  i128 together = 0;
  for (const Charge& charge : charges) {
    if (charge.view != tables[0]->view) continue;
    if (charge.purpose == "count") {
      counts[charge.ticks] += charge.times;
    } else {
      together += static_cast<i128>(charge.ticks) * static_cast<i128>(charge.times);
    }
  }
  for (const Table* table : tables) {
    for (Ticks ticks : table->row_ticks) {
      if (ticks > 0) --counts[ticks];
    }
  }
  for (const auto& [ticks, left] : counts) {
    if (left < 0) {
      return broken(*tables[0], "there are more counts of " + format_epsilon(ticks) + " in the rows of " +
                                    tables[0]->view + " than in the receipt");
    }
    together += static_cast<i128>(ticks) * left;
  }
  for (const Table* table : tables) {
    i128 side = 0;
    for (Ticks ticks : table->side_ticks) side += ticks;
    if (side != together)
      return broken(*table, "what was spent on all stops together differs between the rows and the receipt");
  }
  return {};
}

// Boxes of a map of very many cells are made of whole steps of its raster (stop_map.h).
Status check_steps(const Table& map, const Domain& domain) {
  const std::uint32_t width = domain.axis(map.axes[0]).cells;
  const std::uint32_t step = StopMap::step_of(width, map.axes.size() > 1 ? domain.axis(map.axes[1]).cells : 1);
  if (step == 1) return {};
  for (std::size_t i = 0; i < map.axes.size(); ++i) {
    const std::uint32_t cells = domain.axis(map.axes[i]).cells;
    for (std::size_t row = 0; row < map.rows(); ++row) {
      const std::uint32_t lo = map.lo[i][row], hi = map.hi[i][row];
      if (lo % step != 0 || (hi % step != 0 && hi != cells)) {
        return broken(map, row, "its box is not made of steps of " + std::to_string(step) + " cells");
      }
    }
  }
  return {};
}

Status check_answer_model(const Release& release) {
  const auto& first = release.tables[0].axes;
  if (first.size() != release.domain.d()) return broken(release.tables[0], "the first table must cover all axes");
  if (release.answer_model != AnswerModel::maps) return {};
  if (release.tables.size() == 1) {
    if (first.size() > 2) return broken(release.tables[0], "a table that is its own map has one or two axes");
    return check_steps(release.tables[0], release.domain);
  }
  std::vector<bool> mapped(release.domain.d(), false);
  for (std::size_t t = 1; t < release.tables.size(); ++t) {
    const Table& map = release.tables[t];
    if (map.kind != TableKind::partition || map.axes.size() > 2)
      return broken(map, "a map is a partition of one or two axes");
    if (Status ok = check_steps(map, release.domain); !ok) return ok;
    for (std::size_t axis : map.axes) {
      if (mapped[axis]) return broken(map, "another map has one of its axes");
      mapped[axis] = true;
    }
  }
  if (std::find(mapped.begin(), mapped.end(), false) != mapped.end()) return broken("an axis has no map");
  return {};
}

}  // namespace

Status check_walkable(const Release& release) {
  if (Status ok = check_head(release); !ok) return ok;
  for (const Table& table : release.tables) {
    if (Status ok = check_columns(table, release.domain); !ok) return ok;
    bool good = true;
    for (std::size_t i = 0; i < table.axes.size(); ++i) {
      const std::uint32_t cells = release.domain.axis(table.axes[i]).cells;
      for (std::size_t row = 0; row < table.rows(); ++row) {
        good &= table.lo[i][row] < table.hi[i][row] && table.hi[i][row] <= cells;
      }
    }
    for (std::size_t row = 0; row < table.rows(); ++row) {
      good &= table.parent[row] >= -1 && table.parent[row] < static_cast<std::int64_t>(row);
    }
    // Which row it is, check_rows can say.
    std::vector<Ticks> path;
    if (!good) {
      if (Status ok = check_rows(table, whole_of(table, release.domain), path); !ok) return ok;
    }
  }
  return check_answer_model(release);
}

Status check_release(const Release& release) {
  if (Status ok = check_head(release); !ok) return ok;
  std::set<std::string> names;
  Ticks slices = 0, spent = 0;
  for (const Table& table : release.tables) {
    if (!names.insert(table.name).second) return broken(table, "there are two of that name");
    if (table.ticks > release.epsilon - slices) {
      return broken(table, "the tables' slices sum to more than epsilon " + format_epsilon(release.epsilon));
    }
    slices += table.ticks;
    if (!table.coarse_ticks.empty() && (release.format < 2 || !release.upgraded_from.empty())) {
      return broken(table, "format 1 has no coarse counts");
    }
    Result<Ticks> most = check_table(table, release.domain);
    if (!most) return most.error();
    spent += *most;
  }
  if (Status ok = check_answer_model(release); !ok) return ok;
  if (!release.tables[0].spread.empty() && release.answer_model != AnswerModel::maps) {
    return broken("a spread of leaves needs answers that use maps");
  }
  if (release.calibration) {
    if (release.answer_model != AnswerModel::maps) return broken("a calibration needs answers that use maps");
    if (!release.tables[0].spread.empty()) return broken("a calibration and a spread of leaves are one too many");
    if (Status ok = check_calibration(*release.calibration); !ok) return ok;
  }
  if (Status ok = check_probes_of(release); !ok) return ok;
  if (Status ok = check_charge_order(release.charges, release.epsilon); !ok) return ok;
  std::map<std::string, std::vector<const Table*>> shared;
  for (const Table& table : release.tables) {
    if (table.view.empty()) {
      if (Status ok = check_charges(table, release.charges); !ok) return ok;
    } else {
      shared[table.view].push_back(&table);
    }
  }
  for (const auto& [view, tables] : shared) {
    if (names.contains(view)) return broken(*tables[0], "its view has the name of a table");
    if (Status ok = check_shared_charges(tables, release.charges); !ok) return ok;
  }
  for (const auto& [view, tables] : shared) names.insert(view);
  // Stages that left no table: one unit pays at least their largest charge; of a stage with one charge, exactly that.
  std::map<std::string, Ticks> stages;
  bool exact = true;
  for (const Charge& charge : release.charges) {
    if (names.contains(charge.view)) continue;
    exact = exact && charge.times == 1 && !stages.contains(charge.view);
    stages[charge.view] = std::max(stages[charge.view], charge.ticks);
  }
  u128 least = spent, promised = slices;
  for (const auto& [view, ticks] : stages) {
    least += ticks;
    promised += ticks;
  }
  if (promised > release.epsilon) {
    return broken("its tables and the stages without one take more than epsilon " + format_epsilon(release.epsilon));
  }
  if (release.spent > release.epsilon) {
    return broken("it spent " + format_epsilon(release.spent) + " of epsilon " + format_epsilon(release.epsilon));
  }
  if (release.spent < least || (exact && release.spent != least)) {
    return broken("it says it spent " + format_epsilon(release.spent) + ", its rows and receipt say " +
                  format_epsilon(static_cast<Ticks>(std::min<u128>(least, UINT64_MAX))));
  }
  return {};
}

}  // namespace stopover
